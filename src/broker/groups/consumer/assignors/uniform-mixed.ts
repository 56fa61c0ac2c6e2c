/**
 * `uniform` for members with different subscriptions. What members have and still want, they keep. What nobody has goes
 * to the subscriber with the least. Then, topic by topic, the subscriber with the most gives a partition to the one with
 * the least, until they are within one of each other; rounds repeat until one of them moves nothing.
 *
 * With overlapping subscriptions this may stop short of the best balance; it never takes more than `maxRounds`.
 */
import type { Uuid } from '../../../../protocol/types.ts'
import { add, type Partitions } from '../partitions.ts'
import type { AssignorInput, AssignorTopic } from './assignor.ts'

const maxRounds = 16
const nobody = -1

interface Topic extends AssignorTopic {
  /** Indexes of the members that want it, ascending. */
  readonly subscribers: readonly number[]
  /** For each partition the index of its owner. */
  readonly owners: number[]
}

export function assignMixed(input: AssignorInput): ReadonlyMap<string, Partitions> {
  const loads: number[] = input.members.map(() => 0)
  const topics = input.topics.map((topic) => startingFrom(topic, input, loads)).sort(fullestFirst)
  for (const topic of topics) giveAway(topic, loads)
  balance(
    topics.filter((topic) => topic.subscribers.length > 1),
    loads,
  )
  return collect(input, topics)
}

function startingFrom(topic: AssignorTopic, { members }: AssignorInput, loads: number[]): Topic {
  const subscribers: number[] = []
  const owners = new Array<number>(topic.partitionCount).fill(nobody)
  for (const [index, member] of members.entries()) {
    if (!member.topicIds.has(topic.topicId)) continue
    subscribers.push(index)
    for (const partition of member.current.get(topic.topicId) ?? []) {
      owners[partition] = index
      loads[index] = load(loads, index) + 1
    }
  }
  return { ...topic, subscribers, owners }
}

/** Topics with many partitions for few subscribers leave the least choice, so they come first. */
function fullestFirst(a: Topic, b: Topic): number {
  const fuller = b.partitionCount / b.subscribers.length - a.partitionCount / a.subscribers.length
  return fuller !== 0 ? fuller : a.subscribers.length - b.subscribers.length
}

function giveAway(topic: Topic, loads: number[]): void {
  const line = byLoad(topic, loads)
  for (const [partition, owner] of topic.owners.entries()) {
    if (owner === nobody) move(topic, partition, lightest(line, loads), loads)
  }
}

function balance(topics: readonly Topic[], loads: number[]): void {
  let lastMoved: Topic | undefined
  for (let round = 0; round < maxRounds; round++) {
    for (const topic of topics) {
      // A whole round since this topic moved something, and nothing has moved since.
      if (topic === lastMoved) return
      if (balanceTopic(topic, loads) || lastMoved === undefined) lastMoved = topic
    }
  }
}

/** Whether anything moved. Only what a member had at the start is taken from it, the highest partition first. */
function balanceTopic(topic: Topic, loads: number[]): boolean {
  const line = byLoad(topic, loads)
  const first = line[0] ?? nobody
  const last = line.at(-1) ?? nobody
  if (load(loads, last) - load(loads, first) <= 1) return false
  const holdings = new Map<number, number[]>()
  for (const [partition, owner] of topic.owners.entries()) {
    const held = holdings.get(owner)
    if (held === undefined) holdings.set(owner, [partition])
    else held.push(partition)
  }

  let moved = false
  for (let givers = line.length; givers > 0; ) {
    const place = heaviestPlace(line, givers, loads)
    const giver = line[place] ?? nobody
    const partition = holdings.get(giver)?.pop()
    if (partition === undefined) {
      // Nothing to give: out of the row of givers, though it may still receive.
      givers--
      line[place] = line[givers] ?? nobody
      line[givers] = giver
      continue
    }
    const receiver = lightest(line, loads)
    if (load(loads, giver) - load(loads, receiver) <= 1) break
    move(topic, partition, receiver, loads)
    moved = true
  }
  return moved
}

function byLoad(topic: Topic, loads: readonly number[]): number[] {
  return [...topic.subscribers].sort((a, b) => load(loads, a) - load(loads, b) || a - b)
}

/** The first of the line with the smallest load. */
function lightest(line: readonly number[], loads: readonly number[]): number {
  return line.reduce((best, index) => (load(loads, index) < load(loads, best) ? index : best))
}

/** The last place among the first `givers` with the largest load. */
function heaviestPlace(line: readonly number[], givers: number, loads: readonly number[]): number {
  let best = 0
  for (let place = 1; place < givers; place++) {
    if (load(loads, line[place] ?? nobody) >= load(loads, line[best] ?? nobody)) best = place
  }
  return best
}

function move(topic: Topic, partition: number, to: number, loads: number[]): void {
  const from = topic.owners[partition] ?? nobody
  if (from !== nobody) loads[from] = load(loads, from) - 1
  topic.owners[partition] = to
  loads[to] = load(loads, to) + 1
}

function load(loads: readonly number[], index: number): number {
  return loads[index] ?? 0
}

function collect({ members }: AssignorInput, topics: readonly Topic[]): ReadonlyMap<string, Partitions> {
  const assignment = new Map(members.map(({ memberId }) => [memberId, new Map<Uuid, Set<number>>()]))
  for (const { topicId, owners } of topics) {
    for (const [partition, owner] of owners.entries()) {
      const partitions = assignment.get(members[owner]?.memberId ?? '')
      if (partitions !== undefined) add(partitions, topicId, partition)
    }
  }
  return assignment
}

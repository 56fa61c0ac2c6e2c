/**
 * Large groups, simulated: the real assignors, and the real group coordinator of the embedded broker with its codec, in one process and
 * on a clock that is turned by hand. What is timed is work, not waiting.
 */
import { type Assignor, type AssignorName, resolveAssignors } from '../../src/clients/native/group/assignors/index.ts'
import {
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../src/clients/native/group/assignors/subscription.ts'
import type { TopicPartition } from '../../src/kernel/ids.ts'
import { errorName } from '../../src/protocol/errors.ts'
import { World } from '../../test/unit/broker/groups/support/world.ts'

export interface GroupSize {
  readonly members: number
  readonly partitions: number
}

const topic = 'in'
const idOf = (member: number): string => `member-${String(member).padStart(5, '0')}`

export interface AssignorRow {
  readonly assignor: string
  /** Nobody has anything yet. */
  readonly freshMs: number
  /** One of them has left. */
  readonly leaveMs: number
  /** One has come. */
  readonly joinMs: number
  /** Of the partitions of those who stayed, how many changed hands when one left: more than none is unrest. */
  readonly movedOfOthers: number
}

type Owned = ReadonlyMap<string, readonly TopicPartition[]>

function assigned(
  assignor: Assignor,
  members: readonly string[],
  owned: Owned,
  partitions: number,
): { ms: number; plan: Owned } {
  const subscriptions = members.map((memberId) => ({
    memberId,
    groupInstanceId: null,
    topics: [topic],
    owned: owned.get(memberId) ?? [],
    generationId: 1,
    userData: null,
    rackId: null,
  }))
  const beganMs = performance.now()
  const plan = assignor.assign(subscriptions, () => partitions)
  return { ms: performance.now() - beganMs, plan }
}

export function assignorRow(name: AssignorName, { members, partitions }: GroupSize): AssignorRow {
  const [assignor] = resolveAssignors([name])
  if (assignor === undefined) throw new Error('unreachable')
  const all = Array.from({ length: members }, (_, n) => idOf(n))
  const fresh = assigned(assignor, all, new Map(), partitions)
  const stayed = all.slice(1)
  const leave = assigned(assignor, stayed, fresh.plan, partitions)
  const join = assigned(assignor, [...all, idOf(members)], fresh.plan, partitions)
  let movedOfOthers = 0
  for (const member of stayed) {
    const after = new Set((leave.plan.get(member) ?? []).map(({ partition }) => partition))
    for (const { partition } of fresh.plan.get(member) ?? []) if (!after.has(partition)) movedOfOthers++
  }
  return { assignor: name, freshMs: fresh.ms, leaveMs: leave.ms, joinMs: join.ms, movedOfOthers }
}

export interface ClassicRow extends GroupSize {
  /** The coordinator's work: all joins; all syncs; and the leader's own in between. */
  readonly joinMs: number
  readonly assignMs: number
  readonly syncMs: number
  /** What the leader is sent, and what it answers. */
  readonly leaderInBytes: number
  readonly leaderOutBytes: number
  /** Why the group did not come about; null: it did. */
  readonly failed: string | null
}

/** One rebalance of the classic protocol, in which everybody owns its share already: as when somebody has just left. */
export async function classicRebalance({ members, partitions }: GroupSize): Promise<ClassicRow> {
  const delayMs = 3_000
  const world = new World({ topics: { [topic]: partitions }, options: { groupInitialRebalanceDelayMs: delayMs } })
  const [assignor] = resolveAssignors(['cooperative-sticky'])
  if (assignor === undefined) throw new Error('unreachable')
  const ids = Array.from({ length: members }, (_, n) => idOf(n))
  const owned = assigned(assignor, ids, new Map(), partitions).plan
  const protocolsOf = (n: number) => [{ name: assignor.name, metadata: subscriptionOf(owned.get(ids[n] ?? '') ?? []) }]

  const joinBeganMs = performance.now()
  const memberIds: string[] = []
  for (let n = 0; n < members; n++) memberIds.push((await world.join({ protocols: protocolsOf(n) })).answer.memberId)
  const joins: Awaited<ReturnType<World['join']>>[] = []
  for (const [n, memberId] of memberIds.entries()) joins.push(await world.join({ memberId, protocols: protocolsOf(n) }))
  await world.advance(delayMs)
  await world.advance(delayMs)
  const joinMs = performance.now() - joinBeganMs

  const leader = joins.find((each) => each.isAnswered && each.answer.members.length > 0)?.answer
  const nothing = { members, partitions, joinMs, assignMs: 0, syncMs: 0, leaderInBytes: 0, leaderOutBytes: 0 }
  if (leader === undefined) return { ...nothing, failed: 'no member became the leader' }
  const assignBeganMs = performance.now()
  const subscriptions = leader.members.map(({ memberId, metadata }) => ({
    ...decodeSubscription(metadata, memberId),
    memberId,
    groupInstanceId: null,
  }))
  const plan = assignor.assign(subscriptions, () => partitions)
  const assignments = [...plan].map(([memberId, list]) => ({ memberId, assignment: encodeAssignment(list) }))
  const assignMs = performance.now() - assignBeganMs

  const syncBeganMs = performance.now()
  const { generationId } = leader
  const named = { generationId, protocolName: assignor.name }
  const first = await world.sync({ ...named, memberId: leader.memberId, assignments })
  const others: Awaited<ReturnType<World['sync']>>[] = []
  for (const memberId of memberIds) {
    if (memberId !== leader.memberId) others.push(await world.sync({ ...named, memberId }))
  }
  const syncMs = performance.now() - syncBeganMs
  const codes = [first, ...others].map((each) => (each.isAnswered ? errorName(each.answer.errorCode) : 'no answer'))
  const failed = codes.find((code) => code !== 'NONE') ?? null
  world.coordinator.close()
  return {
    ...nothing,
    assignMs,
    syncMs,
    leaderInBytes: leader.members.reduce(
      (sum, { memberId, metadata }) => sum + memberId.length + metadata.length + 8,
      0,
    ),
    leaderOutBytes: assignments.reduce(
      (sum, { memberId, assignment }) => sum + memberId.length + assignment.length + 8,
      0,
    ),
    failed,
  }
}

function subscriptionOf(owned: readonly TopicPartition[]): Buffer {
  return encodeSubscription({ topics: [topic], owned, generationId: 1, userData: null, rackId: null })
}

export interface ConsumerRow extends GroupSize {
  /** The assignment of everything, and of one more member, on the broker. */
  readonly assignMs: number
  readonly joinMs: number
  /** One heartbeat in which nothing is new. */
  readonly heartbeatUs: number
  readonly failed: string | null
}

/** The protocol in which the broker assigns (KIP-848). The group forms on few partitions; then the topic grows, and all is assigned anew. */
export async function consumerRebalance({ members, partitions }: GroupSize): Promise<ConsumerRow> {
  const world = new World({ topics: { [topic]: 1 } })
  const epochs = new Map<string, number>()
  const beat = async (memberId: string, fields: object): Promise<string> => {
    const { answer } = await world.consumerHeartbeat({ memberId, ...fields })
    epochs.set(memberId, answer.memberEpoch)
    return errorName(answer.errorCode)
  }
  const joining = { memberEpoch: 0, rebalanceTimeoutMs: 60_000, subscribedTopicNames: [topic], topicPartitions: [] }
  for (let n = 0; n < members; n++) await beat(idOf(n), joining)
  world.topics.set(topic, partitions)
  const timed = async (work: () => Promise<string>): Promise<readonly [number, string]> => {
    const beganMs = performance.now()
    const code = await work()
    return [performance.now() - beganMs, code]
  }
  const again = (memberId: string): Promise<string> => beat(memberId, { memberEpoch: epochs.get(memberId) ?? 0 })
  const [assignMs, assignCode] = await timed(() => again(idOf(0)))
  const [joinMs, joinCode] = await timed(() => beat(idOf(members), joining))
  const beats = 200
  const beganMs = performance.now()
  for (let n = 0; n < beats; n++) await again(idOf(n % members))
  const heartbeatUs = ((performance.now() - beganMs) / beats) * 1_000
  world.coordinator.close()
  const failed = [assignCode, joinCode].find((code) => code !== 'NONE') ?? null
  return { members, partitions, assignMs, joinMs, heartbeatUs, failed }
}

/** What the sticky assignors look at, in numbers: members and topics by index, sorted, and all partitions in one row. */
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { partitionKey } from '../ownership.ts'
import { compare, readersOf } from './assignor.ts'
import { type Claimant, type Claims, claimsOf } from './claims.ts'

export const nobody = -1

export interface Topic {
  readonly name: string
  readonly first: number
  readonly count: number
  /** Members, ascending. */
  readonly readers: readonly number[]
}

export interface Board {
  readonly memberIds: readonly string[]
  readonly topics: readonly Topic[]
  /** By partition: the index of its topic. */
  readonly topicOf: Int32Array
  /** By partition: who owns it and may keep it, or nobody. */
  readonly home: Int32Array
  readonly claims: Claims
}

export function boardOf(claimants: readonly Claimant[], partitionsOf: (topic: string) => number): Board {
  const sorted = [...claimants].sort((a, b) => compare(a.memberId, b.memberId))
  const memberIds = sorted.map(({ memberId }) => memberId)
  const claims = claimsOf(sorted)
  const topics = readTopics(sorted, partitionsOf)
  const last = topics.at(-1)
  const size = last === undefined ? 0 : last.first + last.count
  const topicOf = new Int32Array(size)
  const home = new Int32Array(size).fill(nobody)
  const indexOf = new Map(memberIds.map((id, index) => [id, index]))
  for (const [index, { name, first, count, readers }] of topics.entries()) {
    topicOf.fill(index, first, first + count)
    const reading = new Set(readers)
    for (let partition = 0; partition < count; partition++) {
      const owner = claims.get(partitionKey({ topic: name, partition }))?.memberId ?? null
      const member = owner === null ? undefined : indexOf.get(owner)
      if (member !== undefined && reading.has(member)) home[first + partition] = member
    }
  }
  return { memberIds, topics, topicOf, home, claims }
}

/** Back to names. `holder`: by partition. */
export function planOf(board: Board, holder: Int32Array): Map<string, TopicPartition[]> {
  const loads = board.memberIds.map((): TopicPartition[] => [])
  for (const { name, first, count } of board.topics) {
    for (let partition = 0; partition < count; partition++) {
      loads[holder[first + partition] ?? nobody]?.push({ topic: name, partition })
    }
  }
  return new Map(board.memberIds.map((id, index) => [id, loads[index] ?? []]))
}

function readTopics(members: readonly Claimant[], partitionsOf: (topic: string) => number): readonly Topic[] {
  let first = 0
  return [...readersOf(members, partitionsOf)]
    .sort(([a], [b]) => compare(a, b))
    .map(([name, readers]) => {
      const topic = { name, first, count: partitionsOf(name), readers }
      first += topic.count
      return topic
    })
}

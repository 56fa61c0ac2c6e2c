/** Asking partition leaders where their logs begin and end. An answer has no entry for what could not be told. */
import { byLeader, byTopic } from '../../../cluster/leaders.ts'
import type { Metadata } from '../../../cluster/metadata.ts'
import type { Wire } from '../../../cluster/wire.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { listOffsetsApi } from '../../../protocol/generated/02-list-offsets.ts'
import { offsetForLeaderEpochApi } from '../../../protocol/generated/23-offset-for-leader-epoch.ts'
import { partitionKey } from '../group/ownership.ts'
import type { ReadOptions } from '../options.ts'
import type { EpochOffset, LogBounds } from './start-position.ts'

export const latest = -1
export const earliest = -2

/** Nothing known: brokers take this for "do not check". */
export const noEpoch = -1

const isolationLevels = { read_uncommitted: 0, read_committed: 1 } as const

export type Isolation = keyof typeof isolationLevels
export type Offsets = ReadonlyMap<string, EpochOffset>
/** Leader epochs by partition. */
export type LeaderEpochs = ReadonlyMap<string, number>

export interface LogAsker {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly options: ReadOptions
}

/** The leaders now, for these topics; null: no answer. */
export async function refreshLeaders(metadata: Metadata, topics: readonly string[]): Promise<LeaderEpochs | null> {
  const answers = await metadata.refresh(topics)
  if (answers === null) return null
  const epochs = new Map<string, number>()
  for (const topic of topics) {
    for (const [partition, { leaderEpoch }] of (metadata.topic(topic)?.partitions ?? []).entries()) {
      epochs.set(partitionKey({ topic, partition }), leaderEpoch)
    }
  }
  return epochs
}

/** The offset of a time (or `latest`, `earliest`). Where there is no record of that time or later, there is no entry. */
export async function listOffsets(
  { wire, metadata }: LogAsker,
  partitions: readonly TopicPartition[],
  timestamp: number,
  isolation: Isolation,
  leaderEpochs: LeaderEpochs = new Map(),
): Promise<Offsets> {
  const found = new Map<string, EpochOffset>()
  const asked = [...byLeader(metadata, partitions)].map(async ([node, theirs]) => {
    const answer = await wire.ask(node, listOffsetsApi, {
      replicaId: -1,
      isolationLevel: isolationLevels[isolation],
      topics: [...byTopic(theirs)].map(([name, list]) => ({
        name,
        partitions: list.map((each) => ({
          partitionIndex: each.partition,
          currentLeaderEpoch: leaderEpochs.get(partitionKey(each)) ?? noEpoch,
          timestamp: BigInt(timestamp),
        })),
      })),
    })
    for (const { name, partitions: answers } of answer?.body.topics ?? []) {
      for (const { partitionIndex, errorCode, offset, leaderEpoch } of answers) {
        if (errorCode !== errorCodes.NONE || offset < 0n) continue
        found.set(partitionKey({ topic: name, partition: partitionIndex }), { offset: Number(offset), leaderEpoch })
      }
    }
  })
  await Promise.all(asked)
  return found
}

/** A partition and the leader epoch whose end is asked for. */
export interface EpochQuestion extends TopicPartition {
  readonly leaderEpoch: number
}

export async function epochEnds(
  { wire, metadata }: LogAsker,
  questions: readonly EpochQuestion[],
  leaderEpochs: LeaderEpochs,
): Promise<Offsets> {
  const found = new Map<string, EpochOffset>()
  const asked = [...byLeader(metadata, questions)].map(async ([node, theirs]) => {
    const answer = await wire.ask(node, offsetForLeaderEpochApi, {
      replicaId: -1,
      topics: [...byTopic(theirs)].map(([topic, list]) => ({
        topic,
        partitions: list.map((each) => ({
          partition: each.partition,
          leaderEpoch: each.leaderEpoch,
          currentLeaderEpoch: leaderEpochs.get(partitionKey(each)) ?? noEpoch,
        })),
      })),
    })
    for (const { topic, partitions } of answer?.body.topics ?? []) {
      for (const { partition, errorCode, endOffset, leaderEpoch } of partitions) {
        if (errorCode !== errorCodes.NONE) continue
        found.set(partitionKey({ topic, partition }), { offset: Number(endOffset), leaderEpoch })
      }
    }
  })
  await Promise.all(asked)
  return found
}

/** All that a start needs, from the leaders of one moment: an election in between leaves the partition out. */
export async function logBounds(
  asker: LogAsker,
  questions: readonly EpochQuestion[],
  leaderEpochs: LeaderEpochs,
): Promise<ReadonlyMap<string, LogBounds>> {
  const { isolation, startFrom } = asker.options
  const asked = questions.filter(({ leaderEpoch }) => leaderEpoch >= 0)
  const [starts, ends, marks, times, epochs] = await Promise.all([
    listOffsets(asker, questions, earliest, isolation, leaderEpochs),
    listOffsets(asker, questions, latest, isolation, leaderEpochs),
    listOffsets(asker, questions, latest, 'read_uncommitted', leaderEpochs),
    typeof startFrom === 'object' ? listOffsets(asker, questions, startFrom.timestamp, isolation, leaderEpochs) : none,
    epochEnds(asker, asked, leaderEpochs),
  ])
  const bounds = new Map<string, LogBounds>()
  for (const question of questions) {
    const key = partitionKey(question)
    const start = starts.get(key)
    const end = ends.get(key)
    const mark = marks.get(key)
    const epochEnd = epochs.get(key) ?? null
    const isWhole = epochEnd !== null || question.leaderEpoch < 0
    const atTime = times.get(key) ?? null
    if (start && end && mark && isWhole) bounds.set(key, { start, end, highWatermark: mark.offset, atTime, epochEnd })
  }
  return bounds
}

const none: Offsets = new Map()

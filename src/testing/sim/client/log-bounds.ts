/** Asking partition leaders where their logs begin and end. An answer has no entry for what could not be told. */
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { IsolationLevel } from '../cluster/log-messages.ts'
import { partitionKey } from './ownership.ts'
import type { EpochOffset, LogBounds } from './start-position.ts'
import type { LeaderEpochs } from './topics.ts'
import type { Wire } from './wire.ts'

export const LATEST = -1
export const EARLIEST = -2

/** Nothing known: brokers take this for "do not check". */
export const NO_EPOCH = -1

export type Offsets = ReadonlyMap<string, EpochOffset>

export async function listOffsets(
  wire: Wire,
  partitions: readonly TopicPartition[],
  timestamp: typeof LATEST | typeof EARLIEST,
  isolationLevel: IsolationLevel,
  leaderEpochs: LeaderEpochs = new Map(),
): Promise<Offsets> {
  const answer = await wire.ask('ListOffsets', {
    isolationLevel,
    partitions: partitions.map(({ topic, partition }) => ({
      topic,
      partition,
      currentLeaderEpoch: leaderEpochs.get(partitionKey({ topic, partition })) ?? NO_EPOCH,
      timestamp,
    })),
  })
  const good = answer?.partitions.filter(({ errorCode }) => errorCode === 'NONE') ?? []
  return new Map(good.map((each) => [partitionKey(each), { offset: each.offset, leaderEpoch: each.leaderEpoch }]))
}

/** A partition and the leader epoch whose end is asked for. */
export interface EpochQuestion extends TopicPartition {
  readonly leaderEpoch: number
}

export async function epochEnds(
  wire: Wire,
  questions: readonly EpochQuestion[],
  leaderEpochs: LeaderEpochs,
): Promise<Offsets> {
  if (questions.length === 0) return new Map()
  const answer = await wire.ask('OffsetForLeaderEpoch', {
    partitions: questions.map(({ topic, partition, leaderEpoch }) => ({
      topic,
      partition,
      leaderEpoch,
      currentLeaderEpoch: leaderEpochs.get(partitionKey({ topic, partition })) ?? NO_EPOCH,
    })),
  })
  const good = answer?.partitions.filter(({ errorCode }) => errorCode === 'NONE') ?? []
  return new Map(good.map((each) => [partitionKey(each), { offset: each.endOffset, leaderEpoch: each.leaderEpoch }]))
}

/** All that a start needs, from the leaders of one moment: an election in between leaves the partition out. */
export async function logBounds(
  wire: Wire,
  questions: readonly EpochQuestion[],
  leaderEpochs: LeaderEpochs,
): Promise<ReadonlyMap<string, LogBounds>> {
  const { isolation } = wire.options
  const asked = questions.filter(({ leaderEpoch }) => leaderEpoch >= 0)
  const [starts, ends, marks, epochs] = await Promise.all([
    listOffsets(wire, questions, EARLIEST, isolation, leaderEpochs),
    listOffsets(wire, questions, LATEST, isolation, leaderEpochs),
    listOffsets(wire, questions, LATEST, 'read_uncommitted', leaderEpochs),
    epochEnds(wire, asked, leaderEpochs),
  ])
  const bounds = new Map<string, LogBounds>()
  for (const question of questions) {
    const key = partitionKey(question)
    const start = starts.get(key)
    const end = ends.get(key)
    const mark = marks.get(key)
    const epochEnd = epochs.get(key) ?? null
    const isWhole = epochEnd !== null || question.leaderEpoch < 0
    if (start && end && mark && isWhole) bounds.set(key, { start, end, highWatermark: mark.offset, epochEnd })
  }
  return bounds
}

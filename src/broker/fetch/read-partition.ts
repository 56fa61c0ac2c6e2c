/**
 * One partition's part of a fetch: which error, or which batches, up to which offset.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { PartitionData } from '../../protocol/generated/01-fetch.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import type { ReadResult } from '../log/log-reader.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import type { Partition } from '../topics/topic.ts'
import { abortedIn } from './aborted.ts'
import type { FetchTarget } from './sessions.ts'

export interface PartitionRead {
  readonly target: FetchTarget
  readonly partition: Partition | undefined
  readonly data: Input<PartitionData>
  readonly bytes: number
  /** There are more records that could have been read, had there been room. */
  readonly hasMore: boolean
  /** An answer with an error, or one that tells a reader to go back, leaves at once. */
  readonly urgent: boolean
}

export interface ReadWish {
  readonly readCommitted: boolean
  readonly maxBytes: number
}

export function findPartition(broker: Broker, target: FetchTarget, usesIds: boolean): Partition | number {
  const topic = usesIds ? broker.topics.byId(target.topicId) : broker.topics.get(target.topic)
  if (topic === undefined) return usesIds ? errorCodes.UNKNOWN_TOPIC_ID : errorCodes.UNKNOWN_TOPIC_OR_PARTITION
  return topic.partitions[target.partition] ?? errorCodes.UNKNOWN_TOPIC_OR_PARTITION
}

/** A leader epoch in a request says which leader the client believes in. */
export function leaderEpochProblem(wanted: number, current: number): number {
  if (wanted < 0 || wanted === current) return errorCodes.NONE
  return wanted < current ? errorCodes.FENCED_LEADER_EPOCH : errorCodes.UNKNOWN_LEADER_EPOCH
}

export function failed(target: FetchTarget, errorCode: number, partition?: Partition): PartitionRead {
  const data: Input<PartitionData> = {
    partitionIndex: target.partition,
    errorCode,
    highWatermark: -1n,
    lastStableOffset: -1n,
    logStartOffset: -1n,
    abortedTransactions: null,
    records: Buffer.alloc(0),
  }
  return { target, partition, data, bytes: 0, hasMore: false, urgent: true }
}

export function readPartition(
  broker: Broker,
  target: FetchTarget,
  usesIds: boolean,
  wish: ReadWish,
): PartitionRead | Promise<PartitionRead> {
  const partition = findPartition(broker, target, usesIds)
  if (typeof partition === 'number') return failed(target, partition)
  const { log, leaderEpoch } = partition
  const epochProblem = leaderEpochProblem(target.currentLeaderEpoch, leaderEpoch)
  if (epochProblem !== errorCodes.NONE) return failed(target, epochProblem, partition)
  const diverging = divergence(log, target)
  if (diverging !== undefined) {
    const data = { ...positions(log, target), divergingEpoch: diverging, records: Buffer.alloc(0) }
    return { target, partition, data, bytes: 0, hasMore: false, urgent: true }
  }
  if (wish.maxBytes <= 0) return finish(target, partition, wish, nothing(log, target.fetchOffset))
  const upTo = wish.readCommitted ? 'last-stable' : 'high-watermark'
  const result = log.read(target.fetchOffset, Math.min(target.maxBytes, wish.maxBytes), upTo)
  if (result instanceof Promise) return result.then((late) => finish(target, partition, wish, late))
  return finish(target, partition, wish, result)
}

/** The answer is full: this partition only tells its positions, unless it has to tell of an error. */
function nothing({ logStartOffset, logEndOffset }: PartitionLog, nextOffset: number): ReadResult {
  if (nextOffset < logStartOffset || nextOffset > logEndOffset) return { kind: 'out-of-range' }
  return { kind: 'batches', chunks: [], bytes: 0, nextOffset }
}

function finish(target: FetchTarget, partition: Partition, wish: ReadWish, result: ReadResult): PartitionRead {
  if (result.kind === 'out-of-range') return failed(target, errorCodes.OFFSET_OUT_OF_RANGE, partition)
  if (result.kind === 'damaged') throw result.error
  const { log } = partition
  const { bytes, nextOffset } = result
  const aborted = !wish.readCommitted ? null : bytes === 0 ? [] : abortedIn(log, target.fetchOffset, nextOffset)
  const data = { ...positions(log, target), abortedTransactions: aborted, records: result.chunks }
  const end = wish.readCommitted ? log.lastStableOffset : log.highWatermark
  return { target, partition, data, bytes, hasMore: nextOffset < end, urgent: false }
}

function positions(log: PartitionLog, target: FetchTarget): Input<PartitionData> {
  return {
    partitionIndex: target.partition,
    errorCode: errorCodes.NONE,
    highWatermark: BigInt(log.highWatermark),
    lastStableOffset: BigInt(log.lastStableOffset),
    logStartOffset: BigInt(log.logStartOffset),
    abortedTransactions: null,
  }
}

/** The client read its last record under an epoch that ended earlier here: its tail was cut after a crash. */
function divergence(
  log: PartitionLog,
  target: FetchTarget,
): { readonly epoch: number; readonly endOffset: bigint } | undefined {
  if (target.lastFetchedEpoch < 0) return undefined
  const end = log.endOffsetFor(target.lastFetchedEpoch)
  if (end.epoch === target.lastFetchedEpoch && end.endOffset >= target.fetchOffset) return undefined
  if (end.epoch < 0) return undefined
  return { epoch: end.epoch, endOffset: BigInt(end.endOffset) }
}

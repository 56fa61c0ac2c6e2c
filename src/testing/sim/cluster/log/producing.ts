/** Produce: whether a batch may be written, and writing it. */
import type { ErrorCode } from '../errors.ts'
import type { TopicPartitionName } from '../group-messages.ts'
import type { ProducePartition, ProduceRequest, ProduceResponse } from '../log-messages.ts'
import { type PartitionLog, sizeOf } from './partition-log.ts'
import type { Topics } from './topics.ts'

/** Asks the transaction coordinator whether this producer's transaction has this partition. */
export type VerifyPartition = (
  transactionalId: string | null,
  producerId: number,
  producerEpoch: number,
  partition: TopicPartitionName,
) => ErrorCode

export interface ProduceContext {
  readonly topics: Topics
  readonly batchBytesMax: number
  readonly verify: VerifyPartition
  /** Readers may be waiting for it. */
  readonly changed: (log: PartitionLog) => void
}

export function produce(nowMs: number, request: ProduceRequest, context: ProduceContext): ProduceResponse {
  const partitions = request.partitions.map((batch) => {
    const { topic, partition } = batch
    return { topic, partition, ...write(nowMs, request.transactionalId, batch, context) }
  })
  return { kind: 'Produce', partitions }
}

type Written = { readonly errorCode: ErrorCode; readonly baseOffset: number }

function write(
  nowMs: number,
  transactionalId: string | null,
  batch: ProducePartition,
  context: ProduceContext,
): Written {
  const log = context.topics.find(batch)
  if (log === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION')
  const { producerId, producerEpoch } = batch
  if (batch.isTransactional && !log.producers.hasOpenTransaction(producerId, producerEpoch)) {
    // The first batch of a transaction in this partition. Later ones need no question: the log knows it is open.
    log.producers.asked(batch)
    const verified = context.verify(transactionalId, producerId, producerEpoch, batch)
    if (verified !== 'NONE') return refused(producerError(verified))
  }
  if (!batch.isTransactional && log.producers.isOpen(producerId)) {
    throw new Error('not modelled: a plain batch of a producer whose transaction is open')
  }
  if (sizeOf(batch.records) > context.batchBytesMax) return refused('MESSAGE_TOO_LARGE')
  if (producerId >= 0) {
    const verdict = log.producers.judge({ ...batch, count: batch.records.length })
    if (verdict.kind === 'refuse') return refused(verdict.errorCode)
    if (verdict.kind === 'duplicate') return { errorCode: 'NONE', baseOffset: verdict.baseOffset }
  }
  const baseOffset = log.append(nowMs, batch)
  context.changed(log)
  return { errorCode: 'NONE', baseOffset }
}

/** A transaction coordinator that is busy or away is translated into something that old producers retry. */
function producerError(verified: ErrorCode): ErrorCode {
  return verified === 'CONCURRENT_TRANSACTIONS' || verified === 'COORDINATOR_LOAD_IN_PROGRESS'
    ? 'NOT_ENOUGH_REPLICAS'
    : verified
}

function refused(errorCode: ErrorCode): Written {
  return { errorCode, baseOffset: -1 }
}

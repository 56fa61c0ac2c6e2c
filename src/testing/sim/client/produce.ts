/** One Produce request, and what its answers mean. */
import type { ErrorCode } from '../cluster/errors.ts'
import type { ProducedRecord } from '../cluster/log-messages.ts'
import { partitionKey } from './ownership.ts'
import type { ProducerId } from './producer-id.ts'
import type { Wire } from './wire.ts'

export interface OutgoingBatch {
  readonly key: string
  readonly topic: string
  readonly partition: number
  readonly records: readonly ProducedRecord[]
}

/** Answers by partition; null: silence. Numbers are counted on here, for those that are in. */
export async function produce(
  wire: Wire,
  id: ProducerId,
  transactionalId: string | null,
  batches: readonly OutgoingBatch[],
): Promise<ReadonlyMap<string, ErrorCode> | null> {
  const answer = await wire.ask('Produce', {
    transactionalId,
    partitions: batches.map(({ key, topic, partition, records }) => ({
      topic,
      partition,
      producerId: id.producerId,
      producerEpoch: id.producerEpoch,
      baseSequence: id.nextSequence(key),
      isTransactional: transactionalId !== null,
      records,
    })),
  })
  if (answer === null) return null
  const codes = new Map(answer.partitions.map((each) => [partitionKey(each), each.errorCode]))
  for (const { key, records } of batches) if (isStored(codes.get(key))) id.advance(key, records.length)
  return codes
}

/** A duplicate is the echo of a batch whose first answer we did not get. */
export function isStored(code: ErrorCode | undefined): boolean {
  return code === 'NONE' || code === 'DUPLICATE_SEQUENCE_NUMBER'
}

const UNWRITABLE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'])

/** The batch will never be taken as it is. Split it: a single record that is refused is the guilty one. */
export function isUnwritable(code: ErrorCode): boolean {
  return UNWRITABLE.has(code)
}

/**
 * Certainly not written, worth sending again as it is. Kafka also says so when it could not verify with the transaction
 * coordinator, in the middle of its move, that the partition is part of the transaction.
 */
export function isPassingRefusal(code: ErrorCode): boolean {
  return code === 'NOT_ENOUGH_REPLICAS'
}

const FORGOTTEN: ReadonlySet<string> = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
  'UNKNOWN_PRODUCER_ID',
  'PRODUCER_FENCED',
])

/** The broker knows us otherwise than we do: only a new identity helps. */
export function isIdentityLost(code: ErrorCode): boolean {
  return FORGOTTEN.has(code)
}

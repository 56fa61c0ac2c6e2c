/**
 * Transactions as records of the state log, in Kafka's own schema: key = type 0, transactional id; value = version 1,
 * TransactionLogValue. Previous and next producer id are written too (Kafka 4.1 has the fields and leaves them out), or a
 * crash at the last epoch of a producer id would forget which id comes next.
 */
import { FanlaneError } from '../../errors.ts'
import {
  readTransactionLogKey,
  transactionLogKeyType,
  writeTransactionLogKey,
} from '../../protocol/generated/transaction-log-key.ts'
import {
  readTransactionLogValue,
  type TransactionLogValue,
  transactionLogValueVersions,
  writeTransactionLogValue,
} from '../../protocol/generated/transaction-log-value.ts'
import { Reader } from '../../protocol/reader.ts'
import { Writer } from '../../protocol/writer.ts'
import type { StateRecord, TopicPartition } from './ports.ts'
import { keyOf, lastGivenEpoch, none, type Transaction, type TransactionState } from './transaction.ts'

const statuses: Readonly<Record<TransactionState, number>> = {
  Empty: 0,
  Ongoing: 1,
  PrepareCommit: 2,
  PrepareAbort: 3,
  CompleteCommit: 4,
  CompleteAbort: 5,
}

const states: ReadonlyMap<number, TransactionState> = new Map(
  Object.entries(statuses).map(([state, status]) => [status, state as TransactionState]),
)

const valueVersion = transactionLogValueVersions.max

export function encodeTransaction(transaction: Transaction): StateRecord {
  const value = new Writer()
  value.int16(valueVersion)
  const topics = new Map<string, number[]>()
  for (const { topic, partition } of transaction.partitions.values()) {
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [partition])
    else known.push(partition)
  }
  const fields: TransactionLogValue = {
    producerId: BigInt(transaction.producerId),
    previousProducerId: BigInt(transaction.previousProducerId),
    nextProducerId: BigInt(transaction.nextProducerId),
    producerEpoch: transaction.producerEpoch,
    nextProducerEpoch: none,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStatus: statuses[transaction.state],
    transactionPartitions:
      transaction.state === 'Empty' ? null : [...topics].map(([topic, partitionIds]) => ({ topic, partitionIds })),
    transactionLastUpdateTimestampMs: BigInt(transaction.updatedMs),
    transactionStartTimestampMs: BigInt(transaction.startMs),
    clientTransactionVersion: transaction.clientVersion,
  }
  writeTransactionLogValue(value, fields, valueVersion)
  return { key: encodeKey(transaction.transactionalId), value: value.toBuffer() }
}

export function tombstone(transactionalId: string): StateRecord {
  return { key: encodeKey(transactionalId), value: null }
}

function encodeKey(transactionalId: string): Buffer {
  const key = new Writer()
  key.int16(transactionLogKeyType)
  writeTransactionLogKey(key, { transactionalId }, 0)
  return key.toBuffer()
}

/** null: a record of another kind, which a newer version may have left here. */
export function decodeKey(key: Buffer): string | null {
  const reader = new Reader(key)
  return reader.int16() === transactionLogKeyType ? readTransactionLogKey(reader, 0).transactionalId : null
}

export function decodeTransaction(transactionalId: string, bytes: Buffer): Transaction {
  const reader = new Reader(bytes)
  const version = reader.int16()
  if (version < transactionLogValueVersions.min || version > transactionLogValueVersions.max) {
    throw unreadable(transactionalId, `it has version ${version}`)
  }
  const value = readTransactionLogValue(reader, version)
  const state = states.get(value.transactionStatus)
  if (state === undefined) throw unreadable(transactionalId, `its state is ${value.transactionStatus}`)
  const partitions = new Map<string, TopicPartition>()
  for (const { topic, partitionIds } of value.transactionPartitions ?? []) {
    for (const partition of partitionIds) partitions.set(keyOf({ topic, partition }), { topic, partition })
  }
  return {
    transactionalId,
    producerId: Number(value.producerId),
    previousProducerId: Number(value.previousProducerId),
    nextProducerId: Number(value.nextProducerId),
    producerEpoch: value.producerEpoch,
    lastProducerEpoch: lastEpochOf(value, state),
    timeoutMs: value.transactionTimeoutMs,
    state,
    partitions,
    startMs: Number(value.transactionStartTimestampMs),
    updatedMs: Number(value.transactionLastUpdateTimestampMs),
    clientVersion: value.clientTransactionVersion,
  }
}

/**
 * Not in the schema. Where the end of a transaction raised the epoch it can be told; otherwise whoever asked for a raise
 * before the restart, and did not hear the answer, is fenced, as in Kafka.
 */
function lastEpochOf(
  { producerEpoch, clientTransactionVersion }: TransactionLogValue,
  state: TransactionState,
): number {
  if (clientTransactionVersion < 2 || state === 'Empty' || state === 'Ongoing') return none
  return producerEpoch === 0 ? lastGivenEpoch : producerEpoch - 1
}

function unreadable(transactionalId: string, why: string): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_STATE_UNREADABLE',
    `The state of transaction '${transactionalId}' cannot be read: ${why}. A newer version wrote it: use that one.`,
  )
}

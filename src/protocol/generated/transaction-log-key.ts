/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface TransactionLogKey {
  readonly transactionalId: string
}

export function readTransactionLogKey(r: Reader, _version: number): TransactionLogKey {
  const transactionalId = r.string(false)
  return { transactionalId }
}

export function writeTransactionLogKey(w: Writer, value: Input<TransactionLogKey>, _version: number): void {
  w.string(value.transactionalId ?? '', false)
}
export const transactionLogKeyType = 0
export const transactionLogKeyVersions = { min: 0, max: 0 } as const

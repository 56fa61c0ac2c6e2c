/** Small batches. */
import { type BatchFields, encodeBatch } from '../../../src/protocol/record-batch/writer.ts'

export function batchOf(
  values: readonly string[],
  timestampMs: number,
  fields: Omit<BatchFields, 'records'> = {},
): Buffer {
  const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs }))
  return Buffer.from(encodeBatch({ ...fields, records }))
}

/** From what a handler sent to what goes into a batch. */
import type { OutgoingRecord } from '../../../ports/log-client.ts'
import { type Outgoing, sizeOf } from '../../../producer/record.ts'

const fixedBytes = 36

export function outgoingOf(sent: OutgoingRecord, nowMs: number): Outgoing {
  const { topic, partition = null, key, value, timestamp = nowMs } = sent
  const timestampMs = Math.floor(timestamp)
  const cost = fixedBytes + (key?.length ?? 0) + (value?.length ?? 0)
  if (sent.headers.length === 0) return { topic, partition, key, value, timestampMs, cost }
  const headers = sent.headers.map((header) => [header.key, header.value] as const)
  return { topic, partition, key, value, timestampMs, headers, cost: cost + sizeOf(headers) }
}

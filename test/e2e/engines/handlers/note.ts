/**
 * Lines for the ledger of a test (test/wire/support/ledger.ts reads them), written before the call returns. Imports nothing of
 * ours: a worker that is to die soon should start fast.
 */
import { appendFileSync } from 'node:fs'
import { isMainThread, threadName } from 'node:worker_threads'
import type { ConsumedRecord } from '../../../../src/index.ts'

const file = process.env.FANLANE_TEST_LEDGER ?? ''

/** As the log calls it. */
export const member: string = isMainThread ? `process ${process.pid}` : String(threadName).replace('fanlane ', '')

const valueCharsMax = 40

export function note(kind: 'start' | 'end', { topic, partition, offset, key, value }: ConsumedRecord): void {
  const text = value?.toString('utf8', 0, valueCharsMax) ?? null
  const atNs = String(process.hrtime.bigint())
  const entry = { kind, member, topic, partition, offset, key: key?.toString() ?? null, value: text, atNs }
  appendFileSync(file, `${JSON.stringify(entry)}\n`)
}

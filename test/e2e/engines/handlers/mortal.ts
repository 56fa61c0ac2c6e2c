/** A handler in workers that die: of their own, after some records, in the middle of others (threads), or when they are killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'
import type { ConsumedRecord, HandlerContext } from '../../../../src/index.ts'
import { note } from './note.ts'

let left = isMainThread ? Number.POSITIVE_INFINITY : 20 + Math.floor(Math.random() * 150)

const out = process.env.FANLANE_TEST_OUT ?? ''

export default async function handle(record: ConsumedRecord, context: HandlerContext): Promise<void> {
  note('start', record)
  if (--left === 0) setTimeout(() => process.exit(1), Math.random() * 10)
  // Some wait, some do not: a death finds both.
  if (record.offset % 3 > 0) await sleep(Math.random() * 4)
  if (out !== '') await context.send({ topic: out, key: record.key, value: `${record.partition}@${record.offset}` })
  note('end', record)
}

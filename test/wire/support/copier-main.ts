/** An exactly-once consumer in a process of its own that copies one topic to another, until it is told to stop or is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../../src/consume.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'

export interface CopierSpec extends Pick<ConsumeOptions, 'brokers' | 'group' | 'client' | 'transactionalId'> {
  readonly from: string
  readonly to: string
}

const { from, to, ...options } = JSON.parse(process.argv[2] ?? '') as CopierSpec
const quiet = (): void => undefined
let done = 0

const consumer = await consume({
  ...options,
  topics: [from],
  delivery: 'exactly-once',
  commit: { everyMs: 30 },
  retry: { initialMs: 1, maxMs: 5 },
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  handle: async ({ key, value, offset }, ctx) => {
    await ctx.send({ topic: to, key, value })
    await sleep(offset % 5)
    if (offset % 11 === 0 && ctx.attempt === 1) throw new Error('what this attempt has sent must never be seen')
    process.send?.(++done)
  },
})
process.on('message', () => {
  consumer.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
process.on('disconnect', () => process.exit(1))

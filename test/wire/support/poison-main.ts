/** A consumer with `onExhausted: 'log'` in a process of its own, so that its stdout is its own; says what happens over IPC. */
import { consume } from '../../../src/consume.ts'
import type { RecordFailure } from '../../../src/consumer/events.ts'
import { PermanentError } from '../../../src/errors.ts'

export interface PoisonSpec {
  readonly brokers: readonly string[]
  readonly group: string
  readonly topic: string
}

export interface PoisonNews {
  readonly kind: 'dead-letter' | 'dead-letter-retry'
  readonly offset: number
  readonly code: string
}

const { brokers, group, topic } = JSON.parse(process.argv[2] ?? '') as PoisonSpec
const quiet = (): void => undefined

const consumer = await consume({
  brokers,
  group,
  topics: [topic],
  onExhausted: 'log',
  client: { sessionTimeoutMs: 1_000, heartbeatMs: 200 },
  commit: { everyMs: 50 },
  retry: { initialMs: 20, maxMs: 200 },
  logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  handle: ({ key }) => {
    if (String(key) === 'poison') throw new PermanentError('password=hunter2 was refused', { code: 'REFUSED' })
  },
})
const tell =
  (kind: PoisonNews['kind']) =>
  ({ work, error }: RecordFailure): void => {
    const news: PoisonNews = { kind, offset: work.offset, code: String((error as { code?: unknown }).code) }
    process.send?.(news)
  }
consumer.on('dead-letter', tell('dead-letter'))
consumer.on('dead-letter-retry', tell('dead-letter-retry'))
process.on('disconnect', () => process.exit(0))

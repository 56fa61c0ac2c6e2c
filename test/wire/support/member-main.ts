/** A consumer in a process of its own, told what to do by its one argument; says what happens to it over IPC. */
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../../src/consume.ts'
import type { ConsumeOptions } from '../../../src/consumer/options.ts'
import { appendTo } from './ledger.ts'

export interface MemberSpec {
  readonly member: string
  readonly ledgerFile: string
  /** Records with these values do not end until 'release' comes. */
  readonly hold?: readonly string[]
  readonly workMs?: number
  /** The record with this value stops the event loop for so long. */
  readonly block?: { readonly value: string; readonly ms: number }
  readonly options: Pick<
    ConsumeOptions,
    'brokers' | 'group' | 'topics' | 'client' | 'commit' | 'delivery' | 'drainMs' | 'closeMs' | 'concurrency'
  >
}

interface Moved {
  readonly partitions: readonly string[]
}

interface Failed {
  readonly code: string
  readonly message: string
}

export type MemberNews =
  | ({ readonly kind: 'assigned' } & Moved)
  | ({ readonly kind: 'revoked' } & Moved)
  | ({ readonly kind: 'failed' } & Failed)
  | ({ readonly kind: 'commit-failed' } & Failed)
  | { readonly kind: 'started' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'commit-done' }
  | { readonly kind: 'warned'; readonly message: string; readonly fields: string }

export type MemberOrder = 'release' | 'commit' | 'close' | 'leave'

if (process.send === undefined) throw new Error('this is started by a test')

const { member, ledgerFile, hold = [], workMs = 0, block, options } = JSON.parse(process.argv[2] ?? '') as MemberSpec
const tell = (news: MemberNews): void => {
  process.send?.(news)
}
const { promise: released, resolve: release } = Promise.withResolvers<void>()
const name = ({ topic, partition }: { topic: string; partition: number }): string => `${topic}-${partition}`
const quiet = (): void => undefined
/** What a handler with a long calculation does to everybody else in the process. */
const standStill = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}
const say =
  (level: string) =>
  (fields: object, message = ''): void =>
    tell({ kind: 'warned', message: `${level}: ${message}`, fields: String(JSON.stringify(fields)) })

const consumer = await consume({
  logger: { debug: quiet, info: say('info'), warn: say('warn'), error: say('error') },
  commit: { everyMs: 50 },
  closeMs: 5_000,
  ...options,
  handle: async (record) => {
    appendTo(ledgerFile, 'start', member, record)
    if (workMs > 0) await sleep(workMs)
    if (block?.value === String(record.value)) standStill(block.ms)
    if (hold.includes(String(record.value))) await released
    appendTo(ledgerFile, 'end', member, record)
  },
})
const failure = (error: unknown): Failed => {
  const { code, message } = error as { code?: string; message?: string }
  return { code: String(code), message: String(message) }
}
consumer.on('assigned', (partitions) => tell({ kind: 'assigned', partitions: partitions.map(name) }))
consumer.on('revoked', (partitions) => tell({ kind: 'revoked', partitions: partitions.map(name) }))
consumer.closed.then(
  () => tell({ kind: 'closed' }),
  (error) => tell({ kind: 'failed', ...failure(error) }),
)
tell({ kind: 'started' })

process.on('message', (order: MemberOrder) => {
  if (order === 'release') release()
  else if (order === 'commit') {
    consumer.commit().then(
      () => tell({ kind: 'commit-done' }),
      (error) => tell({ kind: 'commit-failed', ...failure(error) }),
    )
  } else {
    const closing = order === 'leave' ? consumer.close({ leave: true }) : consumer.close()
    closing.then(
      () => process.disconnect(),
      () => process.disconnect(),
    )
  }
})

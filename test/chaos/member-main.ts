/**
 * A consumer under test in a process of its own. It writes down what the consumer says, decides nothing, and ends when it is
 * told to: or never, and is killed.
 */
import { type ConsumeOptions, consume } from '../../src/index.ts'
import type { Logger } from '../../src/ports/logger.ts'
import { type HandlerSpec, specVariable } from './handler-spec.ts'

export interface MemberSpec {
  readonly handler: HandlerSpec
  readonly options: Pick<
    ConsumeOptions,
    | 'brokers'
    | 'group'
    | 'topics'
    | 'delivery'
    | 'concurrency'
    | 'limits'
    | 'commit'
    | 'retry'
    | 'client'
    | 'drainMs'
    | 'closeMs'
  >
}

export type MemberNews = { readonly kind: 'started' } | { readonly kind: 'stopped'; readonly why: string }

/** `tell`: what it is doing, to its log. */
export type MemberOrder = 'close' | 'tell'

if (process.send === undefined) throw new Error('this is started by the chaos run')
// A run that was killed leaves nobody behind: neither now, nor while we start.
process.once('disconnect', () => process.exit(1))
if (!process.connected) process.exit(1)

const { handler, options } = JSON.parse(process.argv[2] ?? '') as MemberSpec
const { member, engine } = handler
// Workers have no other way to know.
process.env[specVariable] = JSON.stringify(handler)
const { default: handle, ledger } = await import('./member-handler.ts')

const tell = (news: MemberNews): void => {
  process.send?.(news)
}
/**
 * We hear of it before the consumer has acted on it: what it starts until then belongs to the old leases. Two turns later it
 * has; the new leases start nothing before two answers of the broker.
 */
const renewed = (): void => ledger.write({ kind: 'renewed' })
const say =
  (level: string) =>
  (fields: object, message = ''): void => {
    process.stderr.write(`${new Date().toISOString()} ${member} ${level} ${message} ${wordsOf(fields)}\n`)
    const { outcome } = fields as { readonly outcome?: { readonly kind?: unknown } }
    if (message === 'transaction did not commit' && outcome?.kind === 'unknown') setImmediate(setImmediate, renewed)
  }
const logger: Logger = { debug: () => undefined, info: say('info'), warn: say('warn'), error: say('error') }

function wordsOf(fields: object): string {
  return JSON.stringify(fields, (_, value: unknown) => {
    if (value instanceof Error) return { message: value.message, code: (value as { code?: unknown }).code }
    return typeof value === 'bigint' ? String(value) : value
  })
}

const running =
  engine === 'async'
    ? { handle }
    : { engine: { kind: engine, workers: 2 }, handler: new URL('./member-handler.ts', import.meta.url) }
const consumer = await consume({ ...options, ...running, logger })
const indexes = (list: readonly { readonly partition: number }[]): number[] => list.map(({ partition }) => partition)
consumer.on('assigned', (list) => ledger.write({ kind: 'assigned', partitions: indexes(list) }))
consumer.on('revoked', (list) => ledger.write({ kind: 'revoked', partitions: indexes(list) }))
consumer.on('dead-letter', ({ work: { partition, offset } }) => ledger.write({ kind: 'letter', partition, offset }))
consumer.on('committed', (entries) => {
  for (const { partition, position, metadata } of entries) {
    ledger.write({ kind: 'committed', partition, position, metadata })
  }
})
consumer.closed.catch((error: unknown) => {
  const why = `${(error as { code?: unknown }).code} ${(error as Error).message}`
  ledger.write({ kind: 'stopped', why })
  tell({ kind: 'stopped', why })
})
tell({ kind: 'started' })

process.on('message', (order: MemberOrder) => {
  if (order === 'tell') return say('info')(consumer.snapshot(), 'snapshot')
  const over = (why: string): void => {
    ledger.write({ kind: 'closed', why })
    process.exit(0)
  }
  consumer.close().then(
    () => over('told to'),
    (error: unknown) => over(String(error)),
  )
})

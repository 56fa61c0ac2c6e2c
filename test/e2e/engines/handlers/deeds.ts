/**
 * A handler that does what its record says, and keeps a ledger that outlives it. The value is `deed` or `deed argument`.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PermanentError, RetryableError } from '../../../../src/errors.ts'
import type { ConsumedRecord, HandlerContext } from '../../../../src/index.ts'
import { note } from './note.ts'

class OwnError extends Error {
  override readonly name = 'OwnError'
  readonly code = 'E_OWN'
  readonly detail = { deep: [1, 2n] }
  readonly call = (): void => undefined
}

const never = new Promise(() => undefined)

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const deeds: Readonly<Record<string, (context: HandlerContext, argument: string) => unknown>> = {
  ok: () => undefined,
  slow: () => sleep(100),
  exit: () => process.exit(7),
  exitOnce: ({ attempt }) => (attempt === 1 ? process.exit(7) : undefined),
  kill: () => process.kill(process.pid, 'SIGKILL') && never,
  stray: () => {
    setImmediate(() => {
      throw new RangeError('nobody catches this')
    })
    return never
  },
  rejected: () => {
    void Promise.reject(new RangeError('nobody catches this'))
    return never
  },
  memory: () => {
    const kept: number[][] = []
    for (;;) kept.push(new Array(100_000).fill(kept.length))
  },
  block: () => {
    for (;;) pause(1_000)
  },
  hold: (_, argument) => {
    while (!existsSync(argument)) pause(5)
  },
  wait: async ({ signal }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
  deaf: () => never,
  log: (context) => {
    for (const line of [1, 2, 3]) context.log.info({ line, error: new TypeError('logged') }, `line ${line}`)
  },
  send: async (context, argument) => {
    const { attempt } = context
    await context.send({ topic: 'out', key: 'k', value: `${argument} ${attempt}`, headers: { source: 'worker' } })
  },
  defer: (context) => {
    const later = context.defer()
    setTimeout(() => later.done(), 20)
  },
  deferFail: (context) => {
    const later = context.defer()
    setTimeout(() => later.fail(new PermanentError('later, but no')), 20)
  },
  deferExit: (context) => {
    context.defer()
    setTimeout(() => process.exit(3), 20)
  },
  permanent: () => {
    throw new PermanentError('never again', { code: 'E_PERMANENT', cause: new TypeError('the cause') })
  },
  retryable: ({ attempt }) => {
    if (attempt < 3) throw new RetryableError('once more', { retryAfterMs: 1 })
  },
  own: () => {
    throw new OwnError('mine')
  },
  text: () => {
    // biome-ignore lint/style/useThrowOnlyError: users throw all kinds of things
    throw 'only text'
  },
}

export default async function handle(record: ConsumedRecord, context: HandlerContext): Promise<void> {
  const [deed = '', argument = ''] = String(record.value).split(' ')
  note('start', record)
  const does = deeds[deed] ?? deeds.ok
  await does?.(context, argument)
  note('end', record)
}

/** The same for batches: whoever is in one with a killer dies with it. */
export async function handleBatch(records: readonly ConsumedRecord[]): Promise<void> {
  for (const record of records) note('start', record)
  for (const record of records) if (String(record.value) === 'exit') process.exit(7)
  for (const record of records) note('end', record)
}

/**
 * The options of `consume()`: types, defaults, and the checks. Every wrong, unknown or contradictory option is refused
 * before anything is started, with a code and what to write instead.
 */
import type { MemoryLog } from '../clients/memory/memory-log.ts'
import type { BatchHandler, Codec, ConsumedRecord, Handler } from '../engines/handler.ts'
import { OptionError } from '../errors.ts'
import type { KernelOptions } from '../kernel/options.ts'
import type { Engine } from '../ports/engine.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'

export interface ConsumeOptions<Key = Buffer, Value = Buffer> {
  /** Where records come from: a log in memory. */
  readonly log?: MemoryLog
  readonly group: string
  readonly topics: readonly (string | RegExp)[]
  readonly order?: 'key' | 'partition' | 'none'
  /** Records without a key: without order (default), or one after the other within their partition. */
  readonly nullKeys?: 'unordered' | 'ordered'
  readonly delivery?: 'at-most-once' | 'at-least-once' | 'exactly-once'
  readonly concurrency?: number | { readonly min: number; readonly max: number }
  readonly engine?: 'async' | Engine
  readonly keyOf?: (record: ConsumedRecord<Key, Value>) => string | Buffer | null
  readonly decode?: { readonly key?: Codec<Key>; readonly value?: Codec<Value> }
  readonly startFrom?: 'earliest' | 'latest' | 'fail' | { readonly timestamp: number }
  readonly limits?: {
    readonly records?: number
    readonly bytes?: number
    readonly pauseAt?: number
    readonly resumeAt?: number
  }
  readonly scheduling?: { readonly blockingBurst?: number }
  readonly output?: 'finished' | 'input'
  readonly handlerTimeoutMs?: number
  readonly retry?: {
    readonly attempts?: number
    readonly initialMs?: number
    readonly factor?: number
    readonly maxMs?: number
    readonly jitter?: number
    readonly isPermanent?: (error: unknown) => boolean
  }
  readonly onExhausted?: 'dead-letter' | 'skip' | 'stop' | ((record: RawRecord, error: unknown) => Promise<void>)
  readonly deadLetter?: { readonly topic?: (record: RawRecord) => string }
  readonly commit?:
    | 'manual'
    | { readonly everyMs?: number; readonly everyRecords?: number; readonly mapMaxChars?: number }
  readonly drainMs?: number
  readonly closeMs?: number
  readonly logger?: Logger
  readonly signal?: AbortSignal
  readonly handle?: Handler<Key, Value>
  readonly handleBatch?: BatchHandler<Key, Value>
  readonly batch?: {
    readonly max?: number
    readonly min?: number
    readonly lingerMs?: number
    readonly by?: 'key' | 'any'
  }
}

type Check = (value: unknown) => string | null

const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a non-empty string')
const fn: Check = (value) => (typeof value === 'function' ? null : 'a function')
const object: Check = (value) => (typeof value === 'object' && value !== null ? null : 'an object')
const oneOf = (...values: readonly string[]): Check => (value) =>
  values.includes(value as string) ? null : values.map((each) => `'${each}'`).join(' or ')
const number =
  (min: number, max: number, whole = true): Check =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max && (!whole || Number.isSafeInteger(value) || value === max)
      ? null
      : `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
const either =
  (...checks: readonly Check[]): Check =>
  (value) => {
    const wanted = checks.map((check) => check(value))
    return wanted.includes(null) ? null : wanted.join(', or ')
  }
/** An object with these keys and no others. */
const shape =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return `{ ${Object.keys(checks).join(', ')} }`
    for (const [name, each] of Object.entries(value)) {
      if (!Object.hasOwn(checks, name)) return `only the keys ${Object.keys(checks).join(', ')} (there is '${name}')`
      const wanted = each === undefined ? null : (checks[name] as Check)(each)
      if (wanted !== null) return `'${name}' to be ${wanted}`
    }
    return null
  }

const WEEK_MS = 7 * 24 * 3_600_000
const topics: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((topic) => text(topic) === null || topic instanceof RegExp)
    ? null
    : 'a list of topic names or patterns with at least one entry'

const CHECKS: Readonly<Record<string, Check>> = {
  log: object,
  group: text,
  topics,
  order: oneOf('key', 'partition', 'none'),
  nullKeys: oneOf('unordered', 'ordered'),
  delivery: oneOf('at-most-once', 'at-least-once', 'exactly-once'),
  concurrency: either(number(1, 1_000_000), shape({ min: number(1, 1_000_000), max: number(1, 1_000_000) })),
  engine: either(oneOf('async'), object),
  keyOf: fn,
  decode: shape({ key: object, value: object }),
  startFrom: either(oneOf('earliest', 'latest', 'fail'), shape({ timestamp: number(0, Number.MAX_SAFE_INTEGER) })),
  limits: shape({
    records: number(1, 10_000_000),
    bytes: number(1, Number.MAX_SAFE_INTEGER),
    pauseAt: number(0.01, 1, false),
    resumeAt: number(0, 1, false),
  }),
  scheduling: shape({ blockingBurst: number(1, 1_000_000) }),
  output: oneOf('finished', 'input'),
  handlerTimeoutMs: number(1, WEEK_MS),
  retry: shape({
    attempts: number(1, Number.POSITIVE_INFINITY),
    initialMs: number(0, WEEK_MS),
    factor: number(1, 100, false),
    maxMs: number(0, WEEK_MS),
    jitter: number(0, 1, false),
    isPermanent: fn,
  }),
  onExhausted: either(oneOf('dead-letter', 'skip', 'stop'), fn),
  deadLetter: shape({ topic: fn }),
  commit: either(
    oneOf('manual'),
    shape({ everyMs: number(1, WEEK_MS), everyRecords: number(1, Number.MAX_SAFE_INTEGER), mapMaxChars: number(0, 1_000_000) }),
  ),
  drainMs: number(0, WEEK_MS),
  closeMs: number(0, WEEK_MS),
  logger: shape({ debug: fn, info: fn, warn: fn, error: fn, child: fn }),
  signal: object,
  handle: fn,
  handleBatch: fn,
  batch: shape({ max: number(1, 1_000_000), min: number(1, 1_000_000), lingerMs: number(0, WEEK_MS), by: oneOf('key', 'any') }),
}

/** A logger may have more methods than we use. */
const OPEN_SHAPES: ReadonlySet<string> = new Set(['logger'])

function refuse(code: string, option: string, message: string): never {
  throw new OptionError(code, option, message)
}

export function checkOptions(options: unknown): asserts options is ConsumeOptions<unknown, unknown> {
  if (typeof options !== 'object' || options === null) {
    refuse('OPTION_INVALID', '', 'consume() takes an object: consume({ group, topics, handle }).')
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(CHECKS, name)) refuse('OPTION_UNKNOWN', name, `Unknown option '${name}'. ${nearest(name)}`)
    if (value === undefined || OPEN_SHAPES.has(name)) continue
    const wanted = (CHECKS[name] as Check)(value)
    if (wanted !== null) refuse('OPTION_INVALID', name, `Option '${name}' must be ${wanted}; it is ${shown(value)}.`)
  }
  for (const name of ['group', 'topics'] as const) {
    if ((options as Record<string, unknown>)[name] === undefined) {
      refuse('OPTION_MISSING', name, `Option '${name}' is needed: consume({ group: 'billing', topics: ['orders'], handle }).`)
    }
  }
  checkContradictions(options as ConsumeOptions<unknown, unknown>)
}

function checkContradictions(options: ConsumeOptions<unknown, unknown>): void {
  const { handle, handleBatch, engine, delivery, retry, limits, concurrency, batch, deadLetter, onExhausted } = options
  const contradiction = (option: string, message: string): never => refuse('OPTION_CONTRADICTION', option, message)
  if (handle !== undefined && handleBatch !== undefined) contradiction('handleBatch', "Give 'handle' or 'handleBatch', not both.")
  if (handle === undefined && handleBatch === undefined && typeof engine !== 'object') {
    refuse('OPTION_MISSING', 'handle', "Option 'handle' is needed: handle: async (record, ctx) => { … }.")
  }
  if (batch !== undefined && handleBatch === undefined) contradiction('batch', "'batch' is for 'handleBatch'; 'handle' takes one record.")
  if (batch?.min !== undefined && batch.min > (batch.max ?? DEFAULT_BATCH.max)) {
    contradiction('batch', `batch.min (${batch.min}) is above batch.max (${batch.max ?? DEFAULT_BATCH.max}).`)
  }
  if (delivery === 'at-most-once' && (retry?.attempts ?? 1) > 1) {
    contradiction('retry', 'at-most-once means one attempt: remove retry.attempts, or choose at-least-once.')
  }
  if (delivery === 'exactly-once' && options.commit === 'manual') {
    contradiction('commit', 'exactly-once commits offsets with its transactions: remove commit: manual.')
  }
  if (delivery === 'at-most-once' && options.commit === 'manual') {
    contradiction('commit', 'at-most-once commits before it runs: remove commit: manual.')
  }
  if (limits !== undefined && (limits.resumeAt ?? 0.7) > (limits.pauseAt ?? 1)) {
    contradiction('limits', 'limits.resumeAt must not be above limits.pauseAt, or fetching would never pause.')
  }
  if (typeof concurrency === 'object' && concurrency.min > concurrency.max) {
    contradiction('concurrency', `concurrency.min (${concurrency.min}) is above concurrency.max (${concurrency.max}).`)
  }
  if (deadLetter !== undefined && onExhausted !== undefined && onExhausted !== 'dead-letter') {
    contradiction('deadLetter', "'deadLetter' needs onExhausted: 'dead-letter'.")
  }
}

const DEFAULT_BATCH = { max: 100, min: 1, lingerMs: 5, by: 'key' } as const

export function toKernelOptions(options: ConsumeOptions<unknown, unknown>): KernelOptions {
  const delivery = options.delivery ?? 'at-least-once'
  const concurrency = options.concurrency ?? 100
  const commit = options.commit ?? {}
  const exactlyOnce = delivery === 'exactly-once'
  const onExhausted = options.onExhausted ?? 'dead-letter'
  return {
    order: options.order ?? 'key',
    delivery,
    output: options.output ?? 'finished',
    nullKeys: options.nullKeys ?? 'unordered',
    concurrency: typeof concurrency === 'number' ? { min: concurrency, max: concurrency } : concurrency,
    limits: {
      records: options.limits?.records ?? 2_000,
      bytes: options.limits?.bytes ?? 64 * 2 ** 20,
      pauseAt: options.limits?.pauseAt ?? 1,
      resumeAt: options.limits?.resumeAt ?? Math.min(0.7, options.limits?.pauseAt ?? 1),
    },
    blockingBurst: options.scheduling?.blockingBurst ?? 8,
    retry: {
      attempts: delivery === 'at-most-once' ? 1 : (options.retry?.attempts ?? 5),
      initialMs: options.retry?.initialMs ?? 100,
      factor: options.retry?.factor ?? 2,
      maxMs: options.retry?.maxMs ?? 30_000,
      jitter: options.retry?.jitter ?? 0.2,
    },
    onExhausted: onExhausted === 'skip' || onExhausted === 'stop' ? onExhausted : 'handle',
    commit: {
      manual: commit === 'manual',
      // A reader of the output waits for the transaction to end: commit more often there.
      everyMs: (commit === 'manual' ? undefined : commit.everyMs) ?? (exactlyOnce ? 100 : 1_000),
      everyRecords: (commit === 'manual' ? undefined : commit.everyRecords) ?? 10_000,
      mapMaxChars: (commit === 'manual' ? undefined : commit.mapMaxChars) ?? 4_000,
      lateMs: 30_000,
      finalMs: 5_000,
    },
    batch: options.handleBatch === undefined ? null : { ...DEFAULT_BATCH, ...options.batch },
    handlerTimeoutMs: options.handlerTimeoutMs ?? null,
    drainMs: options.drainMs ?? 10_000,
  }
}

function nearest(name: string): string {
  const known = Object.keys(CHECKS)
  const close = known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? known.find((each) => distance(each, name) <= 2)
  return close === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean '${close}'?`
}

/** Edits between two words, for suggestions. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? `a list of ${value.length}` : 'an object'
  return String(value)
}

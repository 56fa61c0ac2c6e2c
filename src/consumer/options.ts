/**
 * The options of `consume()` and their checks. Every wrong, unknown or contradictory option is refused before anything
 * is started, with a code and what to write instead.
 */
import { inspect } from 'node:util'
import type { MemoryLog } from '../clients/memory/memory-log.ts'
import type { ClientOptions } from '../clients/native/client-options.ts'
import type { DashboardOptions } from '../dashboard/server.ts'
import type { BatchHandler, Codec, ConsumedRecord, Handler } from '../engines/handler.ts'
import { OptionError } from '../errors.ts'
import type { DedupStore } from '../ports/dedup.ts'
import type { Engine } from '../ports/engine.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Logger } from '../ports/logger.ts'
import type { Conventions } from '../telemetry/conventions.ts'
import type { MetricsTarget } from '../telemetry/telemetry.ts'
import type { OtelTracerProvider } from '../telemetry/tracing.ts'
import type { DedupOptions } from './dedup.ts'
import { checkHandlers, type WorkerEngineOptions } from './engine-options.ts'
import { DEFAULT_BATCH, marksOf } from './kernel-options.ts'
import { nearest } from './nearest.ts'
import type { Check } from './option-checks.ts'
import { CHECKS } from './option-table.ts'

export interface ConsumeOptions<Key = Buffer, Value = Buffer> {
  /** Where Kafka is: `'host:9092'`, several with commas or as a list. Default KAFKA_BROKERS, else an embedded broker. */
  readonly brokers?: string | readonly string[]
  /** Instead of brokers: a log in memory. */
  readonly log?: MemoryLog
  readonly group?: string
  /** Names and patterns. Patterns leave out internal topics and dead-letter topics. */
  readonly topics?: readonly (string | RegExp)[]
  /** Instead of topics: these partitions and no others, without a membership. With `group`, offsets are kept there. */
  readonly partitions?: readonly { readonly topic: string; readonly partition: number; readonly offset?: number }[]
  readonly order?: 'key' | 'partition' | 'none'
  /** Records without a key: without order (default), or one after the other within their partition. */
  readonly nullKeys?: 'unordered' | 'ordered'
  readonly delivery?: 'at-most-once' | 'at-least-once' | 'exactly-once'
  readonly concurrency?: number | { readonly min: number; readonly max: number }
  /** Where handlers run. An engine of your own runs its own handlers, on raw records: no `handle`, no `handleBatch`. */
  readonly engine?: 'async' | 'threads' | 'processes' | WorkerEngineOptions | Engine
  /** The module with the handler (its default export; with `batch`, its `handleBatch`): needed for threads and processes. */
  readonly handler?: URL | string
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
  /** One knob for fetching and producing: sooner, or more at once. */
  readonly tune?: 'latency' | 'throughput'
  readonly isolation?: 'read_committed' | 'read_uncommitted'
  /** Exactly-once. Default: generated, unique to the process. */
  readonly transactionalId?: string
  /** For the Kafka client: TLS, SASL, static membership, assignors, time-outs. */
  readonly client?: ClientOptions
  readonly handlerTimeoutMs?: number
  readonly retry?: {
    readonly attempts?: number
    readonly initialMs?: number
    readonly factor?: number
    readonly maxMs?: number
    readonly jitter?: number
    readonly isPermanent?: (error: unknown) => boolean
  }
  readonly onExhausted?:
    | 'dead-letter'
    | 'log'
    | 'skip'
    | 'stop'
    | ((record: RawRecord, error: unknown) => Promise<void>)
  readonly deadLetter?: {
    readonly topic?: (record: RawRecord) => string
    /** Make the topic if there is none, with as many partitions as that of the record. Default: yes. */
    readonly create?: boolean
    /** For `onExhausted: 'log'`: longer lines are split. Default 16,000. */
    readonly lineMaxBytes?: number
  }
  /** So many records of one key fail for good, one after the other: the key is parked until `consumer.resume({ … key })`. */
  readonly breaker?: { readonly poisons: number }
  readonly commit?:
    | 'manual'
    | { readonly everyMs?: number; readonly everyRecords?: number; readonly mapMaxChars?: number }
  readonly drainMs?: number
  readonly closeMs?: number
  /** Remembers what is done, so that it is not done twice: a store, or a store and what counts as the same. */
  readonly dedup?: DedupStore | DedupOptions<Key, Value>
  readonly logger?: Logger
  /** Where metrics go: a Registry of prom-client, or a MeterProvider of OpenTelemetry. */
  readonly metrics?: MetricsTarget
  /** A TracerProvider of OpenTelemetry: every call of the handler is a span, linked to the one that produced the record. */
  readonly tracing?: OtelTracerProvider
  /** Names of attributes in OpenTelemetry: the messaging conventions as they are (default), as they were, or both. */
  readonly conventions?: Conventions
  /** The same record holds a partition back for longer: event `stalled`, once for each. Default one minute. */
  readonly stalledAfterMs?: number
  /** Health, metrics and pages over HTTP, for as long as the consumer lives. */
  readonly dashboard?: DashboardOptions
  readonly signal?: AbortSignal
  readonly handle?: Handler<Key, Value>
  readonly handleBatch?: BatchHandler<Key, Value>
  /** For `handleBatch`, or for an engine of your own that has `submitBatches`. */
  readonly batch?: {
    readonly max?: number
    readonly min?: number
    readonly lingerMs?: number
    readonly by?: 'key' | 'any'
  }
}

const SHOWN_MAX_CHARS = 80

function refuse(code: string, option: string, message: string): never {
  throw new OptionError(code, option, message)
}

export function checkOptions(options: unknown): asserts options is ConsumeOptions<unknown, unknown> {
  if (typeof options !== 'object' || options === null) {
    refuse(
      'OPTION_INVALID',
      '',
      `consume() takes an object, not ${shown(options)}: consume({ group, topics, handle }).`,
    )
  }
  const given = options as Readonly<Record<string, unknown>>
  // Inherited ones too: what is read later must have been checked.
  for (const name in given) checkOption(name, given[name])
  for (const name of given.partitions === undefined ? ['group', 'topics'] : []) {
    if (given[name] !== undefined) continue
    refuse(
      'OPTION_MISSING',
      name,
      `Option '${name}' is needed: consume({ group: 'billing', topics: ['orders'], handle }).`,
    )
  }
  checkContradictions(options as ConsumeOptions<unknown, unknown>)
}

function checkOption(name: string, value: unknown): void {
  if (!Object.hasOwn(CHECKS, name)) refuse('OPTION_UNKNOWN', name, `Unknown option '${name}'. ${hint(name)}`)
  if (value === undefined) return
  const wanted = (CHECKS[name] as Check)(value)
  if (wanted !== null) refuse('OPTION_INVALID', name, `Option '${name}' must be ${wanted}; it is ${shown(value)}.`)
}

function hint(name: string): string {
  const known = Object.keys(CHECKS)
  const close = nearest(name, known)
  return close === null ? `Known options: ${known.join(', ')}.` : `Did you mean '${close}'?`
}

function checkContradictions(options: ConsumeOptions<unknown, unknown>): void {
  checkHandlers(options)
  checkSource(options)
  const { delivery, retry, limits, concurrency, batch, deadLetter, onExhausted } = options
  const contradiction = (option: string, message: string): never => refuse('OPTION_CONTRADICTION', option, message)
  if (batch?.min !== undefined && batch.min > (batch.max ?? DEFAULT_BATCH.max)) {
    contradiction('batch', `batch.min (${batch.min}) is above batch.max (${batch.max ?? DEFAULT_BATCH.max}).`)
  }
  if (delivery === 'at-most-once' && (retry?.attempts ?? 1) > 1) {
    contradiction('retry', 'at-most-once means one attempt: remove retry.attempts, or choose at-least-once.')
  }
  if (delivery === 'exactly-once' && options.commit === 'manual') {
    contradiction('commit', "exactly-once commits offsets with its transactions: remove commit: 'manual'.")
  }
  if (delivery === 'at-most-once' && options.commit === 'manual') {
    contradiction('commit', "at-most-once commits before it runs: remove commit: 'manual'.")
  }
  if (options.dedup !== undefined && delivery === 'exactly-once') {
    contradiction('dedup', "exactly-once needs no dedup store, and no store can join its transactions: remove 'dedup'.")
  }
  if (options.dedup !== undefined && delivery === 'at-most-once') {
    contradiction('dedup', "at-most-once runs nothing twice: remove 'dedup', or choose at-least-once.")
  }
  const { pauseAt, resumeAt } = marksOf(options)
  if (limits !== undefined && resumeAt > pauseAt) {
    const message = `limits.resumeAt (${resumeAt}) is above limits.pauseAt (${pauseAt}): fetching would resume above the mark at which it pauses.`
    contradiction('limits', `${message} Lower resumeAt, or leave it out.`)
  }
  if (typeof concurrency === 'object' && concurrency.min > concurrency.max) {
    contradiction('concurrency', `concurrency.min (${concurrency.min}) is above concurrency.max (${concurrency.max}).`)
  }
  const isLetter = onExhausted === undefined || onExhausted === 'dead-letter' || onExhausted === 'log'
  if (deadLetter !== undefined && !isLetter) {
    contradiction('deadLetter', "'deadLetter' needs onExhausted: 'dead-letter' or 'log': remove one of the two.")
  }
  if (onExhausted === 'log' && (deadLetter?.topic ?? deadLetter?.create) !== undefined) {
    contradiction('deadLetter', "With onExhausted: 'log' the lines have no topic: remove deadLetter.topic and .create.")
  }
  if (onExhausted !== 'log' && deadLetter?.lineMaxBytes !== undefined) {
    contradiction('deadLetter', "deadLetter.lineMaxBytes is for onExhausted: 'log': remove it, or choose that.")
  }
  checkBreaker(options)
}

/** Parking needs a key to park, and records that can wait. */
function checkBreaker({ breaker, delivery, order }: ConsumeOptions<unknown, unknown>): void {
  if (breaker === undefined) return
  const contradiction = (message: string): never => refuse('OPTION_CONTRADICTION', 'breaker', message)
  if (delivery === 'at-most-once') {
    contradiction(
      "at-most-once has committed its records before they run: parked ones would be lost. Remove 'breaker'.",
    )
  }
  if (order === 'none') contradiction("Without order there are no keys to park: remove 'breaker', or choose an order.")
}

/** Where records come from. */
function checkSource({ log, brokers, topics, partitions, group, delivery }: ConsumeOptions<unknown, unknown>): void {
  const contradiction = (option: string, message: string): never => refuse('OPTION_CONTRADICTION', option, message)
  if (log !== undefined && brokers !== undefined) contradiction('log', "Give 'brokers' or 'log', not both.")
  if (partitions === undefined) return
  if (topics !== undefined) contradiction('partitions', "Give 'topics' or 'partitions', not both.")
  if (log !== undefined) contradiction('partitions', "A log in memory is read by whole topics: give 'topics'.")
  if (group === undefined && delivery === 'exactly-once') {
    contradiction('partitions', "exactly-once commits offsets with its transactions: give a 'group' to keep them in.")
  }
}

function shown(value: unknown): string {
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxStringLength: SHOWN_MAX_CHARS })
  return text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text
}

/** The options of a producer and their checks. Everything wrong, unknown or contradictory is refused before anything starts. */

import type { ConnectionOptions } from 'node:tls'
import { defaultBackoff } from '../cluster/backoff.ts'
import type { SaslOptions } from '../cluster/net/options.ts'
import { OptionError } from '../errors.ts'
import { type CompressionName, compressionTypes } from '../protocol/record-batch/compression.ts'
import type { CoreOptions } from './core.ts'
import type { Partitioner } from './partitioner.ts'

export interface ProducerOptions {
  /** Default: the environment's KAFKA_BROKERS. */
  readonly brokers?: string | readonly string[]
  /** Who has to have a record before it counts as written: all in-sync replicas (default), the leader, nobody. */
  readonly acks?: 'all' | 1 | 0
  /** 'latency' (default) or 'throughput': sets lingerMs, batchBytes and compression where they are not given. */
  readonly tune?: 'latency' | 'throughput'
  /** How long a batch may wait for more records. */
  readonly lingerMs?: number
  /** Bytes of a batch, before compression. */
  readonly batchBytes?: number
  readonly compression?: CompressionName
  /** No duplicates, and order kept, over all retries. Default true with acks 'all'. */
  readonly idempotent?: boolean
  /** Default: by key as Kafka's clients do it; without a key one partition for a batch's worth of records. */
  readonly partitioner?: Partitioner
  /** For `transaction()`. Whoever opens the next producer with the same id fences this one. */
  readonly transactionalId?: string
  /** A transaction that takes longer is aborted by the cluster. */
  readonly transactionTimeoutMs?: number
  /** At so many bytes that are not settled yet, send() waits. */
  readonly maxBufferBytes?: number
  /** So long after send() a record that is not acknowledged has failed. */
  readonly deliveryTimeoutMs?: number
  readonly client?: {
    readonly clientId?: string
    readonly tls?: boolean | ConnectionOptions
    readonly sasl?: SaslOptions
    readonly requestTimeoutMs?: number
    readonly connectTimeoutMs?: number
  }
}

interface Tuning {
  readonly lingerMs: number
  readonly batchBytes: number
  readonly compression: CompressionName
}

/** A batch has to fit into a broker's default max.message.bytes, about a megabyte, also where it does not compress. */
const tunings: Readonly<Record<'latency' | 'throughput', Tuning>> = {
  latency: { lingerMs: 0, batchBytes: 128 * 1024, compression: 'none' },
  throughput: { lingerMs: 20, batchBytes: 512 * 1024, compression: 'lz4' },
}

const acksNumbers: ReadonlyMap<unknown, -1 | 0 | 1> = new Map<unknown, -1 | 0 | 1>([
  ['all', -1],
  [1, 1],
  [0, 0],
])

type Check = (value: unknown) => string | null

const wholeNumber =
  (min: number, max: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? null
      : `a whole number from ${min} to ${max}`
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? null : values.map((each) => (typeof each === 'string' ? `'${each}'` : each)).join(', ')
const text: Check = (value) => (typeof value === 'string' && value !== '' ? null : 'a text that is not empty')
const longestMs = 2 ** 31 - 1
const mostBytes = 2 ** 30

const checks: Readonly<Record<string, Check>> = {
  brokers: (value) =>
    text(value) === null || (Array.isArray(value) && value.length > 0 && value.every((each) => text(each) === null))
      ? null
      : "'host:port', or a list of them",
  acks: oneOf('all', 1, 0),
  tune: oneOf('latency', 'throughput'),
  lingerMs: wholeNumber(0, longestMs),
  batchBytes: wholeNumber(1, mostBytes),
  compression: oneOf(...Object.keys(compressionTypes)),
  idempotent: oneOf(true, false),
  partitioner: (value) => (typeof value === 'function' ? null : 'a function (record, partitions) => number'),
  transactionalId: text,
  transactionTimeoutMs: wholeNumber(1, longestMs),
  maxBufferBytes: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  deliveryTimeoutMs: wholeNumber(1, longestMs),
  client: (value) => (typeof value === 'object' && value !== null ? null : 'an object'),
}
const clientNames: readonly string[] = ['clientId', 'tls', 'sasl', 'requestTimeoutMs', 'connectTimeoutMs']

export interface CheckedOptions {
  readonly brokers: readonly string[]
  readonly core: CoreOptions
  readonly transactionalId: string | null
  readonly transactionTimeoutMs: number
  readonly client: NonNullable<ProducerOptions['client']>
}

export function checkProducerOptions(options: ProducerOptions): CheckedOptions {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('OPTION_INVALID', '', 'createProducer() takes an object: createProducer({ brokers }).')
  }
  const given = options as Readonly<Record<string, unknown>>
  // Inherited ones too: what is read later must have been checked.
  for (const name in given) checkOption(name, given[name])
  for (const name in options.client ?? {}) {
    if (!clientNames.includes(name)) throw unknownOption(`client.${name}`, name, clientNames)
  }
  const { acks = 'all', transactionalId } = options
  // As Kafka's own producer has it: asking for fewer acks gives it up, asking for both is a contradiction.
  const idempotent = options.idempotent ?? acks === 'all'
  checkContradictions(acks, idempotent, transactionalId)
  return {
    brokers: brokersOf(options.brokers),
    transactionalId: transactionalId ?? null,
    transactionTimeoutMs: options.transactionTimeoutMs ?? 60_000,
    client: options.client ?? {},
    core: coreOptions(options),
  }
}

/** With every default filled in. */
export function coreOptions(options: ProducerOptions): CoreOptions {
  const { acks = 'all', tune = 'latency' } = options
  const tuning = tunings[tune]
  const { lingerMs = tuning.lingerMs, batchBytes = tuning.batchBytes } = options
  return {
    acks: acksNumbers.get(acks) ?? -1,
    idempotent: options.idempotent ?? acks === 'all',
    lingerMs,
    batchBytes,
    compression: compressionTypes[options.compression ?? tuning.compression],
    partitioner: options.partitioner ?? null,
    maxBufferBytes: options.maxBufferBytes ?? 32 * 2 ** 20,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? 120_000,
    unknownTopicMs: 5_000,
    backoff: defaultBackoff,
  }
}

function checkOption(name: string, value: unknown): void {
  if (!Object.hasOwn(checks, name)) throw unknownOption(name, name, Object.keys(checks))
  if (value === undefined) return
  const wanted = (checks[name] as Check)(value)
  if (wanted === null) return
  throw new OptionError('OPTION_INVALID', name, `Option '${name}' must be ${wanted}; it is ${shown(value)}.`)
}

function checkContradictions(acks: unknown, idempotent: boolean, transactionalId: string | undefined): void {
  const contradiction = (option: string, message: string): OptionError =>
    new OptionError('OPTION_CONTRADICTION', option, message)
  if (idempotent && acks !== 'all') {
    throw contradiction('acks', "An idempotent producer needs acks: 'all'. Set that, or idempotent: false.")
  }
  if (transactionalId !== undefined && !idempotent) {
    throw contradiction('transactionalId', "Transactions need an idempotent producer with acks: 'all'.")
  }
}

function brokersOf(brokers: ProducerOptions['brokers']): readonly string[] {
  if (brokers !== undefined && typeof brokers !== 'string') return brokers
  const list = (brokers ?? process.env.KAFKA_BROKERS ?? '').split(',').filter((each) => each.trim() !== '')
  if (list.length > 0) return list
  throw new OptionError('OPTION_MISSING', 'brokers', "Option 'brokers' is needed, or KAFKA_BROKERS: 'localhost:9092'.")
}

function unknownOption(option: string, name: string, known: readonly string[]): OptionError {
  const close = known.find((each) => isClose(each.toLowerCase(), name.toLowerCase()))
  const hint = close === undefined ? `Known options: ${known.join(', ')}.` : `Did you mean '${close}'?`
  return new OptionError('OPTION_UNKNOWN', option, `Unknown option '${option}'. ${hint}`)
}

/** At most two letters are wrong, missing or too many. */
function isClose(a: string, b: string, edits = 2): boolean {
  if (edits < 0) return false
  if (a === '' || b === '') return a.length + b.length <= edits
  if (a[0] === b[0]) return isClose(a.slice(1), b.slice(1), edits)
  return (
    isClose(a.slice(1), b.slice(1), edits - 1) || isClose(a.slice(1), b, edits - 1) || isClose(a, b.slice(1), edits - 1)
  )
}

const shownChars = 80

function shown(value: unknown): string {
  const whole = typeof value === 'string' ? `'${value}'` : String(value)
  return whole.length > shownChars ? `${whole.slice(0, shownChars)}…` : whole
}

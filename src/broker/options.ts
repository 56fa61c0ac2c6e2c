/**
 * What a user may say about a broker, and what the broker makes of it. Bad options are refused before anything starts.
 */
import type { TlsOptions } from 'node:tls'
import { OptionError } from '../errors.ts'
import type { BrokerLog } from './broker-log.ts'
import type { BrokerClock } from './clock.ts'
import { brokerConfigs } from './configs/broker-configs.ts'
import { configProblem } from './configs/definition.ts'
import type { SaslMechanism } from './server/sasl.ts'
import { isLoopback } from './server/server.ts'
import { topicNameProblem } from './topics/names.ts'

/** When an acknowledged record is on the disk. */
export type SyncPolicy = 'always' | 'interval' | 'os'

export interface BrokerOptions {
  /** 0 (default) takes any free port. */
  readonly port?: number
  /** Default 127.0.0.1. Anything but a loopback address needs `sasl`. */
  readonly host?: string
  /** What clients are told to connect to, where it differs from where the broker listens. */
  readonly advertised?: { readonly host?: string; readonly port?: number }
  /** Where the log is kept. Without it everything is in memory and gone with the process. */
  readonly dataDir?: string
  /** Topics that are there from the start, with their number of partitions or more. */
  readonly topics?: Readonly<
    Record<string, number | { readonly partitions?: number; readonly config?: Readonly<Record<string, string>> }>
  >
  /** Runs the broker in a worker thread, so that a handler that blocks the event loop does not stop it. Default false. */
  readonly isolate?: boolean
  /**
   * `always` (default with a data directory): acks=all answers only after fdatasync, which all waiting batches share.
   * `interval`: synced every `syncIntervalMs`. `os`: left to the operating system.
   */
  readonly sync?: SyncPolicy
  readonly syncIntervalMs?: number
  /** Kafka's own broker settings, e.g. `{ 'num.partitions': '3', 'group.initial.rebalance.delay.ms': '0' }`. */
  readonly config?: Readonly<Record<string, string>>
  readonly tls?: TlsOptions
  readonly sasl?: { readonly mechanisms?: readonly SaslMechanism[]; readonly users: Readonly<Record<string, string>> }
  readonly limits?: Partial<BrokerLimits>
  /** For tests: time stands still until it is moved. Not with `isolate`. */
  readonly clock?: BrokerClock
  readonly logger?: BrokerLog
}

export interface BrokerLimits {
  readonly connectionsMax: number
  readonly requestBytesMax: number
  readonly requestsInFlightMax: number
  readonly unsentBytesMax: number
  readonly partitionsMax: number
  readonly fetchSessionsMax: number
}

export const defaultLimits: BrokerLimits = {
  connectionsMax: 4_096,
  requestBytesMax: 104_857_600,
  requestsInFlightMax: 100,
  unsentBytesMax: 64 * 2 ** 20,
  partitionsMax: 20_000,
  fetchSessionsMax: 1_000,
}

const known: ReadonlySet<string> = new Set([
  'port',
  'host',
  'advertised',
  'dataDir',
  'topics',
  'isolate',
  'sync',
  'syncIntervalMs',
  'config',
  'tls',
  'sasl',
  'limits',
  'clock',
  'logger',
])

const certificateSources = ['cert', 'pfx', 'SNICallback'] as const
const syncPolicies: readonly string[] = ['always', 'interval', 'os']
const mechanisms: readonly string[] = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']

export function checkOptions(options: BrokerOptions): void {
  for (const name of Object.keys(options)) {
    if (!known.has(name))
      refuse('OPTION_UNKNOWN', name, `There is no option '${name}'. Known are ${[...known].join(', ')}.`)
  }
  const { port, host, sasl, sync, syncIntervalMs, topics, tls, logger, clock } = options
  if (host !== undefined && typeof host !== 'string')
    refuse('OPTION_INVALID', 'host', `Option 'host' must be a name or an address; it is ${String(host)}.`)
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    refuse(
      'OPTION_INVALID',
      'port',
      `Option 'port' must be a whole number from 0 (any free one) to 65535; it is ${String(port)}.`,
    )
  }
  if (sync !== undefined && !syncPolicies.includes(sync))
    refuse(
      'OPTION_INVALID',
      'sync',
      `Option 'sync' must be one of ${syncPolicies.join(', ')}; it is '${String(sync)}'.`,
    )
  if (syncIntervalMs !== undefined && !(syncIntervalMs > 0))
    refuse('OPTION_INVALID', 'syncIntervalMs', "Option 'syncIntervalMs' must be a positive number of milliseconds.")
  if (options.dataDir !== undefined && options.dataDir === '')
    refuse(
      'OPTION_INVALID',
      'dataDir',
      "Option 'dataDir' is empty: name a directory, or leave it out to keep everything in memory.",
    )
  for (const [name, limit] of Object.entries(options.limits ?? {})) {
    if (!Object.hasOwn(defaultLimits, name))
      refuse(
        'OPTION_UNKNOWN',
        `limits.${name}`,
        `There is no limit '${name}'. Known are ${Object.keys(defaultLimits).join(', ')}.`,
      )
    if (!(typeof limit === 'number' && limit > 0))
      refuse(
        'OPTION_INVALID',
        `limits.${name}`,
        `Option 'limits.${name}' must be a positive number; it is ${String(limit)}.`,
      )
  }
  for (const [key, value] of Object.entries(options.config ?? {})) {
    if (!Object.hasOwn(brokerConfigs, key))
      refuse(
        'OPTION_UNKNOWN',
        `config.${key}`,
        `There is no setting '${key}'. Names are those of Kafka's server.properties.`,
      )
    if (typeof value !== 'string')
      refuse(
        'OPTION_INVALID',
        `config.${key}`,
        `Option 'config.${key}' must be a text, as in Kafka: '${String(value)}'.`,
      )
    const problem = configProblem(brokerConfigs, key, value)
    if (problem !== undefined)
      refuse('OPTION_INVALID', `config.${key}`, `A setting of the broker cannot be used. ${problem}.`)
  }
  for (const mechanism of sasl?.mechanisms ?? []) {
    if (!mechanisms.includes(mechanism))
      refuse(
        'OPTION_INVALID',
        'sasl.mechanisms',
        `Option 'sasl.mechanisms' may have ${mechanisms.join(', ')}, not '${mechanism}'.`,
      )
  }
  for (const [name, wish] of Object.entries(topics ?? {})) {
    const partitions = typeof wish === 'number' ? wish : (wish.partitions ?? 1)
    if (!(Number.isInteger(partitions) && partitions > 0))
      refuse(
        'OPTION_INVALID',
        `topics.${name}`,
        `Topic '${name}' must have a whole number of partitions from 1; it is ${String(partitions)}.`,
      )
    const problem = topicNameProblem(name)
    if (problem !== undefined)
      refuse('OPTION_INVALID', `topics.${name}`, `Option 'topics' has a name that cannot be: ${problem}.`)
  }
  checkUsers(sasl)
  if (tls !== undefined && !certificateSources.some((name) => tls[name] !== undefined))
    refuse('OPTION_INVALID', 'tls', 'TLS needs a certificate: tls: { cert, key }, both PEM.')
  checkFunctions('logger', logger, ['debug', 'info', 'warn', 'error'])
  checkFunctions('clock', clock, ['now', 'timer'])
  if (host !== undefined && !isLoopback(host) && (sasl === undefined || Object.keys(sasl.users).length === 0)) {
    refuse(
      'BROKER_NEEDS_AUTHENTICATION',
      'host',
      `A broker that listens on ${host} can be reached from other machines: give it users (sasl: { users: { name: 'password' } }), or listen on 127.0.0.1.`,
    )
  }
  if (options.isolate === true && options.clock !== undefined)
    refuse(
      'OPTION_CONTRADICTION',
      'clock',
      'A clock cannot travel to the worker thread of isolate: true. Leave one of the two out.',
    )
}

/** Whoever leaves a password empty has not set one. */
function checkUsers(sasl: BrokerOptions['sasl']): void {
  if (sasl === undefined) return
  const { users } = sasl
  if (typeof users !== 'object' || users === null)
    refuse('OPTION_INVALID', 'sasl.users', "Option 'sasl' must have users: { users: { name: 'password' } }.")
  for (const [name, password] of Object.entries(users)) {
    if (name === '' || typeof password !== 'string' || password === '')
      refuse(
        'OPTION_INVALID',
        'sasl.users',
        `User '${name}' of option 'sasl' needs a name and a password that are not empty.`,
      )
  }
}

/** Found missing while a connection is served, it would take the whole process down. */
function checkFunctions(option: string, value: object | undefined, names: readonly string[]): void {
  if (value === undefined) return
  for (const name of names) {
    if (typeof (value as Readonly<Record<string, unknown>>)[name] !== 'function')
      refuse('OPTION_INVALID', option, `Option '${option}' has no function '${name}'. It needs ${names.join(', ')}.`)
  }
}

function refuse(code: string, option: string, message: string): never {
  throw new OptionError(code, option, message)
}

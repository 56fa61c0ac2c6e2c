/** An admin from what the user said: where to connect, and whether the options make sense. */
import type { Admin } from './admin/admin.ts'
import type { AdminClientOptions } from './admin/open-admin.ts'
import { nearest } from './consumer/nearest.ts'
import { type Check, either, listOf, number, object, text } from './consumer/option-checks.ts'
import { brokersOr } from './embedded.ts'
import { OptionError } from './errors.ts'
import { SystemClock } from './system-clock.ts'

export interface AdminOptions {
  /** `host:port`, one or several. Default KAFKA_BROKERS, else an embedded broker (refused when NODE_ENV=production). */
  readonly brokers?: string | readonly string[]
  /** For a whole call, all its tries included. Default 30,000. */
  readonly timeoutMs?: number
  readonly client?: AdminClientOptions
}

const anyMs = number(1, 7 * 24 * 3_600_000)

const checks: Readonly<Record<string, Check>> = {
  brokers: either(text, listOf(text)),
  timeoutMs: anyMs,
  client: object('{ clientId, tls, sasl, requestTimeoutMs, connectTimeoutMs }'),
}

const clientChecks: Readonly<Record<string, Check>> = {
  clientId: text,
  tls: either((value) => (typeof value === 'boolean' ? null : 'true or false'), object('options of node:tls')),
  sasl: object('{ mechanism, username, password }'),
  requestTimeoutMs: anyMs,
  connectTimeoutMs: anyMs,
}

/** Nothing is connected before something is asked. Close it, or say `await using`. */
export async function createAdmin(options: AdminOptions = {}): Promise<Admin> {
  if (typeof options !== 'object' || options === null) {
    throw new OptionError('OPTION_INVALID', '', "createAdmin() takes an object: createAdmin({ brokers: 'host:9092' }).")
  }
  check(options, checks, '')
  check(options.client ?? {}, clientChecks, 'client.')
  const { timeoutMs, client } = options
  const brokers = await brokersOr(options.brokers)
  const { openAdmin } = await import('./admin/open-admin.ts')
  return openAdmin({
    brokers,
    clock: new SystemClock(),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(client === undefined ? {} : { client }),
  })
}

/** Values are not shown: one of them may be a password in the wrong place. */
function check(options: object, known: Readonly<Record<string, Check>>, prefix: string): void {
  const given = options as Readonly<Record<string, unknown>>
  // Inherited ones too: what is read later must have been checked.
  for (const name in given) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known)
      const close = nearest(name, names)
      const hint = close === null ? `Known options: ${names.join(', ')}.` : `Did you mean '${prefix}${close}'?`
      throw new OptionError('OPTION_UNKNOWN', `${prefix}${name}`, `Unknown option '${prefix}${name}'. ${hint}`)
    }
    const wanted = given[name] === undefined ? null : (known[name] as Check)(given[name])
    if (wanted === null) continue
    throw new OptionError('OPTION_INVALID', `${prefix}${name}`, `Option '${prefix}${name}' must be ${wanted}.`)
  }
}

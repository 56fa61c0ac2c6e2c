/** `fanlane broker`: the embedded broker as a process of its own. */
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import type { Command } from 'commander'
import type { BrokerLog } from '../../broker/broker-log.ts'
import type { BrokerOptions, SyncPolicy } from '../../broker/options.ts'
import { FanlaneError, OptionError } from '../../errors.ts'
import { aborted, interruption, several, UsageError, whole } from '../command.ts'

const PORT_DEFAULT = 9092

interface Flags {
  readonly data?: string
  readonly port: number
  readonly host?: string
  readonly topic?: readonly string[]
  readonly config?: readonly string[]
  readonly sync?: string
  readonly users?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly json?: boolean
}

export function define(parent: Command): Command {
  return parent
    .command('broker')
    .option('--data <dir>', 'keep the log there (default: in memory, gone when the broker ends)')
    .option('--port <p>', '0 takes any free one', whole(0, 65_535), PORT_DEFAULT)
    .option('--host <h>', 'default 127.0.0.1; another address needs --users')
    .option('--topic <t[:n]>', 'create a topic with n partitions; repeatable', several)
    .option('--config <k=v>', "a setting by Kafka's name; repeatable", several)
    .option('--sync <policy>', 'always (default) | interval | os: when data is on the disk before it is acknowledged')
    .option('--users <file>', 'JSON { "name": "password" }: SASL is required')
    .option('--tls-cert <file>', 'PEM: TLS is required')
    .option('--tls-key <file>', 'PEM, of that certificate')
    .option('--json', 'print one JSON object when it is ready')
    .addHelpText(
      'after',
      `
Any Kafka client can use it. Ctrl-C ends it in good order; a
second Ctrl-C leaves at once.

Example: fanlane broker --data ./data --topic orders:8`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const stop = interruption()
  let isReady = false
  // Until it is ready there is nothing to end in good order.
  stop.addEventListener('abort', () => {
    if (!isReady) process.exit(130)
  })
  const { data, host, sync, users } = flags
  const options: BrokerOptions = {
    port: flags.port,
    ...(host === undefined ? {} : { host }),
    ...(data === undefined ? {} : { dataDir: data }),
    ...(sync === undefined ? {} : { sync: sync as SyncPolicy }),
    ...(users === undefined ? {} : { sasl: { users: usersOf(users) } }),
    ...tlsOf(flags.tlsCert, flags.tlsKey),
    topics: Object.fromEntries((flags.topic ?? []).map(topicOf)),
    config: Object.fromEntries((flags.config ?? []).map(settingOf)),
    logger: stderrLogger,
  }
  const { startBroker } = await import('../../broker/start-broker.ts')
  const broker = await startBroker(options).catch((error: unknown) => {
    throw error instanceof OptionError ? new UsageError(inOptions(error)) : error
  })
  isReady = true
  const { brokers, port } = broker
  if (flags.json) console.log(JSON.stringify({ brokers, port, dataDir: data ?? null, pid: process.pid }))
  else console.log(`fanlane broker is ready on ${brokers.join(', ')} (${data === undefined ? 'in memory' : data})`)
  const ending = await Promise.race([aborted(stop), broker.failed])
  await broker.close()
  if (ending === undefined) return
  console.error(`fanlane broker has stopped by itself (${ending.code}).`)
  process.exitCode = 1
}

function inOptions({ code, message }: OptionError): string {
  if (code !== 'BROKER_NEEDS_AUTHENTICATION') return message
  return 'A broker on this --host can be reached from other machines: give it --users, or leave --host out.'
}

export const stderrLogger: BrokerLog = {
  debug: () => undefined,
  info: (message: string) => console.error(message),
  warn: (message: string) => console.error(`warning: ${message}`),
  error: (message: string, detail?: unknown) => console.error(`error: ${message}${wordsOf(detail)}`),
}

/** An error of ours says what to do; of any other one the place where it was thrown is needed as well. */
function wordsOf(detail: unknown): string {
  if (detail === undefined) return ''
  return `: ${detail instanceof FanlaneError ? detail.message : inspect(detail)}`
}

export function topicOf(text: string): [string, number] {
  const match = /^([^:]+)(?::(\d+))?$/.exec(text)
  const partitions = Number(match?.[2] ?? 1)
  if (match?.[1] === undefined || partitions < 1)
    throw new UsageError(`--topic takes NAME or NAME:PARTITIONS, not '${text}'.`)
  return [match[1], partitions]
}

function settingOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--config takes KEY=VALUE, not '${text}'.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function usersOf(file: string): Record<string, string> {
  try {
    const users = JSON.parse(readFileSync(file, 'utf8')) as unknown
    if (users !== null && typeof users === 'object' && Object.values(users).every((p) => typeof p === 'string')) {
      return users as Record<string, string>
    }
  } catch (error) {
    throw new UsageError(`--users: ${file} cannot be read as JSON (${(error as Error).message}).`)
  }
  throw new UsageError(`--users: ${file} is to hold an object of names and passwords: { "name": "password" }.`)
}

function tlsOf(cert: string | undefined, key: string | undefined): Pick<BrokerOptions, 'tls'> {
  if (cert === undefined && key === undefined) return {}
  if (cert === undefined || key === undefined) throw new UsageError('--tls-cert and --tls-key go together.')
  try {
    return { tls: { cert: readFileSync(cert), key: readFileSync(key) } }
  } catch (error) {
    throw new UsageError(`--tls-cert or --tls-key cannot be read (${(error as Error).message}).`)
  }
}

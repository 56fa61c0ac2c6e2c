import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import type { BrokerOptions, SyncPolicy } from '../../broker/options.ts'
import { startBroker } from '../../broker/start-broker.ts'
import { FanlaneError, OptionError } from '../../errors.ts'
import { type Command, interruption, optionsOf, UsageError } from '../command.ts'

const PORT_DEFAULT = 9092

export const command: Command = {
  help: `Usage: fanlane broker [--data DIR] [--port P] …

A Kafka of one node in this process. Any Kafka client can use it.

  --data DIR       keep the log there (default: in memory, gone
                   when the broker ends)
  --port P         default ${PORT_DEFAULT}; 0 takes any free one
  --host H         default 127.0.0.1; another address needs --users
  --topic T[:N]    create a topic with N partitions; repeatable
  --config K=V     a setting by Kafka's name; repeatable
  --sync POLICY    always (default) | interval | os: when the data
                   is on the disk before it is acknowledged
  --users FILE     JSON { "name": "password" }: SASL is required
  --tls-cert FILE, --tls-key FILE
                   PEM: TLS is required
  --json           print one JSON object when it is ready

Ctrl-C ends it in good order; a second Ctrl-C leaves at once.`,

  async run(args) {
    const values = optionsOf('broker', args, {
      data: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      topic: { type: 'string', multiple: true },
      config: { type: 'string', multiple: true },
      sync: { type: 'string' },
      users: { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      json: { type: 'boolean', default: false },
    })
    const stop = interruption()
    let isReady = false
    // Until it is ready there is nothing to end in good order.
    stop.addEventListener('abort', () => {
      if (!isReady) process.exit(130)
    })
    const options: BrokerOptions = {
      port: portOf(values.port),
      ...(values.host === undefined ? {} : { host: values.host }),
      ...(values.data === undefined ? {} : { dataDir: values.data }),
      ...(values.sync === undefined ? {} : { sync: values.sync as SyncPolicy }),
      ...(values.users === undefined ? {} : { sasl: { users: usersOf(values.users) } }),
      ...tlsOf(values['tls-cert'], values['tls-key']),
      topics: Object.fromEntries((values.topic ?? []).map(topicOf)),
      config: Object.fromEntries((values.config ?? []).map(settingOf)),
      logger: stderrLogger,
    }
    const broker = await startBroker(options).catch((error: unknown) => {
      throw error instanceof OptionError ? new UsageError(inOptions(error)) : error
    })
    isReady = true
    const { brokers, port } = broker
    if (values.json) console.log(JSON.stringify({ brokers, port, dataDir: values.data ?? null, pid: process.pid }))
    else
      console.log(
        `fanlane broker is ready on ${brokers.join(', ')} (${values.data === undefined ? 'in memory' : values.data})`,
      )
    const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
    const ending = await Promise.race([stopped, broker.failed])
    await broker.close()
    if (ending === undefined) return 0
    console.error(`fanlane broker has stopped by itself (${ending.code}).`)
    return 1
  },
}

function inOptions({ code, message }: OptionError): string {
  if (code !== 'BROKER_NEEDS_AUTHENTICATION') return message
  return 'A broker on this --host can be reached from other machines: give it --users, or leave --host out.'
}

const stderrLogger = {
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

function portOf(text: string | undefined): number {
  if (text === undefined) return PORT_DEFAULT
  const port = /^\d+$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port takes a number from 0 to 65535, not '${text}'.`)
}

function topicOf(text: string): [string, number] {
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

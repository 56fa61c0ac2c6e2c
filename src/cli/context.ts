/** What a command that speaks to a cluster needs: settings from everywhere, a printer, and the ways to the cluster. */
import type { Admin } from '../admin/admin.ts'
import type { AdminClientOptions } from '../admin/open-admin.ts'
import type { ClientOptions } from '../clients/native/client-options.ts'
import { type Resolved, resolveConfig, secretsOf } from '../config/resolve.ts'
import { FanlaneError, OptionError } from '../errors.ts'
import type { Producer, ProducerOptions } from '../producer/index.ts'
import { keepSecret } from './failure.ts'
import { Printer } from './output/printer.ts'
import { type Flags, flagTexts } from './settings.ts'

const BROKERS_DEFAULT: readonly string[] = ['localhost:9092']
const TIMEOUT_DEFAULT_MS = 10_000
/** How long the first answer may take: nobody wants to look at nothing for longer. */
const REACH_MS = 5_000

/** The admin, and how far to trust that somebody is there. */
export interface Context {
  readonly print: Printer
  readonly config: Resolved
  readonly brokers: readonly string[]
  readonly client: ClientOptions
  readonly timeoutMs: number
  /** Somebody has answered. */
  admin(): Promise<Admin>
  producer(options: ProducerOptions): Promise<Producer>
}

export async function contextOf(flags: Flags): Promise<Context> {
  const config = await resolveConfig({
    flags: flagTexts(flags),
    env: process.env,
    config: flags.config as string | undefined,
    directory: process.cwd(),
  })
  keepSecret(secretsOf(config))
  for (const { name, meant } of config.strangers)
    console.error(`fanlane: ${name} is no setting; did you mean ${meant}?`)
  const brokers = brokersOf(config)
  const client = clientOf(config)
  const timeoutMs = (flags.timeout as number | undefined) ?? TIMEOUT_DEFAULT_MS
  return {
    print: new Printer(flags.json === true),
    config,
    brokers,
    client,
    timeoutMs,
    admin: async () => {
      const { createAdmin } = await import('../create-admin.ts')
      const admin = await createAdmin({ brokers, timeoutMs, client: connectionOf(client) })
      await reach(admin, brokers, Math.min(timeoutMs, REACH_MS))
      return admin
    },
    producer: async (options) => {
      const { createProducer } = await import('../create-producer.ts')
      return createProducer({ ...options, brokers, client: connectionOf(client) })
    },
  }
}

function brokersOf({ values }: Resolved): readonly string[] {
  const { brokers } = values
  if (brokers === undefined) return BROKERS_DEFAULT
  return typeof brokers === 'string' ? brokers.split(',').map((each) => each.trim()) : (brokers as readonly string[])
}

function clientOf({ values }: Resolved): ClientOptions {
  const client = (values.client ?? {}) as Record<string, unknown>
  const sasl = client.sasl as Record<string, unknown> | undefined
  if (sasl === undefined) return client as ClientOptions
  if (sasl.mechanism === undefined && sasl.username !== undefined) {
    return { ...client, sasl: { mechanism: 'plain', ...sasl } } as ClientOptions
  }
  if (sasl.mechanism !== undefined && sasl.username === undefined && sasl.token === undefined) {
    const message = 'A SASL mechanism is given without a user: set KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD as well.'
    throw new OptionError('CONFIG_CONTRADICTION', 'client.sasl', message)
  }
  return client as ClientOptions
}

/** What admin and producer know of a client. */
function connectionOf({ clientId, tls, sasl, requestTimeoutMs, connectTimeoutMs }: ClientOptions): AdminClientOptions {
  return {
    ...(clientId === undefined ? {} : { clientId }),
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  }
}

/** What is behind all the trying: a connection that was refused, a port that speaks TLS. */
function rootOf(error: FanlaneError): FanlaneError {
  return error.cause instanceof FanlaneError ? rootOf(error.cause) : error
}

/** Nobody there is said at once, and by name, before anything else is asked. */
async function reach(admin: Admin, brokers: readonly string[], timeoutMs: number): Promise<void> {
  try {
    await admin.describeCluster({ timeoutMs })
  } catch (error) {
    await admin.close()
    if (!(error instanceof FanlaneError) || error.code !== 'TIMEOUT') throw error
    throw new FanlaneError(
      'BROKERS_UNREACHABLE',
      `Nobody answers at ${brokers.join(', ')}. ${rootOf(error).message} Give --brokers or KAFKA_BROKERS, or start one: fanlane broker.`,
      { cause: error },
    )
  }
}

/** Runs `work` with an admin that is closed in any case. */
export async function withAdmin<Result>(context: Context, work: (admin: Admin) => Promise<Result>): Promise<Result> {
  const admin = await context.admin()
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}

/** `consume()`: from what the user said to a consumer that runs. */
import type { MemoryLog } from './clients/memory/memory-log.ts'
import { connect } from './clients/native/connect.ts'
import { software } from './cluster/net/software.ts'
import { type Composed, compose } from './compose.ts'
import type { Consumer } from './consumer/consumer.ts'
import { handlerUrl, workerEngineOf } from './consumer/engine-options.ts'
import { readablePartition } from './consumer/lane-key.ts'
import { safeLogger, stderrLogger } from './consumer/logger.ts'
import { type ConsumeOptions, checkOptions } from './consumer/options.ts'
import { chooseTopics, topicChoice } from './consumer/topics.ts'
import { brokersOr } from './embedded.ts'
import type { workersEngine as WorkersEngine } from './engines/workers/index.ts'
import { FanlaneError, OptionError } from './errors.ts'
import { heldPartitions } from './kernel/glance.ts'
import type { Clock } from './ports/clock.ts'
import type { LogClient } from './ports/log-client.ts'
import { SystemClock } from './system-clock.ts'
import { channelsOf } from './telemetry/channels.ts'
import { Telemetry } from './telemetry/telemetry.ts'
import type { OtelApi } from './telemetry/tracing.ts'

export async function consume<Key = Buffer, Value = Buffer>(options: ConsumeOptions<Key, Value>): Promise<Consumer> {
  checkOptions(options)
  const clock = new SystemClock()
  const { signal } = options
  if (signal?.aborted) {
    throw new FanlaneError('ABORTED', 'The signal was aborted before the consumer started: give one that is not.')
  }
  const { client, letters, brokers } =
    options.log === undefined ? await overKafka(options, clock) : await inMemory(options, options.log, clock)
  const channels = channelsOf(options.group ?? '')
  const composed = compose(await traced(await withModule(options)), {
    clock,
    client,
    ...(await workersFor(options)),
    onLetter: (topic) => letters.add(topic),
    wrapEngine: channels.watched,
    listen: (observation) => {
      telemetry?.observe(observation)
      channels.observed(observation)
    },
  })
  const telemetry: Telemetry = watch(composed, options, clock)
  const dashboard = { close: (): Promise<void> => Promise.resolve() }
  try {
    if (options.dashboard !== undefined) {
      const { dashboardOf } = await import('./open-dashboard.ts')
      const opened = await dashboardOf(
        composed,
        telemetry,
        { ...options, dashboard: options.dashboard },
        brokers,
        clock,
      )
      const { url, link, handle } = opened
      composed.consumer.dashboard = { url, link, handle }
      dashboard.close = () => opened.close()
    }
    await composed.start()
  } catch (error) {
    telemetry.close()
    await dashboard.close()
    throw error
  }
  const closed = (): Promise<void> => dashboard.close()
  composed.consumer.closed
    .then(closed, closed)
    .catch((error) => composed.logger.error({ error }, 'the dashboard did not close'))
  if (signal !== undefined) closeOn(signal, composed)
  return composed.consumer
}

/** Metrics and stalls, for as long as the consumer lives. */
function watch(
  { consumer, runtime, events, logger, engine }: Composed,
  options: ConsumeOptions<unknown, unknown>,
  clock: Clock,
): Telemetry {
  const stalledAfterMs = options.stalledAfterMs ?? 60_000
  const telemetry = new Telemetry({
    group: options.group ?? '',
    version: software.version,
    clock,
    snapshot: () => consumer.snapshot(),
    held: () => ({ partitions: heldPartitions(runtime.state, clock.now(), stalledAfterMs).map(readablePartition) }),
    engine,
    metrics: options.metrics,
    conventions: options.conventions ?? 'current',
    isWatched: options.dashboard !== undefined,
    stalledAfterMs,
    stalled: (stall) => {
      logger.warn(stall, 'a record holds its partition back')
      events.emit('stalled', stall)
    },
  })
  runtime.state.watch = telemetry.watch
  const close = (): void => telemetry.close()
  consumer.closed.then(close, close)
  return telemetry
}

/** With `tracing`, every call of the handler is a span. */
async function traced(options: ConsumeOptions<unknown, unknown>): Promise<ConsumeOptions<unknown, unknown>> {
  const { tracing, handle } = options
  if (tracing === undefined || handle === undefined) return options
  const { group = '', conventions = 'current' } = options
  const api = await openTelemetryApi()
  const { tracer } = await import('./telemetry/tracing.ts')
  const span = tracer({ api, provider: tracing, version: software.version, group, conventions })
  return { ...options, handle: (record, ctx) => span(record, ctx.attempt, () => handle(record, ctx)) }
}

async function openTelemetryApi(): Promise<OtelApi> {
  try {
    // By a name that is computed, because it is installed only where it is used.
    const name = '@opentelemetry/api'
    return (await import(name)) as OtelApi
  } catch (cause) {
    throw new FanlaneError('PACKAGE_MISSING', "Option 'tracing' needs a package: npm install @opentelemetry/api.", {
      cause,
    })
  }
}

interface Source {
  readonly client: LogClient
  /** Topics that dead letters were written to: patterns leave them out. */
  readonly letters: Set<string>
  /** Null: a log in memory. */
  readonly brokers: readonly string[] | null
}

async function inMemory(options: ConsumeOptions<unknown, unknown>, given: MemoryLog, clock: Clock): Promise<Source> {
  const log = await checkedLog(given)
  const { MemoryClient } = await import('./clients/memory/memory-client.ts')
  const letters = letterTopicsOf(log)
  const { group = '', startFrom = 'earliest' } = options
  const topics = chooseTopics(options.topics ?? [], log.topics, letters)
  return { client: new MemoryClient({ log, group, topics, startFrom, clock }), letters, brokers: null }
}

async function overKafka(options: ConsumeOptions<unknown, unknown>, clock: Clock): Promise<Source> {
  const logger = safeLogger(options.logger ?? stderrLogger())
  const brokers = await brokersOr(options.brokers, (address) =>
    logger.info({ brokers: address }, 'no brokers are given: using an embedded one, in memory'),
  )
  const letters = new Set<string>()
  const client = connect({
    brokers,
    clock,
    logger,
    group: options.group ?? null,
    topics: topicChoice(options.topics ?? [], letters),
    partitions: options.partitions ?? null,
    startFrom: options.startFrom ?? 'earliest',
    isolation: options.isolation ?? 'read_committed',
    tune: options.tune ?? 'latency',
    drainMs: options.drainMs ?? 10_000,
    client: options.client ?? {},
    transactionalId: options.delivery === 'exactly-once' ? (options.transactionalId ?? null) : undefined,
  })
  return { client, letters, brokers }
}

/** An abort while we started has fired already; one that comes finds the listener, which does not outlive the consumer. */
function closeOn(signal: AbortSignal, { consumer, close }: Composed): void {
  if (signal.aborted) return close()
  signal.addEventListener('abort', close, { once: true })
  const forget = (): void => signal.removeEventListener('abort', close)
  consumer.closed.then(forget, forget)
}

async function checkedLog(log: MemoryLog): Promise<MemoryLog> {
  const { MemoryLog } = await import('./clients/memory/memory-log.ts')
  if (log instanceof MemoryLog) return log
  throw new OptionError(
    'OPTION_INVALID',
    'log',
    "Option 'log' must be a MemoryLog: new MemoryLog({ orders: 8 }), with MemoryLog from 'fanlane/testing'.",
  )
}

/** Topics of a log that dead letters were written to. As long-lived as the log: the next consumer must leave them out. */
const letterTopics: WeakMap<MemoryLog, Set<string>> = new WeakMap()

function letterTopicsOf(log: MemoryLog): Set<string> {
  const topics = letterTopics.get(log) ?? new Set()
  letterTopics.set(log, topics)
  return topics
}

/** Handlers in modules are for every engine, so that engines can be exchanged. */
async function withModule(options: ConsumeOptions<unknown, unknown>): Promise<ConsumeOptions<unknown, unknown>> {
  if (options.handler === undefined || workerEngineOf(options.engine) !== null) return options
  const { loadHandler } = await import('./engines/workers/inside/handler-module.ts')
  const module = await loadHandler(handlerUrl(options.handler), options.batch !== undefined)
  return {
    ...options,
    ...(module.handle === null ? {} : { handle: module.handle }),
    ...(module.handleBatch === null ? {} : { handleBatch: module.handleBatch }),
    ...(module.decode === null ? {} : { decode: module.decode }),
  }
}

/** What only some need is loaded only there: a program that starts pays for every module. */
async function workersFor({
  engine,
}: ConsumeOptions<unknown, unknown>): Promise<{ readonly workersEngine?: typeof WorkersEngine }> {
  if (workerEngineOf(engine) === null) return {}
  const { workersEngine } = await import('./engines/workers/index.ts')
  return { workersEngine }
}

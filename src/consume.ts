/** Where options, log client, engine and runtime meet: the composition of a consumer. */

import { MemoryClient } from './clients/memory/memory-client.ts'
import { MemoryLog } from './clients/memory/memory-log.ts'
import { connect } from './clients/native/connect.ts'
import { classifier } from './consumer/classifying.ts'
import { Consumer } from './consumer/consumer.ts'
import { type Decode, decoder } from './consumer/decoding.ts'
import { EventHub } from './consumer/events.ts'
import { exitOf } from './consumer/exits.ts'
import { toKernelOptions } from './consumer/kernel-options.ts'
import { safeLogger, stderrLogger } from './consumer/logger.ts'
import { type ConsumeOptions, checkOptions } from './consumer/options.ts'
import { router } from './consumer/routing.ts'
import { tell } from './consumer/telling.ts'
import { chooseTopics, topicChoice } from './consumer/topics.ts'
import { brokersOr } from './embedded.ts'
import { AsyncEngine } from './engines/async.ts'
import { FanlaneError, OptionError } from './errors.ts'
import type { KernelOptions } from './kernel/options.ts'
import type { Clock } from './ports/clock.ts'
import type { Engine, Work } from './ports/engine.ts'
import type { LogClient } from './ports/log-client.ts'
import type { Logger } from './ports/logger.ts'
import type { Observation, Observer } from './ports/observer.ts'
import { Runtime } from './runtime/runtime.ts'
import { SystemClock } from './system-clock.ts'

export async function consume<Key = Buffer, Value = Buffer>(options: ConsumeOptions<Key, Value>): Promise<Consumer> {
  checkOptions(options)
  const clock = new SystemClock()
  const { signal } = options
  if (signal?.aborted) {
    throw new FanlaneError('ABORTED', 'The signal was aborted before the consumer started: give one that is not.')
  }
  const { client, letters } =
    options.log === undefined ? await overKafka(options, clock) : inMemory(options, options.log, clock)
  const composed = compose(options, { clock, client, onLetter: (topic) => letters.add(topic) })
  await composed.start()
  if (signal !== undefined) closeOn(signal, composed)
  return composed.consumer
}

interface Source {
  readonly client: LogClient
  /** Topics that dead letters were written to: patterns leave them out. */
  readonly letters: Set<string>
}

function inMemory(options: ConsumeOptions<unknown, unknown>, given: MemoryLog, clock: Clock): Source {
  const log = checkedLog(given)
  const letters = letterTopicsOf(log)
  const { group = '', startFrom = 'earliest' } = options
  const topics = chooseTopics(options.topics ?? [], log.topics, letters)
  return { client: new MemoryClient({ log, group, topics, startFrom, clock }), letters }
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
  return { client, letters }
}

/** An abort while we started has fired already; one that comes finds the listener, which does not outlive the consumer. */
function closeOn(signal: AbortSignal, { consumer, close }: Composed): void {
  if (signal.aborted) return close()
  signal.addEventListener('abort', close, { once: true })
  const forget = (): void => signal.removeEventListener('abort', close)
  consumer.closed.then(forget, forget)
}

function checkedLog(log: MemoryLog): MemoryLog {
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

export interface Composed {
  readonly consumer: Consumer
  readonly runtime: Runtime
  start(): Promise<void>
  close(): void
}

/** The world around a consumer. The simulator brings another one: the same loop on another client and another clock. */
export interface Surroundings {
  readonly clock: Clock
  readonly client: LogClient
  readonly listen?: Observer
  readonly wrapEngine?: (engine: Engine) => Engine
  /** Changes of what the options do not offer, for tests. */
  readonly tweak?: (kernel: KernelOptions) => KernelOptions
  /** A dead letter is about to be written to this topic. */
  readonly onLetter?: (topic: string) => void
}

export function compose(options: ConsumeOptions<unknown, unknown>, around: Surroundings): Composed {
  const { clock, client, listen, onLetter = nobody } = around
  const kernel = (around.tweak ?? same)(toKernelOptions(options))
  const userLogger = options.logger ?? stderrLogger()
  const logger = safeLogger(userLogger)
  const events = new EventHub((name, error) => logger.error({ error }, `a listener of '${name}' failed`))
  const observer = (observation: Observation): void => {
    listen?.(observation)
    tell(events, observation, logger)
  }
  const decode = decoder(options)
  const runtime = new Runtime({
    options: kernel,
    client,
    engine: (around.wrapEngine ?? same)(engineOf(options, kernel, decode, userLogger)),
    clock,
    observer,
    exit: exitOf(options, kernel.delivery, client, onLetter),
    classify: classifier(options.retry?.isPermanent, (error) => observer({ kind: 'error', error })),
    route: router(options.keyOf, decode),
  })
  const closeMs = options.closeMs ?? 25_000
  const consumer = new Consumer({ runtime, client, clock, events, closeMs })
  const close = (): void => {
    runtime.close(closeMs).catch((error) => logger.error({ error }, 'close failed'))
  }
  return { consumer, runtime, start: () => runtime.start(), close }
}

const same = <Thing>(thing: Thing): Thing => thing

function nobody(): void {
  // Nobody keeps a list of dead-letter topics.
}

function engineOf(
  options: ConsumeOptions<unknown, unknown>,
  kernel: KernelOptions,
  decode: Decode,
  logger: Logger,
): Engine {
  if (typeof options.engine === 'object') return options.engine
  return new AsyncEngine({
    handle: options.handle ?? null,
    handleBatch: options.handleBatch ?? null,
    decode,
    laneOf: (work) => laneOf(kernel, work),
    logger,
    capacity: () => kernel.concurrency.max,
  })
}

function laneOf(kernel: KernelOptions, { topic, partition, batch, index }: Work): string | null {
  if (kernel.order === 'none') return null
  if (kernel.order === 'partition') return `${topic}-${partition}`
  const key = batch.keys[index] ?? null
  return key === null && kernel.nullKeys === 'unordered' ? null : `${topic}-${partition}-${key}`
}

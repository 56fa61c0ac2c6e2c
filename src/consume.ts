/** Where options, log client, engine and runtime meet: the composition of a consumer. */
import { MemoryClient } from './clients/memory/memory-client.ts'
import { Consumer, laneKeyOf } from './consumer/consumer.ts'
import { deadLetterTopic, toDeadLetter } from './consumer/dead-letters.ts'
import { AsyncEngine } from './engines/async.ts'
import type { ConsumedRecord } from './engines/handler.ts'
import { FanlaneError, PermanentError, RetryableError } from './errors.ts'
import type { WorkId } from './kernel/events.ts'
import type { KernelOptions } from './kernel/options.ts'
import { stderrLogger } from './consumer/logger.ts'
import { type ConsumeOptions, checkOptions, toKernelOptions } from './consumer/options.ts'
import type { Clock } from './ports/clock.ts'
import type { Engine, EngineWork } from './ports/engine.ts'
import type { ExhaustedRecord, RecordExit } from './ports/exit.ts'
import type { LogClient, RawRecord, RecordBatch } from './ports/log-client.ts'
import type { Logger } from './ports/logger.ts'
import type { Observation, Observer } from './ports/observer.ts'
import { SystemClock } from './runtime/clock.ts'
import { Runtime } from './runtime/runtime.ts'

export async function consume<Key = Buffer, Value = Buffer>(options: ConsumeOptions<Key, Value>): Promise<Consumer> {
  checkOptions(options)
  const clock = new SystemClock()
  const { signal } = options
  if (signal?.aborted) throw new FanlaneError('ABORTED', 'The signal was aborted before the consumer started.')
  const consumer = compose(options, { clock, client: memoryClient(options, clock) })
  await consumer.start()
  signal?.addEventListener('abort', () => consumer.close(), { once: true })
  return consumer.consumer
}

function memoryClient(options: ConsumeOptions<unknown, unknown>, clock: Clock): LogClient {
  const { log } = options
  if (log === undefined) {
    throw new FanlaneError('NO_LOG', "There is nothing to read from: give a log, e.g. log: new MemoryLog({ orders: 8 }).")
  }
  return new MemoryClient({
    log,
    group: options.group,
    topics: log.topics.filter((topic) => options.topics.some((wanted) => matches(wanted, topic))),
    startFrom: options.startFrom ?? 'earliest',
    clock,
  })
}

/** Patterns leave out internal topics and our own dead letters. */
function matches(wanted: string | RegExp, topic: string): boolean {
  if (typeof wanted === 'string') return wanted === topic
  return wanted.test(topic) && !topic.startsWith('__') && !topic.endsWith('.dlq')
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
}

export function compose(options: ConsumeOptions<unknown, unknown>, around: Surroundings): Composed {
  const { clock, client, listen } = around
  const kernel = (around.tweak ?? same)(toKernelOptions(options))
  const logger = options.logger ?? stderrLogger()
  const decode = decoder(options)
  const engine = (around.wrapEngine ?? same)(engineOf(options, kernel, decode, logger))
  let consumer: Consumer | null = null
  const runtime: Runtime = new Runtime({
    options: kernel,
    client,
    engine,
    clock,
    observer: (observation) => {
      listen?.(observation)
      if (consumer !== null) tell(consumer, observation, logger)
    },
    exit: exitOf(options, kernel, client),
    classify: classifier(options),
    route: router(options, decode),
  })
  consumer = new Consumer({ runtime, client, clock, closeMs: options.closeMs ?? 25_000 })
  const close = (): void => {
    runtime.close(options.closeMs ?? 25_000, true).catch((error) => logger.error({ error }, 'close failed'))
  }
  return { consumer, runtime, start: () => runtime.start(), close }
}

const same = <Thing>(thing: Thing): Thing => thing

type Decode = (record: RawRecord) => ConsumedRecord<unknown, unknown> | Promise<ConsumedRecord<unknown, unknown>>

/** Raw bytes unless codecs are given; then they are decoded when the record runs, not before. */
function decoder({ decode }: ConsumeOptions<unknown, unknown>): Decode {
  if (decode === undefined) return (record) => record
  return (record) => {
    const key = record.key === null || decode.key === undefined ? record.key : decode.key.decode(record.key)
    const value = record.value === null || decode.value === undefined ? record.value : decode.value.decode(record.value)
    if (!(key instanceof Promise) && !(value instanceof Promise)) return { ...record, key, value }
    return Promise.all([key, value]).then(([decodedKey, decodedValue]) => ({ ...record, key: decodedKey, value: decodedValue }))
  }
}

function engineOf(options: ConsumeOptions<unknown, unknown>, kernel: KernelOptions, decode: Decode, logger: Logger): Engine {
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

function laneOf(kernel: KernelOptions, { topic, partition, batch, index }: EngineWork): string | null {
  if (kernel.order === 'none') return null
  if (kernel.order === 'partition') return `${topic}-${partition}`
  const key = batch.keys[index] ?? null
  return key === null && kernel.nullKeys === 'unordered' ? null : `${topic}-${partition}-${key}`
}

/** With a key extractor, the lane of each record is what it says; where it throws, the record fails in its own key's lane. */
function router({ keyOf }: ConsumeOptions<unknown, unknown>, decode: Decode): (batch: RecordBatch) => RecordBatch {
  if (keyOf === undefined) return (batch) => batch
  return (batch) => {
    const keys: (string | null)[] = []
    const failures = new Map<number, unknown>()
    for (let index = 0; index < batch.count; index++) {
      try {
        const record = decode(batch.record(index))
        if (record instanceof Promise) {
          record.catch(() => undefined)
          throw new PermanentError('keyOf cannot be used with a codec that returns a promise.', { code: 'KEY_OF_ASYNC' })
        }
        const key = keyOf(record)
        keys.push(key === null ? null : laneKeyOf(key))
      } catch (error) {
        keys.push(batch.keys[index] ?? null)
        failures.set(index, error)
      }
    }
    return { ...batch, keys, failures, record: (index) => batch.record(index) }
  }
}

function classifier({ retry }: ConsumeOptions<unknown, unknown>): (error: unknown) => { permanent: boolean; retryAfterMs?: number } {
  return (error) => {
    if (error instanceof PermanentError) return { permanent: true }
    if (error instanceof RetryableError) {
      return error.retryAfterMs === undefined ? { permanent: false } : { permanent: false, retryAfterMs: error.retryAfterMs }
    }
    return { permanent: retry?.isPermanent?.(error) ?? false }
  }
}

function exitOf(options: ConsumeOptions<unknown, unknown>, kernel: KernelOptions, client: LogClient): RecordExit {
  const { onExhausted } = options
  if (typeof onExhausted === 'function') {
    return async ({ record, error }) => {
      await onExhausted(record, error)
      return {}
    }
  }
  const topicOf = options.deadLetter?.topic ?? deadLetterTopic
  return async (exhausted: ExhaustedRecord) => {
    const letter = toDeadLetter(exhausted, topicOf(exhausted.record), options.group)
    // Exactly-once: the letter is an output of the same transaction as the offset.
    if (kernel.delivery === 'exactly-once') return { sends: [letter] }
    const [result] = await client.publish([{ work: exhausted.work, sends: [letter] }])
    if (result?.ok !== true) throw result?.error ?? new FanlaneError('DEAD_LETTER_FAILED', 'The dead letter was not acknowledged.')
    return {}
  }
}

/** Observations as users know them: events, and log lines for what needs eyes. */
function tell(consumer: Consumer, observation: Observation, logger: Logger): void {
  switch (observation.kind) {
    case 'assigned':
    case 'revoked':
      consumer.emit(observation.kind, observation.partitions)
      return
    case 'lost':
      logger.warn({ partitions: observation.partitions }, 'partitions lost: their work goes on elsewhere')
      consumer.emit('revoked', observation.partitions)
      return
    case 'commit': {
      const stored = observation.entries.filter((_, at) => observation.outcomes[at] === 'ok')
      if (stored.length > 0) consumer.emit('committed', stored)
      return
    }
    case 'transaction':
      if (observation.outcome.kind === 'committed') consumer.emit('committed', observation.entries)
      else logger.warn({ outcome: observation.outcome }, 'transaction did not commit')
      return
    case 'exhausted':
      logger.error({ ...where(observation.work), error: observation.error }, 'record failed for good')
      consumer.emit('dead-letter', { work: observation.work, error: observation.error })
      return
    case 'notice':
      if (observation.notice.kind === 'retry') consumer.emit('retry', observation.notice)
      else logger.warn(observation.notice, observation.notice.kind)
      return
    case 'error':
    case 'fatal':
      logger.error({ error: observation.error }, observation.kind === 'fatal' ? 'the consumer stops' : 'error')
      if (consumer.listenerCount('error') > 0) consumer.emit('error', observation.error)
  }
}

function where({ topic, partition, offset, attempt }: WorkId): object {
  return { topic, partition, offset, attempt }
}

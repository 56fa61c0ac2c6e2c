/**
 * The consumer put together from its parts: client, engine, loop, ways out. `consume()` does it in the real world, the simulator in its
 * own.
 */
import { randomUUID } from 'node:crypto'
import { classifier } from './consumer/classifying.ts'
import { Consumer } from './consumer/consumer.ts'
import { type Decode, decoder } from './consumer/decoding.ts'
import { dedupOf, idExtractor } from './consumer/dedup.ts'
import { handlerUrl, ownEngineOf, portableDecode, workerEngineOf } from './consumer/engine-options.ts'
import { EventHub } from './consumer/events.ts'
import { exitOf } from './consumer/exits.ts'
import { toKernelOptions } from './consumer/kernel-options.ts'
import { safeLogger, stderrLogger } from './consumer/logger.ts'
import type { ConsumeOptions } from './consumer/options.ts'
import { router } from './consumer/routing.ts'
import { tell } from './consumer/telling.ts'
import { AsyncEngine } from './engines/async.ts'
import type { workersEngine as WorkersEngine } from './engines/workers/index.ts'
import { FanlaneError } from './errors.ts'
import { keyAt } from './kernel/lane-key.ts'
import type { KernelOptions } from './kernel/options.ts'
import type { Clock } from './ports/clock.ts'
import type { Engine, Work } from './ports/engine.ts'
import type { LogClient, RawRecord } from './ports/log-client.ts'
import type { Logger } from './ports/logger.ts'
import type { Observation, Observer } from './ports/observer.ts'
import { engineFailed } from './runtime/failures.ts'
import { Runtime } from './runtime/runtime.ts'
import { DedupEngine } from './stores/dedup/engine.ts'
import { markingClient } from './stores/dedup/marking-client.ts'
import { recordId } from './stores/record-id.ts'

export interface Composed {
  readonly consumer: Consumer
  readonly runtime: Runtime
  readonly events: EventHub
  readonly logger: Logger
  /** Figures that the engine has of its own. */
  readonly engine: () => Readonly<Record<string, number>>
  start(): Promise<void>
  close(): void
}

/** The world around a consumer. The simulator brings another one: the same loop on another client and another clock. */
export interface Surroundings {
  readonly clock: Clock
  readonly client: LogClient
  readonly listen?: Observer
  readonly wrapEngine?: (engine: Engine) => Engine
  /** For engines of threads and processes. */
  readonly workersEngine?: typeof WorkersEngine
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
  const inner = (around.wrapEngine ?? same)(engineOf(options, kernel, decode, clock, userLogger, around.workersEngine))
  const dedup = dedupEngine(options, kernel, inner, {
    clock,
    decode,
    report: (error) => observer({ kind: 'error', error }),
    broken: (error) => runtime.fail(engineFailed('submit()', error)),
  })
  const runtime: Runtime = new Runtime({
    options: kernel,
    client: dedup === null ? client : markingClient(client, dedup),
    engine: dedup ?? inner,
    clock,
    observer,
    exit: exitOf(options, { delivery: kernel.delivery, client, onLetter, now: () => clock.now() }),
    classify: classifier(options.retry?.isPermanent, (error) => observer({ kind: 'error', error })),
    route: router(options.keyOf, decode),
  })
  inner.failures?.((error) => runtime.fail(error))
  const closeMs = options.closeMs ?? 25_000
  const consumer = new Consumer({ runtime, client, clock, events, closeMs })
  const close = (): void => {
    runtime.close(closeMs).catch((error) => logger.error({ error }, 'close failed'))
  }
  const start = async (): Promise<void> => {
    await startEngine(inner, clock)
    await runtime.start()
  }
  return { consumer, runtime, events, logger, engine: () => inner.gauges?.() ?? {}, start, close }
}

const same = <Thing>(thing: Thing): Thing => thing

function nobody(): void {
  // Nobody keeps a list of dead-letter topics.
}

function engineOf(
  options: ConsumeOptions<unknown, unknown>,
  kernel: KernelOptions,
  decode: Decode,
  clock: Clock,
  logger: Logger,
  workersEngine?: typeof WorkersEngine,
): Engine {
  const own = ownEngineOf(options.engine)
  if (own !== null) return own
  const workers = workerEngineOf(options.engine)
  if (workers !== null) {
    if (workersEngine === undefined)
      throw new FanlaneError('ENGINE_FAILED', 'There are no workers here: use the async engine.')
    return workersEngine({
      ...workers,
      entry: new URL(`./consume-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
      setup: {
        handler: handlerUrl(options.handler ?? ''),
        isBatch: kernel.batch !== null,
        decode: portableDecode(options),
      },
      clock,
      logger,
      laneOf: (work) => laneOf(kernel, work),
      capacity: () => kernel.concurrency.max,
      handlerTimeoutMs: kernel.handlerTimeoutMs,
      attempts: kernel.retry.attempts,
      mayRunAgain: kernel.delivery !== 'at-most-once',
    })
  }
  return new AsyncEngine({
    handle: options.handle ?? null,
    handleBatch: options.handleBatch ?? null,
    decode,
    laneOf: (work) => laneOf(kernel, work),
    logger,
    capacity: () => kernel.concurrency.max,
  })
}

/** Before the group is joined: no partition waits for a worker that loads its module. */
async function startEngine(engine: Engine, clock: Clock): Promise<void> {
  try {
    await engine.start?.()
  } catch (error) {
    await engine.shutdown(clock.now())
    throw error
  }
}

interface DedupSurroundings {
  readonly clock: Clock
  readonly decode: Decode
  readonly report: (error: unknown) => void
  readonly broken: (error: unknown) => void
}

/** Around the engine: records that were done before are not run again. Null: not asked for. */
function dedupEngine(
  options: ConsumeOptions<unknown, unknown>,
  kernel: KernelOptions,
  inner: Engine,
  { clock, decode, report, broken }: DedupSurroundings,
): DedupEngine | null {
  const dedup = dedupOf(options.dedup)
  if (dedup === null) return null
  const { store, claimMs, timeoutMs } = dedup
  const { group = '' } = options
  const named =
    dedup.idOf === undefined ? (record: RawRecord) => recordId(group, record) : idExtractor(dedup.idOf, decode)
  return new DedupEngine({
    inner,
    store,
    idOf: ({ record }) => named(record),
    laneOf: (work) => laneOf(kernel, work),
    clock,
    owner: randomUUID(),
    claimMs,
    timeoutMs,
    report,
    broken,
  })
}

function laneOf(kernel: KernelOptions, { topic, partition, batch, index }: Work): string | null {
  if (kernel.order === 'none') return null
  if (kernel.order === 'partition') return `${topic}-${partition}`
  const key = keyAt(batch, index)
  return key === null && kernel.nullKeys === 'unordered' ? null : `${topic}-${partition}-${key}`
}

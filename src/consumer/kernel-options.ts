/** The user's options as the control plane needs them: complete, with every default. */
import { OptionError } from '../errors.ts'
import type { KernelOptions } from '../kernel/options.ts'
import { ownEngineOf } from './engine-options.ts'
import type { ConsumeOptions } from './options.ts'

export const DEFAULT_BATCH = { max: 100, min: 1, lingerMs: 5, by: 'key' } as const

export function toKernelOptions(options: ConsumeOptions<unknown, unknown>): KernelOptions {
  const delivery = options.delivery ?? 'at-least-once'
  const commit = options.commit ?? {}
  const exactlyOnce = delivery === 'exactly-once'
  const onExhausted = options.onExhausted ?? 'dead-letter'
  return {
    order: options.order ?? 'key',
    delivery,
    output: options.output ?? 'finished',
    nullKeys: options.nullKeys ?? 'unordered',
    concurrency: concurrencyOf(options),
    limits: {
      records: options.limits?.records ?? 2_000,
      bytes: options.limits?.bytes ?? 64 * 2 ** 20,
      ...marksOf(options),
    },
    blockingBurst: options.scheduling?.blockingBurst ?? 8,
    retry: {
      attempts: delivery === 'at-most-once' ? 1 : (options.retry?.attempts ?? 5),
      initialMs: options.retry?.initialMs ?? 100,
      factor: options.retry?.factor ?? 2,
      maxMs: options.retry?.maxMs ?? 30_000,
      jitter: options.retry?.jitter ?? 0.2,
    },
    onExhausted: onExhausted === 'skip' || onExhausted === 'stop' ? onExhausted : 'handle',
    breaker: options.breaker ?? null,
    commit: {
      manual: commit === 'manual',
      // A reader of the output waits for the transaction to end: commit more often there.
      everyMs: (commit === 'manual' ? undefined : commit.everyMs) ?? (exactlyOnce ? 100 : 1_000),
      everyRecords: (commit === 'manual' ? undefined : commit.everyRecords) ?? 10_000,
      mapMaxChars: (commit === 'manual' ? undefined : commit.mapMaxChars) ?? 4_000,
      lateMs: 30_000,
      finalMs: 5_000,
    },
    // An engine of the user's batches if it is told to; it has its own handler.
    batch:
      options.handleBatch === undefined && options.batch === undefined ? null : { ...DEFAULT_BATCH, ...options.batch },
    handlerTimeoutMs: options.handlerTimeoutMs ?? null,
    drainMs: options.drainMs ?? 10_000,
  }
}

/** Where fetching pauses and resumes, as shares of the limits. */
export function marksOf({ limits }: ConsumeOptions<unknown, unknown>): {
  readonly pauseAt: number
  readonly resumeAt: number
} {
  const pauseAt = limits?.pauseAt ?? 1
  return { pauseAt, resumeAt: limits?.resumeAt ?? Math.min(0.7, pauseAt) }
}

/** No more than the engine can do, whatever is asked for. */
function concurrencyOf({ concurrency = 100, engine }: ConsumeOptions<unknown, unknown>): KernelOptions['concurrency'] {
  const { min, max } = typeof concurrency === 'number' ? { min: concurrency, max: concurrency } : concurrency
  const own = ownEngineOf(engine)
  if (own === null) return { min, max }
  const capacity: unknown = own.capacity()
  if (typeof capacity !== 'number' || !(capacity >= 1)) {
    throw new OptionError(
      'OPTION_INVALID',
      'engine',
      `engine.capacity() must be a number from 1, not ${String(capacity)}.`,
    )
  }
  return { min: Math.min(min, Math.floor(capacity)), max: Math.min(max, Math.floor(capacity)) }
}

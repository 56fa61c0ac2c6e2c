/**
 * What becomes of a record whose handler failed. Pure: the attempt, the verdict on the error and a number from chance
 * decide, nothing else.
 */
import type { KernelOptions } from './options.ts'

export type Verdict = { readonly kind: 'again'; readonly delayMs: number } | { readonly kind: 'exhausted' }

const EXHAUSTED: Verdict = { kind: 'exhausted' }

export function judge(
  options: KernelOptions,
  attempt: number,
  failure: { readonly permanent: boolean; readonly retryAfterMs?: number },
  chance: number,
): Verdict {
  // One attempt is what at-most-once means.
  if (failure.permanent || attempt >= options.retry.attempts || options.delivery === 'at-most-once') return EXHAUSTED
  if (failure.retryAfterMs !== undefined) return { kind: 'again', delayMs: Math.max(0, failure.retryAfterMs) }
  return { kind: 'again', delayMs: backoffMs(options.retry, attempt, chance) }
}

/** Exponential with a cap; jitter spreads it by ± the given share, so that keys that failed together do not return together. */
export function backoffMs(retry: KernelOptions['retry'], attempt: number, chance: number): number {
  const plain = Math.min(retry.maxMs, retry.initialMs * retry.factor ** Math.min(attempt - 1, 1_000))
  return Math.min(retry.maxMs, plain * (1 + retry.jitter * (2 * chance - 1)))
}

/** One number from chance per step, many records: spread it so that they do not share their jitter. */
export function spread(chance: number, by: number): number {
  const value = chance + by * 0.618_033_988_749_895
  return value - Math.floor(value)
}

/** Waiting for somebody who may never answer. */
import type { Clock } from '../ports/clock.ts'

/** What ending may take beyond its time, so that a last answer can come in. */
const GRACE_MS = 250

/** Resolves when the work is over or the time is, whichever is first; errors, thrown or rejected, are told. */
export async function within(
  clock: Clock,
  deadlineMs: number,
  work: () => Promise<void>,
  tell: (error: unknown) => void,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.at(deadlineMs + GRACE_MS, resolve)
  await Promise.race([attempt(work).catch(tell), promise])
  cancel()
}

/** An exception becomes a rejection. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work()
}

/** Waiting in commands: for a while, or until somebody interrupts. */
import { SystemClock } from '../system-clock.ts'

export const clock: SystemClock = new SystemClock()

/** Resolves after so long, or at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.at(clock.now() + ms, done)
    signal?.addEventListener('abort', done, { once: true })
  })
}

/**
 * Time-outs that are not fooled by a blocked event loop. When it is free again every timer is late, while what was awaited
 * waits in the sockets; timers run first. So a time-out takes effect only after two more turns, in which sockets are read.
 */
import type { Clock } from '../../ports/clock.ts'

/** Returns what cancels it, up to the last moment. */
export function patiently(clock: Clock, timeMs: number, callback: () => void): () => void {
  let isCancelled = false
  const run = (): void => {
    if (!isCancelled) callback()
  }
  const cancel = clock.at(timeMs, () => clock.soon(() => clock.soon(run)))
  return () => {
    isCancelled = true
    cancel()
  }
}

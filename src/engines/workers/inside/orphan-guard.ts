/**
 * A small thread in every worker process that watches the parent. A handler that blocks its event loop cannot see that its
 * pipe has closed: without this, a parent that was killed would leave it behind, busy for ever.
 */
import { workerData } from 'node:worker_threads'
import { SystemClock } from '../../../system-clock.ts'

const EVERY_MS = 1_000

const clock = new SystemClock()
const { parent } = workerData as { readonly parent: number }

function watch(): void {
  // Whoever loses its parent is given another one.
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  clock.at(clock.now() + EVERY_MS, watch)
}

watch()

/** Many seeds, on all cores. A seed is a scenario and all of its chance: the same seed is the same run. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { SeedReport, SeedTask } from './seed-worker.ts'

export interface SeedsOptions {
  readonly from: number
  readonly count: number
  readonly workers?: number
  /** Stop at the first seed that fails. */
  readonly bail?: boolean
  readonly onProgress?: (done: number, failed: number) => void
}

export interface SeedFailure {
  readonly seed: number
  readonly invariant: string
  readonly message: string
}

export interface SeedsResult {
  readonly seeds: number
  readonly failures: readonly SeedFailure[]
  readonly events: number
  readonly simulatedMs: number
  /** Seeds that were run twice and gave the same trace. */
  readonly replayed: number
}

/** Seeds that one worker takes at a time. */
const CHUNK = 25

export async function runSeeds(options: SeedsOptions): Promise<SeedsResult> {
  const end = options.from + options.count
  let next = options.from
  const failures: SeedFailure[] = []
  const total = { seeds: 0, events: 0, simulatedMs: 0, replayed: 0 }
  const take = (): SeedTask | null => {
    if (next >= end || (options.bail === true && failures.length > 0)) return null
    const task = { from: next, to: Math.min(end, next + CHUNK) }
    next = task.to
    return task
  }
  const report = (chunk: SeedReport): void => {
    total.seeds += chunk.seeds
    total.events += chunk.events
    total.simulatedMs += chunk.simulatedMs
    total.replayed += chunk.replayed
    failures.push(...chunk.failures)
    options.onProgress?.(total.seeds, failures.length)
  }
  const workers = Math.min(options.workers ?? availableParallelism(), Math.ceil(options.count / CHUNK))
  await Promise.all(Array.from({ length: workers }, () => work(take, report)))
  return { ...total, failures: failures.sort((a, b) => a.seed - b.seed) }
}

/** One worker, chunk after chunk. */
function work(take: () => SeedTask | null, report: (chunk: SeedReport) => void): Promise<void> {
  const first = take()
  if (first === null) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url.replace(/seeds(\.[jt]s)$/, 'seed-worker$1')))
    worker.on('error', reject)
    worker.on('message', (chunk: SeedReport) => {
      report(chunk)
      const task = take()
      if (task !== null) return worker.postMessage(task)
      worker.terminate().then(() => resolve(), reject)
    })
    worker.postMessage(first)
  })
}

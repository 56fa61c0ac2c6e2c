import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CrashJob, CrashOutcome } from './crash-worker.ts'

/** Crash states in a thread of their own. */
export async function runCrashJob(job: CrashJob): Promise<CrashOutcome> {
  const worker = new Worker(new URL('./crash-worker.ts', import.meta.url), { workerData: job })
  const [outcome] = (await once(worker, 'message')) as [CrashOutcome]
  await worker.terminate()
  return outcome
}

/**
 * The same handler in a bare pool of threads: no log, no order, no commits, no retries. Batches of 32 go round the workers, two
 * for each at a time. What an engine can hope for.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { hash } from './handler.ts'

const BATCH = 32

export async function runBare(records: number, workers: number, valueBytes: number): Promise<number> {
  const pool = Array.from({ length: workers }, () => new Worker(new URL(import.meta.url)))
  await Promise.all(pool.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
  const began = performance.now()
  let sent = 0
  let done = 0
  await new Promise<void>((resolve) => {
    const send = (worker: Worker): void => {
      const count = Math.min(BATCH, records - sent)
      if (count <= 0) return
      sent += count
      const bytes = new Uint8Array(count * valueBytes)
      worker.postMessage({ bytes, count }, [bytes.buffer])
    }
    for (const worker of pool) {
      worker.on('message', (count: number) => {
        done += count
        if (done === records) resolve()
        else send(worker)
      })
      for (const _ of [1, 2]) send(worker)
    }
  })
  const ms = performance.now() - began
  await Promise.all(pool.map((worker) => worker.terminate()))
  return (records / ms) * 1_000
}

if (!isMainThread) {
  parentPort?.on('message', ({ bytes, count }: { readonly bytes: Uint8Array; readonly count: number }) => {
    const size = bytes.length / count
    for (let at = 0; at < count; at++) hash(bytes.subarray(at * size, (at + 1) * size))
    parentPort?.postMessage(count)
  })
  parentPort?.postMessage(0)
}

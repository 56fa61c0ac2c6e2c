/**
 * The same handler in a bare pool of threads: no log, no order, no commits, no retries. Batches of 32 go round the workers, two
 * for each at a time. What an engine can hope for.
 */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { totalOf } from '../task.ts'
import { flush, handle } from './engine-handler.ts'
import type { Prepare } from './run.ts'

const batchMax = 32
const valueBytes = 100

export const barePool: Prepare = async ({ ends, workers, hashRounds, events }) => {
  process.env.FANLANE_BENCH_ROUNDS = String(hashRounds)
  process.env.FANLANE_BENCH_EVENTS = events.file
  return async (run) => {
    const records = totalOf(ends)
    const pool = Array.from({ length: workers }, () => new Worker(new URL(import.meta.url)))
    await Promise.all(pool.map((worker) => new Promise((resolve) => worker.once('message', resolve))))
    let sent = 0
    let done = 0
    await new Promise<void>((resolve, reject) => {
      const send = (worker: Worker): void => {
        const count = Math.min(batchMax, records - sent)
        if (count <= 0) return
        const bytes = new Uint8Array(count * valueBytes)
        const view = Buffer.from(bytes.buffer)
        for (let at = 0; at < count; at++) view.writeUInt32LE(sent + at, at * valueBytes)
        sent += count
        worker.postMessage({ bytes, count }, [bytes.buffer])
      }
      for (const worker of pool) {
        worker.on('error', reject)
        worker.on('message', (count: number) => {
          done += count
          if (done === records) resolve()
          else send(worker)
        })
        for (const _ of [1, 2]) send(worker)
      }
    })
    for (const [partition, end] of ends.entries()) run.commit(partition, end)
    for (const worker of pool) {
      const flushed = once(worker.removeAllListeners('message'), 'message')
      worker.postMessage({ bytes: new Uint8Array(), count: 0 })
      await flushed
      await worker.terminate()
    }
  }
}

if (!isMainThread) {
  parentPort?.on('message', ({ bytes, count }: { readonly bytes: Uint8Array; readonly count: number }) => {
    for (let at = 0; at < count; at++) handle(Buffer.from(bytes.buffer, at * valueBytes, valueBytes))
    // Nothing to do: the end.
    if (count === 0) flush()
    parentPort?.postMessage(count)
  })
  parentPort?.postMessage(0)
}

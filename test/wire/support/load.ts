/** Records that keep coming while a test changes something. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RawKafka } from './raw-kafka.ts'

const everyMs = 20
const keys = 7

export interface Load {
  /** Records so far, by partition. */
  readonly counts: readonly number[]
  stop(): Promise<readonly number[]>
}

/** Ten records to every partition, every 20 ms, until it is stopped. */
export function startLoad(raw: RawKafka, topic: string, partitions: number): Load {
  const counts = Array.from({ length: partitions }, () => 0)
  let isOver = false
  const run = async (): Promise<void> => {
    while (!isOver) {
      for (let partition = 0; partition < partitions; partition++) {
        const from = counts[partition] ?? 0
        await raw.fill(topic, partition, 10, keys, from)
        counts[partition] = from + 10
      }
      await sleep(everyMs)
    }
  }
  const running = run()
  running.catch(() => undefined)
  return {
    counts,
    async stop() {
      isOver = true
      await running
      return counts
    },
  }
}

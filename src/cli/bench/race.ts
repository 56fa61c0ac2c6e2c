/** One consumer of the measurement: the same records, from the beginning, in a group of its own, for so long at most. */

import type { ClientOptions } from '../../clients/native/client-options.ts'
import { consume } from '../../consume.ts'
import { clock, pause } from '../pause.ts'
import { silent } from '../quiet.ts'

export interface RaceOptions {
  readonly brokers: readonly string[]
  readonly client: ClientOptions
  readonly topic: string
  readonly group: string
  readonly order: 'key' | 'partition'
  readonly concurrency: number
  readonly handlerMs: number
  readonly records: number
  readonly secondsMax: number
  readonly signal: AbortSignal
  readonly progress: (done: number) => void
}

export interface RaceResult {
  readonly records: number
  readonly seconds: number
  readonly perSecond: number
  /** Records that began before an earlier one of their key had ended. */
  readonly outOfOrder: number
}

/** From the first record that begins to the last that ends: joining the group is not part of it. */
export async function race(options: RaceOptions): Promise<RaceResult> {
  const { brokers, client, topic, group, order, concurrency, handlerMs, records, secondsMax, signal } = options
  const over = Promise.withResolvers<void>()
  const running = new Set<string>()
  let startMs = 0
  let endMs = 0
  let done = 0
  let outOfOrder = 0
  const consumer = await consume({
    brokers,
    client,
    group,
    topics: [topic],
    order,
    concurrency,
    logger: silent,
    handle: async ({ key }) => {
      if (startMs === 0) startMs = clock.now()
      const name = String(key)
      if (running.has(name)) outOfOrder++
      running.add(name)
      await pause(handlerMs)
      running.delete(name)
      done++
      endMs = clock.now()
      options.progress(done)
      if (done >= records || endMs - startMs >= secondsMax * 1_000) over.resolve()
    },
  })
  const stop = (): void => over.resolve()
  signal.addEventListener('abort', stop, { once: true })
  await Promise.race([over.promise, consumer.closed])
  const counted = { done, seconds: Math.max(0.001, (endMs - startMs) / 1_000) }
  await consumer.close()
  signal.removeEventListener('abort', stop)
  return {
    records: counted.done,
    seconds: Number(counted.seconds.toFixed(3)),
    perSecond: Math.round(counted.done / counted.seconds),
    outOfOrder,
  }
}

/** One delivery, once, in this process: `node run.ts '{"delivery":"exactly-once", …}'`. The last line says what came out. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsumeOptions, consume, createProducer } from '../../src/index.ts'
import type { Outcome, Task } from './task.ts'

const task = JSON.parse(process.argv[2] ?? '{}') as Task
const { brokers, work, delivery, group, input, output, records } = task
const quiet = (): void => undefined
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet }

const common: Pick<ConsumeOptions, 'brokers' | 'group' | 'topics' | 'delivery' | 'logger'> = {
  brokers,
  group,
  topics: [input],
  delivery,
  logger,
}

const outcome = work === 'trickle' ? await trickle() : await throughput()
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0))

async function throughput(): Promise<Outcome> {
  let firstMs = 0
  let usage = process.resourceUsage()
  let seen = 0
  const all = Promise.withResolvers<void>()
  const count = (): void => {
    if (seen === 0) {
      firstMs = performance.now()
      usage = process.resourceUsage()
    }
    if (++seen === records) all.resolve()
  }
  const consumer = await consume({
    ...common,
    handle:
      work === 'read'
        ? count
        : ({ key, value }, ctx) => {
            count()
            return ctx.send({ topic: output, key, value })
          },
  })
  await all.promise
  await consumer.idle()
  const ms = performance.now() - firstMs
  const after = process.resourceUsage()
  const cpuSeconds = (after.userCPUTime - usage.userCPUTime + after.systemCPUTime - usage.systemCPUTime) / 1e6
  await consumer.close()
  return { records, ms, cpuSeconds }
}

/** 200 records a second; the time is in the record, and the reader is this process, so that there is one clock. */
async function trickle(): Promise<Outcome> {
  const latencies: number[] = []
  const all = Promise.withResolvers<void>()
  const reader = await consume({
    brokers,
    group: `${group}-reader`,
    topics: [output],
    startFrom: 'latest',
    logger,
    handle: ({ value }) => {
      const [run, sentMs] = String(value).split(' ')
      // What another run left behind is not ours.
      if (run !== group) return
      latencies.push(performance.now() - Number(sentMs))
      if (latencies.length === records) all.resolve()
    },
  })
  const consumer = await consume({
    ...common,
    startFrom: 'latest',
    handle: ({ key, value }, ctx) => ctx.send({ topic: output, key, value }),
  })
  await Promise.all([reader.idle(), consumer.idle()])
  const producer = await createProducer({ brokers })
  const startMs = performance.now()
  const sent: Promise<unknown>[] = []
  for (let number = 0; number < records; number++) {
    const key = `key-${number % 100}`
    sent.push(producer.send({ topic: input, key, value: `${group} ${performance.now()}` }))
    await sleep(5)
  }
  await Promise.all(sent)
  await all.promise
  const ms = performance.now() - startMs
  await Promise.all([consumer.close(), reader.close(), producer.close()])
  const sorted = latencies.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { records, ms, cpuSeconds: 0, p50Ms: at(0.5), p99Ms: at(0.99) }
}

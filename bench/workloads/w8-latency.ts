/** W8: how long a record takes from being sent until its handler starts, with a thousand records a second. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contender } from '../contenders/index.ts'
import type { PacerTask } from '../contenders/node/pacer.ts'
import { type Events, endBit, readEvents } from '../core/events.ts'
import { judge } from '../core/judge.ts'
import { makePlan, type Shape } from '../core/plan.ts'
import { Process } from '../core/processes.ts'
import type { Round } from '../core/results.ts'
import { type Stage, whyBroken } from '../core/stage.ts'
import { percentile } from '../core/stats.ts'
import type { Workload } from '../core/workload.ts'
import { written } from './w5-straggler.ts'

const pacer = fileURLToPath(new URL('../contenders/node/pacer.ts', import.meta.url))
const perSecond = 1_000
/** In the topic before anybody starts: whoever has read them has joined, and its code is compiled to some degree. */
const warmRecords = 2_000
const timeoutMs = 120_000
const eventBytes = 12

async function latency(stage: Stage, contender: Contender, seconds: number): Promise<Round> {
  const records = warmRecords + seconds * perSecond
  const shape: Shape = { records, partitions: 8, keys: 1_000, distribution: 'even', valueBytes: 100 }
  const plan = makePlan(shape)
  const topic = await stage.topic('paced', shape.partitions)
  await stage.options.topics.fill(topic, plan, warmRecords)
  const { brokers } = stage.options.broker
  const { build, scratch } = stage.options
  const part = { order: 'key', concurrency: 100, handlerMs: 0, until: 'seen', commitMs: 1_000 } as const
  const file = join(scratch, `${topic}.events`)
  const task = stage.task({ topic, plan }, { ...part, events: { file, kind: 'timed', durable: true } })
  const reader = await stage.start(contender, task)
  try {
    await written(file, 2 * warmRecords, () => reader.hasEnded, eventBytes)
    const sentFile = `${file}.sent`
    const paced: PacerTask = { brokers, build, topic, shape, from: warmRecords, perSecond, events: sentFile }
    const sender = new Process({ file: process.execPath, args: [pacer, JSON.stringify(paced)] })
    const [outcome] = await Promise.all([reader.outcome(timeoutMs), sender.outcome(timeoutMs)])
    const events = readEvents(file, 'timed')
    const verdict = judge(plan, 'key', [events])
    const latencies = latenciesMs(readEvents(sentFile, 'timed'), events)
    for (const each of [file, sentFile]) rmSync(each, { force: true })
    const { cpuSeconds, peakRssMb } = outcome
    return {
      rate: null,
      steadyRate: null,
      cpuSeconds,
      peakRssMb,
      ...verdict,
      more: {
        'p50 ms': percentile(latencies, 0.5),
        'p99 ms': percentile(latencies, 0.99),
        'p99.9 ms': percentile(latencies, 0.999),
        'max ms': percentile(latencies, 1),
      },
      broken: whyBroken(verdict),
    }
  } finally {
    await reader.kill()
  }
}

/** From being sent to the first start of its handler, rising. */
export function latenciesMs(sent: Events, handled: Events): Float64Array {
  const sentNs = new Map(Array.from(sent.words, (id, at) => [id, sent.timesNs[at] ?? 0]))
  const latencies: number[] = []
  for (const [at, word] of handled.words.entries()) {
    const from = (word & endBit) === 0 ? sentNs.get(word) : undefined
    if (from === undefined) continue
    sentNs.delete(word)
    latencies.push(((handled.timesNs[at] ?? 0) - from) / 1e6)
  }
  return Float64Array.from(latencies).sort()
}

export const latencies: Workload = {
  id: 'W8',
  title: 'Latency at a thousand records a second',
  what: `A process of its own sends 1,000 records a second to 8 partitions, with fanlane's producer, which waits for nothing. The time
is that from just before the send until the handler starts, on one clock for all processes; it includes the broker.`,
  variants({ quick }) {
    const seconds = quick ? 2 : 20
    return [
      {
        name: 'paced',
        title: '1,000 records a second, 8 partitions',
        order: 'key',
        brokers: ['kafka', 'embedded'],
        contenders: [
          { name: 'ours' },
          { name: 'ours-bare' },
          { name: 'kafkajs' },
          { name: 'platformatic' },
          { name: 'confluent' },
          { name: 'java' },
        ],
        records: warmRecords + seconds * perSecond,
        seconds: seconds + 4,
        about: { 'records/s': perSecond, seconds, partitions: 8, 'value bytes': 100 },
        measure: (stage, contender) => latency(stage, contender, seconds),
      },
    ]
  },
}

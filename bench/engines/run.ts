/** One contender, in a process of its own. Prints one line of JSON: records/s from the first result to the last, and CPU time. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../src/index.ts'
import { runBare } from './bare.ts'

export interface Task {
  readonly engine: 'async' | 'threads' | 'processes' | 'bare'
  readonly brokers: readonly string[]
  readonly topic: string
  readonly records: number
  readonly workers: number
  readonly valueBytes: number
}

export interface Outcome {
  readonly perSecond: number
  /** Of this process and of those it started. */
  readonly cpuUsPerRecord: number
}

const { engine, brokers, topic, records, workers, valueBytes } = JSON.parse(process.argv[2] ?? '{}') as Task

/** User and system time of all threads, and of children that have ended, in microseconds. Linux counts in hundredths. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return user + system + (Number(fields[13]) + Number(fields[14])) * 10_000
  } catch {
    return user + system
  }
}

async function runConsumer(): Promise<number> {
  const consumer = await consume({
    brokers,
    group: `bench-${process.pid}-${Date.now()}`,
    topics: [topic],
    engine: engine === 'async' ? 'async' : { kind: engine as 'threads', workers },
    handler: new URL('./handler.ts', import.meta.url),
    concurrency: 500,
    limits: { records: 10_000 },
    tune: 'throughput',
  })
  // A snapshot costs something: few of them.
  const done = (): number => consumer.snapshot().totals.done
  while (done() === 0) await sleep(5)
  const first = done()
  const began = performance.now()
  while (done() < records) await sleep(20)
  const ms = performance.now() - began
  await consumer.close()
  return ((records - first) / ms) * 1_000
}

const perSecond = engine === 'bare' ? await runBare(records, workers, valueBytes) : await runConsumer()
const outcome: Outcome = { perSecond, cpuUsPerRecord: cpuUs() / records }
console.log(JSON.stringify(outcome))

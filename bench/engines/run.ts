/** One contender, in a process of its own. Prints one line of JSON: records/s from a ready engine to the last result, and CPU time. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../src/index.ts'
import { runBare } from './bare.ts'

export interface Task {
  readonly engine: 'async' | 'threads' | 'processes' | 'bare'
  readonly brokers: readonly string[]
  readonly topic: string
  readonly partitions: number
  readonly records: number
  readonly workers: number
  readonly valueBytes: number
}

export interface Outcome {
  readonly perSecond: number
  /** Of this process and of those it started. */
  readonly cpuUsPerRecord: number
}

const { engine, brokers, topic, partitions, records, workers, valueBytes } = JSON.parse(process.argv[2] ?? '{}') as Task

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
    // No membership: nobody waits for a group to form.
    partitions: Array.from({ length: partitions }, (_, partition) => ({ topic, partition })),
    engine: engine === 'async' ? 'async' : { kind: engine as 'threads', workers },
    handler: new URL('./handler.ts', import.meta.url),
    concurrency: 500,
    limits: { records: 10_000 },
    tune: 'throughput',
  })
  // Workers are ready, nothing is fetched yet. Not from the first result on: a handler that blocks the loop hides its own.
  const began = performance.now()
  // A snapshot of ten thousand records takes milliseconds, which workers on all cores would miss: few of them.
  while (consumer.snapshot().totals.done < records) await sleep(100)
  const ms = performance.now() - began
  await consumer.close()
  return (records / ms) * 1_000
}

const perSecond = engine === 'bare' ? await runBare(records, workers, valueBytes) : await runConsumer()
const outcome: Outcome = { perSecond, cpuUsPerRecord: cpuUs() / records }
console.log(JSON.stringify(outcome))

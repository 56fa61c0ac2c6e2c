/**
 * What a delivery costs: the same work in the three of them, on the same broker and the same records, in turn, round by round.
 * `npm run bench:deliveries` (`--json`: the last line is one JSON object; `--records N`, `--rounds N`, `--trickle N`,
 * `--broker kafka|embedded`, `--work read,copy,trickle`).
 *
 * Three pieces of work: `read` (a handler that does nothing), `copy` (one output for each record) and `trickle` (the same with
 * few records a second: how long until a read_committed reader sees the output). Every run has a process of its own. Whoever
 * was first is last in the next round, and ratios are taken round by round: these machines are noisy.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { root } from '../scripts/files.ts'
import { startKafkaCluster } from '../scripts/kafka/cluster.ts'
import { createAdmin, createProducer } from '../src/index.ts'
import { type Delivery, deliveries, type Outcome, type Task, type Work, works } from './deliveries/task.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    trickle: { type: 'string', default: '600' },
    rounds: { type: 'string', default: '5' },
    broker: { type: 'string', default: 'kafka' },
    work: { type: 'string', default: works.join(',') },
    json: { type: 'boolean', default: false },
  },
})

const runner = fileURLToPath(new URL('deliveries/run.ts', import.meta.url))
const partitions = 8
const keys = 1_000
const valueBytes = 100

interface Broker {
  readonly brokers: readonly string[]
  stop(): Promise<void>
}

async function startBroker(): Promise<Broker> {
  if (values.broker === 'kafka') return startKafkaCluster({ forSpeed: true })
  const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-deliveries-'))
  const main = join(root, 'src', 'cli', 'main.ts')
  const args = [main, 'broker', '--data', dataDir, '--port', '0', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { brokers } = JSON.parse(String(line)) as { brokers: string[] }
  return {
    brokers,
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function fill(brokers: readonly string[], topic: string, records: number): Promise<void> {
  await using producer = await createProducer({ brokers, tune: 'throughput' })
  const value = Buffer.alloc(valueBytes, 0x61)
  for (let from = 0; from < records; from += 10_000) {
    const count = Math.min(10_000, records - from)
    const batch = Array.from({ length: count }, (_, at) => ({ topic, key: `key-${(from + at) % keys}`, value }))
    await producer.send(batch)
  }
}

async function runOne(task: Task): Promise<Outcome> {
  const child = spawn(process.execPath, [runner, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${task.delivery}, ${task.work}: the run ended with ${code}`)
  return JSON.parse(text.trim().split('\n').at(-1) ?? '') as Outcome
}

interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

function spreadOf(numbers: readonly number[], digits: number): Spread {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (index: number): number => Number((sorted[index] ?? Number.NaN).toFixed(digits))
  return { median: at(sorted.length >> 1), min: at(0), max: at(sorted.length - 1) }
}

const shown = ({ median, min, max }: Spread): string => `${median} (${min}–${max})`

interface Row {
  readonly work: Work
  readonly delivery: Delivery
  /** Records a second, from the first record to all committed. Not for `trickle`. */
  readonly rate: Spread | null
  /** Of the rate of at-least-once in the same round. */
  readonly ratio: Spread | null
  readonly cpuSecondsPerMillion: Spread | null
  /** From sending the record to seeing its output. For `trickle` alone. */
  readonly latencyMs: { readonly p50: Spread; readonly p99: Spread } | null
}

type Rounds = Readonly<Record<Delivery, Outcome[]>>

function rowOf(work: Work, delivery: Delivery, rounds: Rounds): Row {
  const own = rounds[delivery]
  if (work === 'trickle') {
    const latency = (share: 'p50Ms' | 'p99Ms'): Spread =>
      spreadOf(
        own.map((outcome) => outcome[share] ?? Number.NaN),
        1,
      )
    const latencyMs = { p50: latency('p50Ms'), p99: latency('p99Ms') }
    return { work, delivery, rate: null, ratio: null, cpuSecondsPerMillion: null, latencyMs }
  }
  const base = rounds['at-least-once']
  const rate = ({ records, ms }: Outcome): number => (records / ms) * 1_000
  return {
    work,
    delivery,
    rate: spreadOf(own.map(rate), 0),
    ratio: spreadOf(
      own.map((outcome, at) => rate(outcome) / rate(base[at] as Outcome)),
      2,
    ),
    cpuSecondsPerMillion: spreadOf(
      own.map(({ cpuSeconds, records }) => (cpuSeconds / records) * 1e6),
      1,
    ),
    latencyMs: null,
  }
}

function lineOf({ work, delivery, rate, ratio, cpuSecondsPerMillion, latencyMs }: Row): string {
  const name = `${work.padEnd(8)} ${delivery.padEnd(14)}`
  if (latencyMs !== null) return `${name} p50 ${shown(latencyMs.p50)} ms, p99 ${shown(latencyMs.p99)} ms`
  if (rate === null || ratio === null || cpuSecondsPerMillion === null) return name
  return `${name} ${shown(rate)} records/s, ${shown(ratio)} of at-least-once, ${shown(cpuSecondsPerMillion)} CPU s per million`
}

const records = Number(values.records)
const broker = await startBroker()
try {
  const { brokers } = broker
  await using admin = await createAdmin({ brokers })
  const names = ['input', 'trickled', ...deliveries.map((delivery) => `output-${delivery}`)]
  await admin.createTopics(names.map((name) => ({ name, partitions })))
  await fill(brokers, 'input', records)
  const rows: Row[] = []
  for (const work of works.filter((each) => values.work.split(',').includes(each))) {
    const rounds: Rounds = { 'at-most-once': [], 'at-least-once': [], 'exactly-once': [] }
    for (let round = 0; round < Number(values.rounds); round++) {
      const turn = deliveries.map((_, at) => deliveries[(at + round) % deliveries.length] as Delivery)
      for (const delivery of turn) {
        const group = `${work}-${delivery}-${round}`
        const input = work === 'trickle' ? 'trickled' : 'input'
        const count = work === 'trickle' ? Number(values.trickle) : records
        const outcome = await runOne({
          brokers,
          work,
          delivery,
          group,
          input,
          output: `output-${delivery}`,
          records: count,
        })
        rounds[delivery].push(outcome)
      }
    }
    for (const delivery of deliveries) {
      const row = rowOf(work, delivery, rounds)
      rows.push(row)
      console.log(lineOf(row))
    }
  }
  const about = { broker: values.broker, records, rounds: Number(values.rounds), partitions, keys, valueBytes }
  if (values.json) console.log(JSON.stringify({ ...about, rows }))
} finally {
  await broker.stop()
}

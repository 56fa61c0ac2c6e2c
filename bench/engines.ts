/**
 * Engines side by side: `npm run bench:engines` (`--json`: the last line is one JSON object; `--us 0,50,200,1000`: how long a
 * handler burns CPU; `--rounds N`, `--workers N`, `--seconds N`: about how long a run of the async engine takes).
 *
 * The embedded broker runs in a process of its own, every contender in another; all read the same records, in turn, round by
 * round. `bare` is a pool of threads with no log behind it. Medians with spread, and ratios: these machines are noisy.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { root } from '../scripts/files.ts'
import { createAdmin, createProducer } from '../src/index.ts'
import { hash } from './engines/handler.ts'
import type { Outcome, Task } from './engines/run.ts'

const { values } = parseArgs({
  options: {
    us: { type: 'string', default: '0,50,200,1000' },
    rounds: { type: 'string', default: '3' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seconds: { type: 'string', default: '6' },
    json: { type: 'boolean', default: false },
  },
})
const engines = ['async', 'threads', 'processes', 'bare'] as const
type Engine = (typeof engines)[number]
const workers = Number(values.workers)
const rounds = Number(values.rounds)
const valueBytes = 100
const partitions = 8
const keys = 1_000
const noopRecords = 200_000

/** How many rounds of hashing take a microsecond here, measured when everything is compiled. */
function calibrate(): number {
  const times = 2_000
  for (let warm = 0; warm < 20; warm++) hash(null, times)
  const took = Array.from({ length: 15 }, () => {
    const began = performance.now()
    hash(null, times)
    return performance.now() - began
  }).sort((a, b) => a - b)
  return times / ((took[3] as number) * 1_000)
}

async function startBroker(): Promise<{ readonly brokers: string[]; stop(): Promise<void> }> {
  const args = [join(root, 'src/cli/main.ts'), 'broker', '--port', '0', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => child.kill())
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { brokers } = JSON.parse(String(line)) as { brokers: string[] }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { brokers, stop }
}

async function fill(brokers: string[], topic: string, records: number): Promise<void> {
  await using admin = await createAdmin({ brokers })
  await admin.createTopics([{ name: topic, partitions }])
  const producer = await createProducer({ brokers, tune: 'throughput' })
  const value = Buffer.alloc(valueBytes, 7)
  for (let from = 0; from < records; from += 1_000) {
    const count = Math.min(1_000, records - from)
    await producer.send(Array.from({ length: count }, (_, at) => ({ topic, key: `k${(from + at) % keys}`, value })))
  }
  await producer.close()
}

async function runOnce(task: Task, hashRounds: number): Promise<Outcome> {
  const run = promisify(execFile)
  const env = { ...process.env, FANLANE_BENCH_ROUNDS: String(hashRounds) }
  const args = [join(import.meta.dirname, 'engines/run.ts'), JSON.stringify(task)]
  const { stdout } = await run(process.execPath, args, { env, timeout: 300_000 })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Outcome
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

interface Row {
  readonly handlerUs: number
  readonly engine: Engine
  readonly records: number
  readonly perSecond: number
  readonly perSecondMin: number
  readonly perSecondMax: number
  readonly cpuUsPerRecord: number
  /** Of the async engine's rate, round by round. */
  readonly ratioToAsync: number
}

async function compare(brokers: string[], handlerUs: number, perUs: number): Promise<Row[]> {
  const records = handlerUs === 0 ? noopRecords : Math.ceil((Number(values.seconds) * 1e6) / (handlerUs + 5))
  const topic = `bench-${handlerUs}`
  await fill(brokers, topic, records)
  const outcomes = new Map<Engine, Outcome[]>(engines.map((engine) => [engine, []]))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < engines.length; turn++) {
      const engine = engines[(turn + round) % engines.length] as Engine
      const task: Task = { engine, brokers, topic, partitions, records, workers, valueBytes }
      const outcome = await runOnce(task, Math.round(handlerUs * perUs))
      outcomes.get(engine)?.push(outcome)
      console.log(`${handlerUs} µs, round ${round + 1}, ${engine}: ${Math.round(outcome.perSecond)} records/s`)
    }
  }
  const async = outcomes.get('async') ?? []
  return engines.map((engine) => {
    const list = outcomes.get(engine) ?? []
    const rates = list.map(({ perSecond }) => perSecond)
    return {
      handlerUs,
      engine,
      records,
      perSecond: Math.round(median(rates)),
      perSecondMin: Math.round(Math.min(...rates)),
      perSecondMax: Math.round(Math.max(...rates)),
      cpuUsPerRecord: Number(median(list.map(({ cpuUsPerRecord }) => cpuUsPerRecord)).toFixed(1)),
      ratioToAsync: Number(median(rates.map((rate, at) => rate / (async[at]?.perSecond ?? Number.NaN))).toFixed(2)),
    }
  })
}

const perUs = calibrate()
const { brokers, stop } = await startBroker()
const rows: Row[] = []
for (const us of values.us.split(',').map(Number)) rows.push(...(await compare(brokers, us, perUs)))
await stop()
console.table(rows)

const find = (us: number, engine: Engine): Row | undefined =>
  rows.find((row) => row.handlerUs === us && row.engine === engine)
const noop = find(0, 'threads')
const bare = find(0, 'async')
const longest = Math.max(...rows.map(({ handlerUs }) => handlerUs))
const summary = {
  cores: availableParallelism(),
  cpu: cpus()[0]?.model,
  node: process.version,
  workers,
  rounds,
  noopThreadsPerSecond: noop?.perSecond,
  /** What a record costs more in a thread than on the event loop, in CPU time of all cores. */
  wallCpuUsPerRecord:
    noop === undefined || bare === undefined
      ? undefined
      : Number((noop.cpuUsPerRecord - bare.cpuUsPerRecord).toFixed(1)),
  cpuHandlerUs: longest,
  threadsToAsync: find(longest, 'threads')?.ratioToAsync,
  processesToAsync: find(longest, 'processes')?.ratioToAsync,
  bareToAsync: find(longest, 'bare')?.ratioToAsync,
  /** The shortest handler of this run for which threads were faster than the event loop. */
  crossoverUs: rows.find(({ engine, ratioToAsync }) => engine === 'threads' && ratioToAsync > 1)?.handlerUs ?? null,
  rows,
}
if (values.json) console.log(JSON.stringify(summary))

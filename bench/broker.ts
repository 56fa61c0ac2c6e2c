/**
 * The embedded broker beside Apache Kafka: `npm run bench:broker` (`--json`: the last line is one JSON object; `--rounds N`,
 * `--records N`). Kafka's own perf tools and kcat measure both, in turn, round by round, on the same disk; each broker is a
 * process of its own with its default settings, ours with `sync: always` (acks=all answers after fdatasync; Apache Kafka leaves
 * the disk to the operating system). Medians with spread, and ratios: these machines are noisy.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/files.ts'
import { startKafkaCluster } from '../scripts/kafka/cluster.ts'
import { classPath, kafkaJars } from '../scripts/kafka/jars.ts'

interface Target {
  readonly name: 'fanlane' | 'Apache Kafka'
  readonly address: string
  stop(): Promise<void>
}

/** One thing that is measured; bigger is better unless it is a latency. */
interface Task {
  readonly name: string
  readonly unit: 'records/s' | 'ms'
  run(target: Target, topic: string): Promise<Readonly<Record<string, number>>>
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    records: { type: 'string', default: '500000' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const records = Number(values.records)
const scratch = mkdtempSync(join(tmpdir(), 'fanlane-bench-'))

async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${command} ${args.slice(-6).join(' ')} ended with ${code}:\n${text.slice(-2_000)}`)
  return text
}

async function javaTool(main: string, args: readonly string[]): Promise<string> {
  const flags = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error']
  return output('java', [...flags, '-cp', classPath(await kafkaJars()), main, ...args])
}

async function startFanlane(): Promise<Target> {
  const entry = join(root, 'dist', 'cli', 'main.js')
  const child = spawn(
    process.execPath,
    [entry, 'broker', '--data', join(scratch, 'fanlane'), '--port', '0', '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { brokers } = JSON.parse(String(line)) as { brokers: string[] }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { name: 'fanlane', address: brokers[0] as string, stop }
}

async function startApacheKafka(): Promise<Target> {
  const cluster = await startKafkaCluster({ forSpeed: true })
  return { name: 'Apache Kafka', address: cluster.brokers[0] as string, stop: () => cluster.stop() }
}

function produce(size: number, acks: string): Task {
  const count = size > 500 ? Math.ceil(records / 4) : records
  return {
    name: `produce ${size} B, acks=${acks} (Kafka's perf tool)`,
    unit: 'records/s',
    async run({ address }, topic) {
      const text = await javaTool('org.apache.kafka.tools.ProducerPerformance', [
        ...['--topic', topic, '--num-records', String(count), '--record-size', String(size), '--throughput', '-1'],
        ...['--producer-props', `bootstrap.servers=${address}`, `acks=${acks}`],
      ])
      const last = text.trim().split('\n').at(-1) ?? ''
      return { [this.name]: numberIn(last, /([\d.]+) records\/sec/) }
    },
  }
}

const consume: Task = {
  name: "consume 100 B (Kafka's perf tool)",
  unit: 'records/s',
  async run({ address }, topic) {
    const text = await javaTool('org.apache.kafka.tools.ConsumerPerformance', [
      ...['--bootstrap-server', address, '--topic', topic, '--messages', String(records), '--timeout', '60000'],
    ])
    const [header, row] = text
      .trim()
      .split('\n')
      .filter((line) => line.includes(','))
      .slice(-2)
      .map((line) => line.split(',').map((cell) => cell.trim()))
    return { [this.name]: Number(row?.[header?.indexOf('fetch.nMsg.sec') ?? -1]) }
  },
}

const endToEnd: Task = {
  name: 'end to end',
  unit: 'ms',
  async run({ address }, topic) {
    const text = await javaTool('org.apache.kafka.tools.EndToEndLatency', [address, topic, '3000', '1', '100'])
    return {
      'end to end, acks=1, p50': numberIn(text, /50th = (\d+)/),
      'end to end, acks=1, p99': numberIn(text, /99th = (\d+)/),
    }
  },
}

function kcat(direction: 'produce' | 'consume'): Task {
  return {
    name: `kcat ${direction} 100 B${direction === 'produce' ? ', acks=all' : ''}`,
    unit: 'records/s',
    async run({ address }, topic) {
      const before = performance.now()
      const common = ['-b', address, '-t', `${topic}-kcat`]
      if (direction === 'produce') await output('kcat', [...common, '-P', '-X', 'acks=all', '-l', lines()])
      else await output('sh', ['-c', `kcat -b ${address} -t ${topic}-kcat -C -o beginning -e -q > /dev/null`])
      return { [this.name]: (records / (performance.now() - before)) * 1_000 }
    },
  }
}

let linesFile: string | undefined
function lines(): string {
  if (linesFile === undefined) {
    linesFile = join(scratch, 'lines.txt')
    writeFileSync(linesFile, Array.from({ length: records }, (_, n) => String(n).padStart(99, '0')).join('\n'))
  }
  return linesFile
}

function numberIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`no ${String(pattern)} in:\n${text}`)
  return Number(found)
}

const tasks: readonly Task[] = [
  produce(100, '1'),
  produce(100, 'all'),
  consume,
  produce(1_000, '1'),
  produce(1_000, 'all'),
  kcat('produce'),
  kcat('consume'),
  endToEnd,
]

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
const spread = (list: readonly number[]): number =>
  Math.round(((Math.max(...list) - Math.min(...list)) / median(list)) * 100)

async function main(): Promise<void> {
  const seen = new Map<string, { unit: Task['unit']; by: Map<string, number[]> }>()
  const targets = [await startFanlane(), await startApacheKafka()]
  try {
    for (let round = 0; round < rounds; round++) {
      // Whoever went second goes first now.
      const order = round % 2 === 0 ? targets : [...targets].reverse()
      for (const task of tasks) {
        for (const target of order) {
          const topic = `bench-${round}`
          const results = await task.run(target, topic)
          for (const [name, value] of Object.entries(results)) {
            const entry = seen.get(name) ?? { unit: task.unit, by: new Map<string, number[]>() }
            entry.by.set(target.name, [...(entry.by.get(target.name) ?? []), value])
            seen.set(name, entry)
            console.log(
              `round ${round + 1}, ${target.name}, ${name}: ${Math.round(value).toLocaleString('en')} ${task.unit}`,
            )
          }
        }
      }
    }
  } finally {
    for (const target of targets) await target.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
  report(seen)
}

function report(seen: ReadonlyMap<string, { unit: string; by: ReadonlyMap<string, readonly number[]> }>): void {
  const rows = [...seen].map(([name, { unit, by }]) => {
    const ours = by.get('fanlane') ?? []
    const theirs = by.get('Apache Kafka') ?? []
    return {
      name,
      unit,
      fanlane: Math.round(median(ours)),
      fanlaneSpreadPercent: spread(ours),
      kafka: Math.round(median(theirs)),
      kafkaSpreadPercent: spread(theirs),
      ratio: Number((median(ours) / median(theirs)).toFixed(2)),
    }
  })
  console.log(
    `\n${rounds} rounds; fanlane with sync: always; ratio = fanlane / Apache Kafka (latency: smaller is better)`,
  )
  for (const row of rows) {
    console.log(
      `${row.name.padEnd(46)} ${row.fanlane.toLocaleString('en').padStart(9)} ±${row.fanlaneSpreadPercent} %  ` +
        `${row.kafka.toLocaleString('en').padStart(9)} ±${row.kafkaSpreadPercent} %  ${row.unit.padEnd(10)} ${row.ratio}`,
    )
  }
  if (values.json) console.log(JSON.stringify({ rounds, records, sync: 'always', rows }))
}

await main()

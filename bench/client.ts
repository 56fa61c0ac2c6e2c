/**
 * Kafka clients side by side: `npm run bench:client` (`--json`: the last line is one JSON object; `--records N`,
 * `--rounds N`, `--broker kafka|embedded`, `--only name,name`, `--partitions 8,1`,
 * `--build folder` of another build than dist, `--profile folder` for a CPU profile of every run in Node).
 *
 * Every contender runs in a process of its own, on the same broker and the same records, in turn, round by round; whoever
 * was first is last in the next round. Every record is counted: one that is lost or comes twice is a failure, not a time.
 * Medians with spread, and ratios: these machines are noisy.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../scripts/files.ts'
import { startKafkaCluster } from '../scripts/kafka/cluster.ts'
import { kafkaJars } from '../scripts/kafka/jars.ts'
import { type Contender, contenders } from './client/contenders.ts'
import { compileJava, runContender, runNode } from './client/processes.ts'
import { ratiosOf, rowOf, type Series, table } from './client/report.ts'
import { type Outcome, type Task, totalOf } from './client/task.ts'
import { Topics } from './client/topics.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    broker: { type: 'string', default: 'kafka' },
    only: { type: 'string', default: '' },
    partitions: { type: 'string', default: '8,1' },
    build: { type: 'string', default: join(root, 'dist') },
    profile: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const records = Number(values.records)
const rounds = Number(values.rounds)
const partitionCounts = values.partitions.split(',').map(Number)
const scratch = mkdtempSync(join(tmpdir(), 'fanlane-clients-'))
const build = join(scratch, 'build')

interface Broker {
  readonly brokers: readonly string[]
  readonly name: string
  stop(): Promise<void>
}

async function startApacheKafka(): Promise<Broker> {
  const cluster = await startKafkaCluster({ forSpeed: true })
  return { brokers: cluster.brokers, name: `Apache Kafka ${await javaVersion()}`, stop: () => cluster.stop() }
}

async function startEmbedded(): Promise<Broker> {
  const entry = join(build, 'cli', 'main.js')
  const args = [entry, 'broker', '--data', join(scratch, 'data'), '--port', '0', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { brokers } = JSON.parse(String(line)) as { brokers: string[] }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { brokers, name: 'fanlane embedded', stop }
}

async function javaVersion(): Promise<string> {
  const names = readdirSync(await kafkaJars()).map((name) => /^kafka-clients-(.*)\.jar$/.exec(name)?.[1])
  return names.find((version) => version !== undefined) ?? 'unknown'
}

/** Those that were asked for and can run. Who cannot is named: silence would look like a win. */
function chosen(): Contender[] {
  const only = values.only.split(',').filter((name) => name !== '')
  const unknown = only.filter((name) => !contenders.some((each) => each.name === name))
  if (unknown.length > 0) {
    throw new Error(`--only: no ${unknown.join(', ')}; there are ${contenders.map(({ name }) => name).join(', ')}`)
  }
  const hasProducer = readFileSync(join(build, 'index.js'), 'utf8').includes('createProducer')
  return contenders.filter(({ name }) => {
    if (only.length > 0 && !only.includes(name)) return false
    if (name !== 'fanlane-produce' || hasProducer) return true
    console.error('NOT RUN: fanlane-produce, because this build does not export createProducer')
    return false
  })
}

interface Stage {
  readonly topics: Topics
  readonly brokers: readonly string[]
  readonly classes: string
  /** Filled topics by number of partitions. */
  readonly filled: ReadonlyMap<number, { readonly topic: string; readonly ends: readonly number[] }>
}

let runs = 0

async function runOnce(stage: Stage, contender: Contender, partitions: number): Promise<Outcome> {
  const { brokers, classes, topics } = stage
  const group = `bench-${contender.name}-${++runs}`
  const flags =
    values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=250', `--cpu-prof-dir=${values.profile}`]
  const common = { contender: contender.name, brokers, group, build }
  if (contender.kind === 'produce') {
    const topic = `out-${runs}`
    await topics.create(topic, partitions)
    const ends = Array.from({ length: partitions }, (_, n) => Math.floor((records + n) / partitions))
    const outcome = await runContender(contender, { ...common, topic, ends }, classes, flags)
    await checkProduced(topics, { ...common, topic, ends })
    await topics.delete(topic)
    return outcome
  }
  const { topic, ends } = stage.filled.get(partitions) ?? { topic: '', ends: [] }
  const outcome = await runContender(contender, { ...common, topic, ends }, classes, flags)
  if (!contender.commits) return outcome
  const committed = await topics.committed(group, topic, partitions)
  if (outcome.committedMs !== null && committed.join() === ends.join()) return outcome
  throw new Error(`committed ${committed.join(' ')}, the log ends at ${ends.join(' ')}`)
}

async function checkProduced(topics: Topics, task: Task): Promise<void> {
  const ends = await topics.ends(task.topic)
  if (totalOf(ends) !== totalOf(task.ends)) throw new Error(`the log has ${totalOf(ends)} of ${totalOf(task.ends)}`)
  await runNode({ ...task, contender: 'read-back', ends })
}

/** The first group makes the broker create its offsets topic, and the first reader finds its code not compiled. */
async function warmUp(stage: Stage): Promise<void> {
  const reader = contenders.find(({ name }) => name === 'kafkajs')
  for (const { topic } of stage.filled.values()) await stage.topics.makeGroupsReady(topic)
  for (const partitions of partitionCounts) if (reader !== undefined) await runOnce(stage, reader, partitions)
}

async function compare(stage: Stage): Promise<Series[]> {
  const all: Series[] = chosen().flatMap((contender) =>
    partitionCounts.map((partitions) => ({ contender, partitions, records, rounds: [] })),
  )
  const perCount = partitionCounts.map((count) => all.filter(({ partitions }) => partitions === count))
  for (let round = 0; round < rounds; round++) {
    for (const list of perCount) {
      for (let turn = 0; turn < list.length; turn++) {
        const one = list[(turn + round) % list.length]
        if (one === undefined) continue
        const { contender, partitions } = one
        const result = await runOnce(stage, contender, partitions).catch((error) => String(error))
        one.rounds.push(result)
        const said = typeof result === 'string' ? `FAILED: ${result}` : summary(result)
        console.log(`round ${round + 1}, ${partitions} p, ${contender.name}: ${said}`)
      }
    }
  }
  return all
}

function summary({ firstMs, lastMs, committedMs, cpuSeconds, peakRssMb }: Outcome): string {
  const times = [firstMs, lastMs, committedMs].map((ms) => (ms === null ? '–' : (ms / 1e3).toFixed(2)))
  return `first ${times[0]} s, last ${times[1]} s, committed ${times[2]} s, CPU ${cpuSeconds.toFixed(2)} s, ${peakRssMb.toFixed(0)} MB`
}

function installed(name: string): string {
  return (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as { version: string })
    .version
}

async function main(): Promise<void> {
  // A copy: whoever builds again meanwhile does not change what is measured.
  cpSync(values.build, build, { recursive: true })
  writeFileSync(join(scratch, 'package.json'), '{ "type": "module" }')
  const classes = await compileJava(join(scratch, 'classes'))
  const broker = await (values.broker === 'embedded' ? startEmbedded() : startApacheKafka())
  const topics = new Topics(broker.brokers)
  try {
    const filled = new Map<number, { topic: string; ends: readonly number[] }>()
    for (const partitions of partitionCounts) {
      const topic = `in-${partitions}`
      await topics.create(topic, partitions)
      filled.set(partitions, { topic, ends: await topics.fill(topic, partitions, records) })
    }
    const stage = { topics, brokers: broker.brokers, classes, filled }
    await warmUp(stage)
    const all = await compare(stage)
    await report(all, broker.name)
  } finally {
    await topics.close()
    await broker.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function report(all: readonly Series[], broker: string): Promise<void> {
  const rows = all.map(rowOf)
  const ratios = ratiosOf(all)
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GB`
  const versions = {
    node: process.versions.node,
    kafkajs: installed('kafkajs'),
    '@platformatic/kafka': installed('@platformatic/kafka'),
    'kafka-clients': await javaVersion(),
  }
  console.log(`\n${broker}, ${records.toLocaleString('en')} records of 100 B with keys, ${rounds} rounds, ${machine}`)
  console.log(table(rows, ratios))
  if (!values.json) return
  console.log(JSON.stringify({ machine, versions, broker, records, rounds, contenders: rows, ratios }))
}

await main()

/**
 * Is this tree slower than another commit? `npm run bench:compare -- main`. Both are built, and the same work is done by one and by
 * the other in turn, in fresh processes, on one embedded broker: what is compared is the ratio of every round, so that a slow minute of the
 * machine hits both. It ends with 1 only if something is slower than the bound by more than the spread: in every single round.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ContenderName, contender } from '../bench/contenders/index.ts'
import { startBroker } from '../bench/core/brokers.ts'
import type { Shape } from '../bench/core/plan.ts'
import { killAll } from '../bench/core/processes.ts'
import { isGood } from '../bench/core/results.ts'
import { summaryOf } from '../bench/core/runner.ts'
import { Stage } from '../bench/core/stage.ts'
import { ratioOf, type Spread, shownSpread } from '../bench/core/stats.ts'
import { Topics } from '../bench/core/topics.ts'
import { command, mustRun } from '../test/support/command.ts'
import { root } from './files.ts'
import { orUsage } from './usage.ts'

const HELP = `npm run bench:compare -- COMMIT [options]
  --rounds N     so many rounds (7)
  --bound X      slower than X times the other in every round is a failure (0.95)
  --quick        small sizes: to see that it works
  --json         the last line of stdout is one JSON object`

interface Job {
  readonly name: string
  readonly contender: ContenderName
  readonly shape: Shape
  readonly handlerMs: number
}

function jobs(quick: boolean): Job[] {
  const shape = { keys: 1_000, distribution: 'even', valueBytes: 100 } as const
  const many = quick ? 20_000 : 500_000
  return [
    {
      name: 'W1: handlers wait 5 ms',
      contender: 'ours',
      shape: { ...shape, partitions: 1, records: quick ? 1_000 : 20_000 },
      handlerMs: 5,
    },
    { name: 'W4: no-op', contender: 'ours', shape: { ...shape, partitions: 8, records: many }, handlerMs: 0 },
    {
      name: 'W4: reads the value',
      contender: 'ours-reading',
      shape: { ...shape, partitions: 8, records: many },
      handlerMs: 0,
    },
  ]
}

const timeoutMs = 120_000

function parse() {
  const parsed = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '7' },
      bound: { type: 'string', default: '0.95' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const [rounds, bound] = [Number(parsed.values.rounds), Number(parsed.values.bound)]
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1')
  if (!(bound > 0 && bound <= 1)) throw new Error('--bound must be a number above 0, at most 1')
  if (parsed.positionals.length !== 1 && !parsed.values.help) throw new Error('which commit is it compared with?')
  return { ...parsed.values, rounds, bound, commit: parsed.positionals[0] ?? '' }
}

const { rounds, bound, quick, json, help, commit } = orUsage(HELP, parse)
if (help) {
  console.log(HELP)
  process.exit(0)
}

const folder = join(root, '.cache', 'bench', `compare-${process.pid}`)
const tree = join(folder, 'tree')
process.on('exit', () => {
  killAll()
  rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

async function compile(from: string, out: string): Promise<string> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { code, stdout } = await command(process.execPath, [
    tsc,
    '-p',
    join(from, 'tsconfig.build.json'),
    '--outDir',
    out,
  ])
  if (code !== 0) console.error(`${out} has errors, and is measured as it is:\n${stdout.trim().slice(-1_000)}`)
  return out
}

const builds = await buildBoth()
const broker = await startBroker('embedded', builds.mine, join(folder, 'broker'))
const topics = new Topics(broker.brokers)
const rows = await compare()
await topics.close()
await broker.stop()

const slower = rows.filter(({ ratio }) => ratio === null || ratio.max < bound)
console.log(`\nthis tree ÷ ${commit}, ${rounds} rounds; below 1 this tree is slower, or needs more CPU`)
for (const { name, by, ratio } of rows) console.log(`${`${name}, ${by}`.padEnd(40)} ${shownSpread(ratio)}`)
for (const { name, by, ratio } of slower) {
  console.error(
    ratio === null ? `${name}: not measured` : `${name}, ${by}: slower than ${bound} × ${commit} in every round`,
  )
}
if (json) console.log(JSON.stringify({ commit, rounds, bound, quick, rows, isSlower: slower.length > 0 }))
process.exit(slower.length === 0 ? 0 : 1)

async function buildBoth(): Promise<{ readonly mine: string; readonly theirs: string }> {
  mkdirSync(tree, { recursive: true })
  // Its files without its history: nothing of this repository changes, however we end.
  const archive = join(folder, 'tree.tar')
  await mustRun('git', ['-C', root, 'archive', '--output', archive, commit])
  await mustRun('tar', ['-xf', archive, '-C', tree])
  // What the other commit needs to compile is taken to be what this one needs.
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const mine = await compile(root, join(folder, 'mine'))
  return { mine, theirs: await compile(tree, join(folder, 'theirs')) }
}

interface Row {
  readonly name: string
  readonly by: 'rate' | 'CPU'
  readonly ratio: Spread | null
}

async function compare(): Promise<Row[]> {
  await topics.create('ready', 1)
  await topics.makeGroupsReady('ready')
  const result: Row[] = []
  for (const job of jobs(quick)) {
    const stages = [builds.mine, builds.theirs].map(
      (build) => new Stage({ broker, topics, scratch: folder, build, quick, handlerUs: [], profiles: null }),
    )
    const filled = await (stages[0] as Stage).filled(job.shape)
    const rates: [(number | null)[], (number | null)[]] = [[], []]
    const cpus: [(number | null)[], (number | null)[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const part = { order: 'key', concurrency: 100, handlerMs: job.handlerMs } as const
        const run = (stages[side] as Stage).run(contender(job.contender), filled, part, timeoutMs)
        const measured = await run.catch((error: Error) => ({ failed: error.message }))
        console.log(`${job.name}, round ${round + 1}, ${side === 0 ? 'this tree' : commit}: ${summaryOf(measured)}`)
        rates[side][round] = isGood(measured) ? measured.rate : null
        cpus[side][round] = isGood(measured) ? measured.cpuSeconds : null
      }
    }
    result.push({ name: job.name, by: 'rate', ratio: ratioOf(rates[0], rates[1]) })
    // The other way round: above 1 is better here as well.
    result.push({ name: job.name, by: 'CPU', ratio: ratioOf(cpus[1], cpus[0]) })
    await (stages[0] as Stage).clear()
  }
  return result
}

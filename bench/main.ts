/**
 * fanlane side by side with everything a user could pick instead: `npm run bench` (`-- --help`). Every contender runs in a process
 * of its own, in turn, round by round, on the same broker and the same records; an independent ledger says what was lost, came
 * twice or out of order. A result with losses is a failure, never a time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from '../scripts/files.ts'
import { orUsage } from '../scripts/usage.ts'
import { command } from '../test/support/command.ts'
import { type Contender, contender } from './contenders/index.ts'
import { type Broker, type BrokerKind, startBroker } from './core/brokers.ts'
import { keep, keepProfile, readLatest, resultsFolder, writePage } from './core/files.ts'
import { missing } from './core/install.ts'
import { git, machine, system, versions } from './core/machine.ts'
import { help, type Options, optionsOf } from './core/options.ts'
import { killAll } from './core/processes.ts'
import { drawProfiles } from './core/profiles.ts'
import type { Results, VariantResult } from './core/results.ts'
import { runWorkload } from './core/runner.ts'
import { Stage } from './core/stage.ts'
import { textOf } from './core/table.ts'
import { Topics } from './core/topics.ts'
import type { Variant, Workload } from './core/workload.ts'
import { workloads } from './workloads/index.ts'

const options = orUsage(help, () => optionsOf(process.argv.slice(2)))
const say = (line: string): void => console.log(line)
const taken = {
  date: new Date().toISOString(),
  commit: git('rev-parse', 'HEAD'),
  changed: git('status', '--porcelain', '--', 'src') !== '',
  command: `npm run bench -- ${process.argv.slice(2).join(' ')}`.trim(),
}

process.on('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))

if (options.help) console.log(help)
else if (options.page) remakePage()
else await main(options)

function remakePage(): void {
  const results = readLatest()
  if (results === null) {
    console.error('There is no bench/results/latest.json yet: npm run bench -- --json takes the figures.')
    process.exitCode = 1
  } else say(`written: ${writePage(results, workloads).join(', ')}`)
}

async function main(asked: Options): Promise<void> {
  const startMs = performance.now()
  const chosen = workloads.filter(({ id }) => asked.only.includes(id)).map((each) => within(each, asked))
  const absent = await whoIsMissing(chosen, asked)
  say(`about ${minutesOf(chosen, asked)} minutes; Ctrl-C ends it`)
  const scratch = mkdtempSync(join(tmpdir(), 'fanlane-bench-'))
  const made = join(root, '.cache', 'bench', `build-${process.pid}`)
  process.on('exit', () => {
    for (const folder of [scratch, made]) rmSync(folder, { recursive: true, force: true })
  })
  const build = asked.build === null ? await compile(made) : resolve(asked.build)
  const variants: VariantResult[] = []
  const failures: string[] = []
  // What is measured is kept at once: whatever happens to the rest.
  const finished = async (more: readonly VariantResult[]): Promise<void> => {
    variants.push(...more)
    if (asked.json && isKept(asked)) keep(await resultsOf(variants, asked, startMs))
  }
  for (const kind of asked.brokers) {
    const here = chosen.filter((each) => each.variants(asked).some(({ brokers }) => brokers.includes(kind)))
    if (here.length === 0) continue
    await onBroker(kind, here, { asked, scratch, build, absent, finished }).catch((error: unknown) => {
      failures.push(`NOT RUN TO THE END on ${kind}: ${error instanceof Error ? error.message : error}`)
    })
  }
  if (variants.length === 0 && failures.length === 0)
    failures.push('nothing to run: none of these workloads has these contenders on that broker')
  for (const variant of variants) say(`\n${textOf(variant)}`)
  const page = asked.json && isKept(asked) ? readLatest() : null
  if (page !== null) say(`\nwritten: bench/results/latest.json, ${writePage(page, workloads).join(', ')}`)
  for (const failure of failures) console.error(failure)
  if (asked.json) console.log(JSON.stringify(await resultsOf(variants, asked, startMs)))
  process.exit(failures.length === 0 ? 0 : 1)
}

/** A look at whether it works, a part of the contenders, or what a profile slowed down, does not replace what the page is made from. */
function isKept({ quick, contenders, profile }: Options): boolean {
  return contenders === null && !profile && !quick
}

async function resultsOf(variants: readonly VariantResult[], asked: Options, startMs: number): Promise<Results> {
  return {
    format: 1,
    about: {
      ...taken,
      quick: asked.quick,
      rounds: asked.rounds,
      minutes: Math.round((performance.now() - startMs) / 6e3) / 10,
      machine: machine(),
      system: system(),
      versions: await versions(asked.brokers.includes('kafka')),
    },
    variants,
  }
}

interface Ground {
  readonly asked: Options
  readonly scratch: string
  readonly build: string
  readonly absent: ReadonlyMap<string, string>
  readonly finished: (variants: readonly VariantResult[]) => Promise<void>
}

async function onBroker(kind: BrokerKind, list: readonly Workload[], ground: Ground): Promise<void> {
  const { asked, scratch, build, absent, finished } = ground
  const { quick, handlerUs } = asked
  const broker = await startBroker(kind, build, join(scratch, 'broker'))
  const topics = new Topics(broker.brokers)
  try {
    await topics.create('ready', 1)
    await topics.makeGroupsReady('ready')
    for (const workload of list) {
      const profiles = asked.profile ? join(resultsFolder, 'profiles', `${workload.id}-${Date.now()}`) : null
      const stage = new Stage({ broker, topics, scratch: join(scratch, kind), build, quick, handlerUs, profiles })
      const whyAbsent = (one: Contender): string | null => whyNot(one, broker, absent)
      await finished(await runWorkload(workload, stage, { ...asked, whyAbsent, say, taken }))
      if (profiles === null) continue
      const drawn = drawProfiles(profiles, say)
      // Also on the page, if the figures are kept.
      if (asked.json && !quick) say(`written: ${keepProfile(drawn, { workload: workload.id, taken }).join(', ')}`)
    }
  } finally {
    await topics.close()
    await broker.stop()
  }
}

function whyNot({ needs, name }: Contender, broker: Broker, absent: ReadonlyMap<string, string>): string | null {
  if (name === 'share' && broker.whyNoShareGroups !== null) return broker.whyNoShareGroups
  return needs === undefined ? null : (absent.get(needs) ?? null)
}

/** What was asked for: some variants; a number of rounds, which then holds for every workload. */
function within(workload: Workload, { roundsAsked, rounds, variants }: Options): Workload {
  const set = (variant: Variant): Variant => (roundsAsked ? { ...variant, rounds } : variant)
  return {
    ...workload,
    variants: (scale) =>
      workload
        .variants(scale)
        .filter(({ name }) => variants?.includes(name) ?? true)
        .map(set),
  }
}

function variantsOf(chosen: readonly Workload[], asked: Options): Variant[] {
  return chosen.flatMap((workload) => workload.variants(asked))
}

async function whoIsMissing(chosen: readonly Workload[], asked: Options): Promise<ReadonlyMap<string, string>> {
  const names = new Set(
    variantsOf(chosen, asked).flatMap((variant) => variant.contenders.map(({ name }) => name as string)),
  )
  const needed = [...names]
    .filter((name) => asked.contenders === null || asked.contenders.includes(name))
    .flatMap((name) => contender(name).needs ?? [])
  return missing([...new Set(needed)])
}

function minutesOf(chosen: readonly Workload[], asked: Options): number {
  const seconds = variantsOf(chosen, asked).map((variant) => {
    const entries = variant.contenders.filter(({ name }) => asked.contenders?.includes(name) ?? true)
    const places = variant.brokers.filter((kind) => asked.brokers.includes(kind)).length
    return variant.seconds * entries.length * (variant.rounds ?? asked.rounds) * places
  })
  return Math.ceil(seconds.reduce((sum, each) => sum + each, 30) / 60)
}

/** What is measured is what is published: compiled, in a folder of its own, which nobody changes meanwhile. */
async function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder]
  const { code, stdout } = await command(process.execPath, args)
  if (code !== 0) console.error(`the build has errors, and is measured as it is:\n${stdout.trim().slice(-2_000)}`)
  return folder
}

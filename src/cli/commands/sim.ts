/** `fanlane sim`: the simulator, for one seed or many. */
import type { Command } from 'commander'
import { whole } from '../command.ts'
import { Printer } from '../output/printer.ts'
import { progressOf } from '../output/progress.ts'
import { number } from '../output/table.ts'
import { clock } from '../pause.ts'
import type { Flags } from '../settings.ts'

const SEEDS_DEFAULT = 500
const TRACE_LINES = 80

export function define(parent: Command): Command {
  return parent
    .command('sim')
    .option('--seed <n>', 'replay this one: its scenario and what happened', whole(0))
    .option('--seeds <n>', 'run so many', whole(1), SEEDS_DEFAULT)
    .option('--from <n>', 'the first of them', whole(0), 1)
    .option('--json', 'print one JSON object as the last line')
    .addHelpText(
      'after',
      `
Runs fanlane in simulated time against a simulated cluster that
crashes, loses answers and rebalances, and checks its promises.
The same seed is the same run.

Example: fanlane sim --seed 42`,
    )
    .action(run)
}

async function run(flags: Flags): Promise<void> {
  const print = new Printer(flags.json === true)
  const isFine = flags.seed === undefined ? await campaign(print, flags) : await replay(print, flags.seed as number)
  if (!isFine) process.exitCode = 1
}

async function replay(print: Printer, seed: number): Promise<boolean> {
  const [{ scenarioOf }, { runScenario }] = await Promise.all([
    import('../../testing/sim/world/scenario.ts'),
    import('../../testing/sim/world/world.ts'),
  ])
  const scenario = scenarioOf(seed)
  const { trace, hash, events, simulatedMs, violation } = await runScenario(scenario, { traceLines: TRACE_LINES })
  print.line(JSON.stringify(scenario, null, 2))
  for (const line of trace) print.line(line)
  print.line(`trace ${hash}, ${number(events)} events, ${number(Math.round(simulatedMs))} simulated ms`)
  print.line(violation === null ? 'All promises were kept.' : `BROKEN: ${violation.message}`)
  print.result({ seed, ok: violation === null, hash, events, simulatedMs, violation: violation?.message ?? null })
  return violation === null
}

async function campaign(print: Printer, flags: Flags): Promise<boolean> {
  const { runSeeds } = await import('../../testing/sim/seeds.ts')
  const startMs = clock.now()
  const count = flags.seeds as number
  const progress = progressOf('seeds')
  const { seeds, failures, events, simulatedMs } = await runSeeds({
    from: flags.from as number,
    count,
    onProgress: (done) => progress.show(done, count),
  })
  progress.end()
  const seconds = Number(((clock.now() - startMs) / 1_000).toFixed(1))
  for (const { seed, message } of failures.slice(0, 20)) print.line(`seed ${seed}: ${message}`)
  const simulated = Math.round(simulatedMs / 1_000)
  print.line(
    `${number(seeds)} seeds, ${failures.length} failed, ${seconds} s for ${number(simulated)} simulated seconds.`,
  )
  print.result({
    seeds,
    failed: failures.length,
    events,
    seconds,
    simulatedSeconds: simulated,
    failures: failures.slice(0, 20),
  })
  return failures.length === 0
}

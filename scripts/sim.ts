/**
 * The deterministic simulator: `npm run sim -- --seeds 10000`, `npm run sim -- --seed 42` to replay one.
 * A failing seed is shrunk and printed as a scenario that `--scenario` runs again.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runSeeds } from '../src/testing/sim/seeds.ts'
import { shrink } from '../src/testing/sim/shrink.ts'
import { type Scenario, scenarioOf } from '../src/testing/sim/world/scenario.ts'
import { runScenario } from '../src/testing/sim/world/world.ts'
import { orUsage } from './usage.ts'

const HELP = `npm run sim -- [options]
  --seeds N       how many seeds (10000)
  --from N        the first seed (1)
  --seed N        replay one seed: its scenario, what happened, and the smallest scenario that still fails
  --scenario F    run a scenario from a JSON file
  --target log    not the consumer but the broker's log: every state that a crash can leave, opened and checked
  --states N      with --target log: how many crash states (100000); --seed N looks at all of one seed
  --workers N     worker threads (all cores)
  --bail          stop at the first failure
  --json          the last line is one JSON object`

function parse() {
  return parseArgs({
    options: {
      seeds: { type: 'string', default: '10000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      scenario: { type: 'string' },
      target: { type: 'string', default: 'consumer' },
      states: { type: 'string', default: '100000' },
      workers: { type: 'string' },
      bail: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values
}

function whole(name: string, value: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`--${name} must be a whole number, not ${value}`)
  return process.exit(2)
}

async function replay(scenario: Scenario): Promise<boolean> {
  console.log(JSON.stringify(scenario, null, 2))
  const result = await runScenario(scenario, { traceLines: 80 })
  for (const line of result.trace) console.log(line)
  console.log(`trace ${result.hash}, ${result.events} events, ${Math.round(result.simulatedMs)} simulated ms`)
  if (result.violation === null) {
    console.log('passed')
    return true
  }
  console.log(`FAILED ${result.violation.stack}`)
  const smaller = await shrink(scenario)
  if (smaller !== null)
    console.log(`\nsmallest that fails (${smaller.runs} runs): ${smaller.message}\n${JSON.stringify(smaller.scenario)}`)
  return false
}

async function campaign(
  from: number,
  count: number,
  workers: number | null,
  bail: boolean,
  json: boolean,
): Promise<boolean> {
  const started = performance.now()
  let shown = 0
  const result = await runSeeds({
    from,
    count,
    bail,
    ...(workers === null ? {} : { workers }),
    onProgress: (done, failed) => {
      if (performance.now() - shown < 5_000) return
      shown = performance.now()
      console.log(`${done} of ${count} seeds, ${failed} failed`)
    },
  })
  const seconds = (performance.now() - started) / 1_000
  for (const { seed, message } of result.failures.slice(0, 20)) console.log(`seed ${seed}: ${message.slice(0, 2_000)}`)
  const first = result.failures[0]
  if (first !== undefined && !json) {
    const smaller = await shrink(scenarioOf(first.seed))
    if (smaller !== null)
      console.log(`\nseed ${first.seed}, smallest that fails: ${smaller.message}\n${JSON.stringify(smaller.scenario)}`)
  }
  const { seeds, events, simulatedMs, replayed, failures } = result
  const summary = {
    seeds,
    failed: failures.length,
    seconds: Number(seconds.toFixed(1)),
    events,
    simulatedSeconds: Math.round(simulatedMs / 1_000),
    replayed,
  }
  console.log(
    `${seeds} seeds, ${failures.length} failed, ${replayed} replayed alike, ${seconds.toFixed(1)} s for ${summary.simulatedSeconds} simulated s`,
  )
  if (json)
    console.log(
      JSON.stringify({
        ...summary,
        failures: failures.slice(0, 20).map(({ seed, invariant }) => ({ seed, invariant })),
      }),
    )
  return failures.length === 0
}

/** Crash states of the broker's log: those of one seed, or so many over seeds from `from` on. */
async function logCrashes(seed: number, states: number, json: boolean): Promise<boolean> {
  // Loaded only here: the mutants run the other target in a copy without tests.
  const { runLogCrashes } = await import('../test/sim/log/crash-states.ts')
  const started = performance.now()
  let shown = started
  const result = await runLogCrashes({
    seed,
    states,
    report: (progress) => {
      if (performance.now() - shown < 5_000 || json) return
      shown = performance.now()
      console.log(`${progress.states} crash states of ${progress.seeds} seeds`)
    },
  })
  const seconds = Number(((performance.now() - started) / 1_000).toFixed(1))
  const { failure } = result
  if (failure !== undefined) console.log(`FAILED, seed ${failure.seed}, ${failure.invariant}: ${failure.message}`)
  console.log(
    `${result.states} crash states of ${result.seeds} seeds, ${failure === undefined ? 'none' : 'one'} failed, ${seconds} s`,
  )
  if (json) console.log(JSON.stringify({ ...result, seconds }))
  return failure === undefined
}

const values = orUsage(HELP, parse)
if (!['consumer', 'log'].includes(values.target)) {
  console.error(`--target is consumer or log, not ${values.target}`)
  process.exit(2)
}
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const passed =
  values.target === 'log'
    ? await logCrashes(
        whole('seed', values.seed ?? values.from),
        values.seed === undefined ? whole('states', values.states) : 0,
        values.json,
      )
    : values.seed !== undefined
      ? await replay(scenarioOf(whole('seed', values.seed)))
      : values.scenario !== undefined
        ? await replay(JSON.parse(readFileSync(values.scenario, 'utf8')) as Scenario)
        : await campaign(
            whole('from', values.from),
            whole('seeds', values.seeds),
            values.workers === undefined ? null : whole('workers', values.workers),
            values.bail,
            values.json,
          )
process.exitCode = passed ? 0 : 1

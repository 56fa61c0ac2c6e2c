/**
 * Real processes, real sockets, real kills: `npm run chaos -- --mode exactly-once --broker kafka --kills 30`.
 * The same seed gives the same faults. Ends with 1 when a promise was broken, and keeps the ledger for a look.
 */
import { parseArgs } from 'node:util'
import { type BrokerName, brokerNames, startChaosBroker } from '../test/chaos/brokers.ts'
import { engines, type Mode, modes, planOf } from '../test/chaos/plan.ts'
import { type Summary, stragglerSummary, stragglerTable, summaryOf, tableOf } from '../test/chaos/report.ts'
import { chaosRun } from '../test/chaos/run.ts'
import { stragglerRounds } from '../test/chaos/straggler.ts'
import { KafkaUnavailable } from './kafka/jars.ts'
import { orUsage } from './usage.ts'

const HELP = `npm run chaos -- [options]
  --mode M        at-least-once (default), at-most-once, exactly-once, or all
  --broker B      embedded (default) or kafka
  --records N     how many records (100000; with --large 400)
  --kills N       how often a consumer is killed (30); the other faults come in proportion
  --seed N        the schedule of faults and the settings of the consumers (1)
  --seconds N     no new fault after so long
  --short         all three modes, few records and faults: about two minutes
  --straggler     one partition, one record that takes ten seconds, kill -9 in the middle, again and again
  --rounds N      with --straggler: how often (20); --records (50000), --broker and --seed count as well
  --engine E      async (default), threads or processes: in these, some records kill their worker
  --large         values of a megabyte, consumers with a heap of 256 MB
  --keep          keep the ledger also when nothing is broken
  --json          the last line is one JSON object`

function parse() {
  return parseArgs({
    options: {
      mode: { type: 'string' },
      broker: { type: 'string', default: 'embedded' },
      records: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      short: { type: 'boolean', default: false },
      large: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'async' },
      straggler: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '20' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values
}

function usage(message: string): never {
  console.error(`${message}\n\n${HELP}`)
  return process.exit(2)
}

function whole(name: string, value: string): number {
  const number = Number(value)
  if (value !== '' && Number.isSafeInteger(number) && number >= 0) return number
  return usage(`--${name} must be a whole number, not '${value}'`)
}

function oneOf<Name extends string>(name: string, value: string, known: readonly Name[]): Name {
  return known.find((each) => each === value) ?? usage(`--${name} is one of ${known.join(', ')}, not '${value}'`)
}

const values = orUsage(HELP, parse)
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const { short, large, json, keep } = values
const broker: BrokerName = oneOf('broker', values.broker, brokerNames)
const seed = whole('seed', values.seed)
const engine = oneOf('engine', values.engine, engines)

async function chaos(): Promise<boolean> {
  const mode = oneOf('mode', values.mode ?? (short ? 'all' : 'at-least-once'), [...modes, 'all'])
  const records = whole('records', values.records ?? (large ? '400' : short ? '5000' : '100000'))
  const kills = whole('kills', values.kills ?? (large ? '4' : short ? '1' : '30'))
  // On a slow machine the short form has fewer faults, not more minutes.
  const secondsMax = whole('seconds', values.seconds ?? (short ? '40' : '3600'))
  const chosen: readonly Mode[] = mode === 'all' ? modes : [mode]
  const summaries: Summary[] = []
  for (const each of chosen) {
    const plan = planOf({ mode: each, seed, records, kills, large, engine })
    const log = (line: string): void => console.error(`${each} ${line}`)
    const result = await chaosRun({ plan, broker, secondsMax, keep, log })
    console.log(tableOf(result))
    summaries.push(summaryOf(result))
  }
  const [only] = summaries
  if (json) console.log(JSON.stringify(summaries.length === 1 ? only : totalOf(summaries)))
  return summaries.every(({ ok }) => ok)
}

async function straggler(): Promise<boolean> {
  const rounds = whole('rounds', values.rounds)
  const records = whole('records', values.records ?? '50000')
  const running = await startChaosBroker(broker)
  try {
    const log = (line: string): void => console.error(line)
    const address = running.direct
    const keys = Math.max(1, Math.floor(records / 10))
    const result = await stragglerRounds({
      address,
      name: 'straggler',
      rounds,
      records,
      keys,
      longMs: 10_000,
      slowMs: 1,
      seed,
      log,
    })
    console.log(stragglerTable(result, broker, seed))
    const summary = stragglerSummary(result)
    if (json) console.log(JSON.stringify({ ...summary, broker, seed, records }))
    return summary.ok
  } finally {
    await running.close()
  }
}

// Whoever ends it by hand leaves no process and no log of the broker behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

try {
  process.exitCode = (await (values.straggler ? straggler() : chaos())) ? 0 : 1
} catch (error) {
  console.error(error instanceof KafkaUnavailable ? `No Apache Kafka here: ${error.message}` : error)
  process.exitCode = 1
}

function totalOf(runs: readonly Summary[]): object {
  const sum = (of: (run: Summary) => number): number => runs.reduce((total, run) => total + of(run), 0)
  return {
    ok: runs.every(({ ok }) => ok),
    records: sum((run) => run.records),
    faults: sum((run) => run.faults),
    // At-most-once may lose, and says so in its own run.
    lost: sum((run) => (run.mode === 'at-most-once' ? 0 : run.lost)),
    reordered: sum((run) => run.reordered),
    duplicated: sum((run) => run.duplicated),
    bound: sum((run) => run.bound),
    recoveryMs: Math.max(...runs.map(({ recoveryMs }) => recoveryMs ?? 0)),
    runs,
  }
}

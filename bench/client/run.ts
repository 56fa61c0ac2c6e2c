/** One contender, once, in this process: `node run.ts '{"contender":"kafkajs", …}'`. Prints what came out and exits. */
import { readFileSync } from 'node:fs'
import { type Contestant, contestants, type NodeContender } from './contestants.ts'
import { Ledger } from './ledger.ts'
import { type Outcome, outcomeMark, type Task } from './task.ts'

const task = JSON.parse(process.argv[2] ?? '{}') as Task
const contestant: Contestant = await contestants[task.contender as NodeContender](task)

const before = process.resourceUsage()
const startMs = performance.now()
const times = 'consume' in contestant ? await consumed(contestant.consume) : await produced(contestant.produce)
const after = process.resourceUsage()
const since = (name: 'userCPUTime' | 'systemCPUTime'): number => (after[name] - before[name]) / 1e6
const outcome: Outcome = {
  ...times,
  cpuSeconds: since('userCPUTime') + since('systemCPUTime'),
  peakRssMb: peakRssMb(),
}
// Behind what was profiled, if it was: an exit that is not forced would wait for connections.
process.stdout.write(`\n${outcomeMark}${JSON.stringify(outcome)}\n`, () => process.exit(0))

type Times = Pick<Outcome, 'firstMs' | 'lastMs' | 'committedMs'>

async function consumed(consume: (ledger: Ledger) => Promise<void>): Promise<Times> {
  const ledger = new Ledger(task.ends)
  await consume(ledger)
  const { firstMs, lastMs, committedMs } = ledger
  if (firstMs === null || lastMs === null) throw new Error(`${ledger.left} records were not seen`)
  const committed = committedMs === null ? null : Math.max(lastMs, committedMs) - startMs
  return { firstMs: firstMs - startMs, lastMs: lastMs - startMs, committedMs: committed }
}

async function produced(produce: () => Promise<void>): Promise<Times> {
  await produce()
  return { firstMs: null, lastMs: performance.now() - startMs, committedMs: null }
}

function peakRssMb(): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  return found === undefined ? process.resourceUsage().maxRSS / 1_024 : Number(found) / 1_024
}

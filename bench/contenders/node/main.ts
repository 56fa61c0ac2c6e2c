/** One contender, once, in this process: `node main.ts ours '{"brokers": …}'`. Prints what came out and exits. */
import { type Outcome, outcomeMark, type Task } from '../task.ts'
import { contestants, type NodeContender } from './contestants.ts'
import { cpuUs, peakRssMb, Run } from './run.ts'

const name = process.argv[2] as NodeContender
const task = JSON.parse(process.argv[3] ?? '{}') as Task

const told = Promise.withResolvers<void>()
process.stdin.on('data', () => told.resolve())
// The runner is gone, however it went: nobody wants the answer.
process.stdin.on('end', () => process.exit(3))

const contestant = await contestants[name](task)
const run = new Run(task, told.promise)
const cpuBefore = cpuUs()
const startMs = performance.now()
await contestant(run)
const times = run.timesSince(startMs)
const outcome: Outcome = { ...times, cpuSeconds: (cpuUs() - cpuBefore) / 1e6, peakRssMb: peakRssMb() }
run.ledger.flush()
// Forced: an exit that waits for connections may never come.
process.stdout.write(`\n${outcomeMark}${JSON.stringify(outcome)}\n`, () => process.exit(0))

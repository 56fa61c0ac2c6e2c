/** A worker thread that runs chunks of seeds. */
import { parentPort } from 'node:worker_threads'
import type { SeedFailure } from './seeds.ts'
import { scenarioOf } from './world/scenario.ts'
import { runScenario } from './world/world.ts'

export interface SeedTask {
  readonly from: number
  readonly to: number
}

export interface SeedReport {
  readonly seeds: number
  readonly events: number
  readonly simulatedMs: number
  readonly replayed: number
  readonly failures: readonly SeedFailure[]
}

/** Every so many seeds one is run twice: a run that is not repeatable proves nothing. */
const REPLAY_EVERY = 20

async function runChunk({ from, to }: SeedTask): Promise<SeedReport> {
  const failures: SeedFailure[] = []
  let events = 0
  let simulatedMs = 0
  let replayed = 0
  for (let seed = from; seed < to; seed++) {
    const result = await runScenario(scenarioOf(seed))
    events += result.events
    simulatedMs += result.simulatedMs
    if (result.violation !== null) {
      const { invariant = 'crash', message, stack } = result.violation
      failures.push({ seed, invariant, message: invariant === 'crash' ? (stack ?? message) : message })
    }
    if (seed % REPLAY_EVERY !== 0) continue
    const again = await runScenario(scenarioOf(seed))
    replayed++
    if (again.hash === result.hash && again.events === result.events) continue
    failures.push({
      seed,
      invariant: 'replay',
      message: `the same seed gave the traces ${result.hash} and ${again.hash}`,
    })
  }
  return { seeds: to - from, events, simulatedMs, replayed, failures }
}

parentPort?.on('message', (task: SeedTask) => {
  runChunk(task).then(
    (report) => parentPort?.postMessage(report),
    (error) => {
      throw error
    },
  )
})

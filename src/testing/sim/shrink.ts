/** From a scenario that fails to a smaller one that fails in the same way: fewer faults, records, processes, keys. */
import { NO_FAULTS, type Scenario } from './world/scenario.ts'
import { runScenario } from './world/world.ts'

type Change = (scenario: Scenario) => Scenario | null

/** Null where there is nothing left to take away. */
const CHANGES: readonly Change[] = [
  ...(Object.keys(NO_FAULTS) as (keyof typeof NO_FAULTS)[]).map(
    (fault): Change =>
      (scenario) =>
        scenario.faults[fault] === NO_FAULTS[fault]
          ? null
          : { ...scenario, faults: { ...scenario.faults, [fault]: NO_FAULTS[fault] } },
  ),
  (scenario) => (scenario.stableReads ? null : { ...scenario, stableReads: true }),
  halve('records', 1),
  minusOne('records', 1),
  minusOne('partitions', 1),
  minusOne('instances', 1),
  halve('keys', 1),
  (scenario) => (scenario.batch === null ? null : { ...scenario, batch: null }),
  (scenario) => (scenario.handlerTimeoutMs === null ? null : { ...scenario, handlerTimeoutMs: null }),
  (scenario) => (scenario.nullKeyShare === 0 ? null : { ...scenario, nullKeyShare: 0 }),
  (scenario) => (scenario.logStartsAt === 0 ? null : { ...scenario, logStartsAt: 0 }),
  (scenario) => (scenario.output === 'finished' ? null : { ...scenario, output: 'finished' }),
  (scenario) => (scenario.concurrency === 1 ? null : { ...scenario, concurrency: 1 }),
  ...(['inline', 'deferred', 'failing', 'poison', 'slow', 'stubborn', 'sending'] as const).map(
    (share): Change =>
      (scenario) =>
        scenario.handler[share] === 0 ? null : { ...scenario, handler: { ...scenario.handler, [share]: 0 } },
  ),
]

function halve(name: 'records' | 'keys', least: number): Change {
  return (scenario) => (scenario[name] <= least ? null : { ...scenario, [name]: Math.max(least, scenario[name] >> 1) })
}

function minusOne(name: 'records' | 'partitions' | 'instances', least: number): Change {
  return (scenario) => (scenario[name] <= least ? null : { ...scenario, [name]: scenario[name] - 1 })
}

export interface Shrunk {
  readonly scenario: Scenario
  readonly message: string
  readonly runs: number
}

/** Greedy: take a change if the same invariant still breaks, until no change is left that can be taken. */
export async function shrink(scenario: Scenario, maxRuns = 500): Promise<Shrunk | null> {
  const first = (await runScenario(scenario)).violation
  if (first === null) return null
  let best: Shrunk = { scenario, message: first.message, runs: 1 }
  for (let changed = true; changed && best.runs < maxRuns; ) {
    changed = false
    for (const change of CHANGES) {
      const smaller = change(best.scenario)
      if (smaller === null || best.runs >= maxRuns) continue
      const { violation } = await runScenario(smaller)
      const same = violation !== null && violation.invariant === first.invariant
      best = same
        ? { scenario: smaller, message: violation.message, runs: best.runs + 1 }
        : { ...best, runs: best.runs + 1 }
      changed ||= same
    }
  }
  return best
}

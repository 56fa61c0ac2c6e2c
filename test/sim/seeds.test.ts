/**
 * Two thousand simulated runs: crashes, zombies, rebalances, lost and late requests, poison, holes, foreign metadata …
 * Every commit that the cluster takes is decoded and compared with what really happened. `npm run sim` runs ten thousand.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSeeds } from '../../src/testing/sim/seeds.ts'
import { scenarioOf } from '../../src/testing/sim/world/scenario.ts'
import { runScenario } from '../../src/testing/sim/world/world.ts'

test('I1 I2 I2b I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I14 I15 X6 X8 · two thousand seeds break no invariant', async () => {
  const { seeds, failures } = await runSeeds({ from: 1, count: 2_000 })
  assert.equal(seeds, 2_000)
  assert.deepEqual(
    failures.map(({ seed, message }) => `npm run sim -- --seed ${seed}: ${message}`),
    [],
  )
})

test('the same seed gives the same trace, event by event', async () => {
  for (const seed of [3, 44, 777]) {
    const [first, second] = [
      await runScenario(scenarioOf(seed), { traceLines: 100_000 }),
      await runScenario(scenarioOf(seed), { traceLines: 100_000 }),
    ]
    assert.ok(first.trace.length > 50)
    assert.deepEqual(first.trace, second.trace)
    assert.equal(first.hash, second.hash)
  }
})

test('every fault class is on in some of the first hundred seeds, and off in others', () => {
  const scenarios = Array.from({ length: 100 }, (_, at) => scenarioOf(at + 1))
  for (const fault of Object.keys(scenarios[0]!.faults) as (keyof (typeof scenarios)[0]['faults'])[]) {
    const on = scenarios.filter(({ faults }) => Number(faults[fault]) > 0).length
    assert.ok(on > 3 && on < 97, `${fault} is on in ${on} of 100`)
  }
  assert.deepEqual(new Set(scenarios.map(({ delivery }) => delivery)).size, 3)
})

/** A hundred thousand seeds beyond those that every run takes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSeeds } from '../../src/testing/sim/seeds.ts'

test('I1 I2 I2b I3 I4 I5 I6 I7 I8 I9 I10 I11 I12 I14 I15 · a hundred thousand seeds break no invariant', async () => {
  const { failures } = await runSeeds({ from: 1_000_000, count: 100_000 })
  assert.deepEqual(
    failures.map(({ seed, message }) => `npm run sim -- --seed ${seed}: ${message}`),
    [],
  )
})

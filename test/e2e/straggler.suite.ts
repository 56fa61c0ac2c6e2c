/** A few rounds of the straggler; `npm run chaos -- --straggler` has twenty, with fifty thousand records. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stragglerRounds } from '../chaos/straggler.ts'
import { type Target, unique } from '../support/targets.ts'

export function straggler({ brokers }: Target): void {
  test('P6 I1 I2b I15 · killed behind a record that takes long: nothing is skipped that had not ended, and what was committed does not run again', async (t) => {
    const { rounds } = await stragglerRounds({
      address: String(brokers[0]),
      name: unique('straggler'),
      rounds: 3,
      records: 6_000,
      keys: 600,
      longMs: 2_000,
      slowMs: 300,
      seed: 1,
      log: (line) => t.diagnostic(line),
    })
    for (const { broken, unprocessed, reruns, bound } of rounds) {
      assert.deepEqual(broken, [])
      assert.equal(unprocessed, 0)
      assert.ok(reruns <= bound)
    }
  })
}

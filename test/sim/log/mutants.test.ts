/**
 * A checker that never complains proves nothing: each mutant is a fault planted in the log, and the crash checker must
 * notice it.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashJob } from './crash-job.ts'
import { logMutants } from './mutants.ts'

const statesMax = 60_000

for (const [mutant, { name, edits, seed }] of logMutants.entries()) {
  test(`the crash checker notices: ${name}`, async () => {
    const { report, planted } = await runCrashJob({ seed, states: statesMax, mutant })
    assert.equal(planted, edits.length)
    assert.ok(report.failure !== undefined, `${report.states} crash states, and nobody noticed`)
  })
}

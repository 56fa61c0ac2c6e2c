/** A part of what `npm run sim -- --target log` looks at: the same seeds, fewer of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCrashJob } from './crash-job.ts'

test('L1 L2 L3 L4 L5 · 10,000 crash states: what was acknowledged is there, unchanged, without gaps, and nothing else is', async () => {
  const { report } = await runCrashJob({ seed: 1, states: 10_000 })
  assert.equal(report.failure, undefined)
  assert.ok(report.states >= 10_000)
})

test('a seed gives the same crash states every time', async () => {
  const [first, second] = await Promise.all([1, 2].map(() => runCrashJob({ seed: 5, states: 0 })))
  assert.deepEqual(first, second)
})

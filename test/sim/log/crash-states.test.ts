/** A part of what `npm run sim -- --target log` looks at: the same seeds, fewer of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runLogCrashes } from './crash-states.ts'

test('L1 L2 L3 L4 L5 · 10,000 crash states: what was acknowledged is there, unchanged, without gaps, and nothing else is', async () => {
  const { failure, states } = await runLogCrashes({ seed: 1, states: 10_000 })
  assert.equal(failure, undefined)
  assert.ok(states >= 10_000)
})

test('a seed gives the same crash states every time', async () => {
  const first = await runLogCrashes({ seed: 5, states: 0 })
  const second = await runLogCrashes({ seed: 5, states: 0 })
  assert.deepEqual(first, second)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from './kill-rounds.ts'

test('L1 L2 L3 L4 · kill -9 while producing with acks=all: nothing acknowledged is lost, nothing changed, nothing invented', async (t) => {
  const report = await killRounds({ rounds: 20, seed: 1 })
  t.diagnostic(JSON.stringify(report))
  assert(report.acknowledged > 100)
})

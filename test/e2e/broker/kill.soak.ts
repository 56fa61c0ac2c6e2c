import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killRounds } from './kill-rounds.ts'

test('kill -9 while producing with acks=all, 200 rounds', async (t) => {
  const report = await killRounds({ rounds: 200, seed: 2 })
  t.diagnostic(JSON.stringify(report))
  assert(report.acknowledged > 1_000)
})

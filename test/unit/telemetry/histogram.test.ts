import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from '../../../src/telemetry/histogram.ts'

test('P9 · durations are counted in the bucket whose bound they do not exceed', () => {
  const histogram = new Histogram([0.1, 1])
  for (const seconds of [0, 0.1, 0.100001, 1, 1.5, 60]) histogram.record(seconds)
  const { counts, count, sum } = histogram.value()
  assert.deepEqual(counts, [2, 2, 2])
  assert.equal(count, 6)
  assert.ok(Math.abs(sum - 62.700001) < 1e-9)
})

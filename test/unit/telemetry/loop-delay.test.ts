import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoopDelay } from '../../../src/telemetry/loop-delay.ts'
import { until } from '../../support/wait.ts'

const BLOCKED_MS = 400
const BEAT_MS = 100

/** The loop stands still. */
function block(): void {
  const end = performance.now() + BLOCKED_MS
  while (performance.now() < end);
}

test('P9 · a loop that stood still is seen by every reader, once, however often the others read', async () => {
  const often = new LoopDelay()
  const seldom = new LoopDelay()
  assert.equal(often.take(), null)
  let most = 0
  await until('it is seen', () => {
    block()
    most = Math.max(most, often.take()?.maxMs ?? 0)
    return most >= BLOCKED_MS - BEAT_MS
  })
  const late = new LoopDelay()
  const seen = seldom.take()
  assert.ok((seen?.maxMs ?? 0) >= most, 'though it read nothing in between')
  assert.ok((seen?.p50Ms ?? 0) <= (seen?.p99Ms ?? 0))
  assert.equal(seldom.take(), null, 'told once')
  assert.equal(late.take(), null, 'what came before is not its own')
  often.close()
  seldom.close()
  await until('the others are measured for', () => late.take() !== null)
  late.close()
})

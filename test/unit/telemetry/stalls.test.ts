import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { consume } from '../../../src/index.ts'
import type { BlockingSnapshot, KernelSnapshot } from '../../../src/kernel/snapshot.ts'
import { liveness, readiness } from '../../../src/telemetry/health.ts'
import { type Stall, StallWatch, stallsIn } from '../../../src/telemetry/stalls.ts'
import { MemoryLog } from '../../../src/testing/index.ts'
import { until } from '../../support/wait.ts'

const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing }

function nothing(): void {
  // A test that fails says why by itself.
}

function snapshotWith(blocking: Partial<BlockingSnapshot> | null, more: object = {}): KernelSnapshot {
  const whole = {
    offset: 7,
    key: 'a',
    since: 0,
    durationMs: 61_000,
    doing: 'running',
    detail: 'running for 61000 ms',
    attempt: 1,
    nextAttemptAt: null,
    why: null,
  }
  const partition = {
    topic: 't',
    partition: 3,
    state: 'open',
    blocking: blocking === null ? null : { ...whole, ...blocking },
    paused: [],
    ...more,
  }
  return { partitions: [partition] } as unknown as KernelSnapshot
}

describe('stalls', () => {
  test('P9 · a handler that runs for longer is a stall, and nobody decided it', () => {
    const [stall] = stallsIn(snapshotWith({}), 60_000)
    assert.equal(stall?.offset, 7)
    assert.equal(stall?.key, 'a')
    assert.equal(stall?.isKnown, false)
    assert.match(stall?.reason ?? '', /running for 61000 ms, attempt 1/)
    assert.deepEqual(stallsIn(snapshotWith({ durationMs: 59_999 }), 60_000), [])
    assert.deepEqual(stallsIn(snapshotWith(null), 60_000), [])
  })

  test('P9 · a retry that waits, and a pause, are known reasons', () => {
    const waiting = stallsIn(
      snapshotWith({ doing: 'waiting', attempt: 2, nextAttemptAt: 0, why: new Error('no bank') }),
      60_000,
    )
    assert.equal(waiting[0]?.isKnown, true)
    assert.equal(waiting[0]?.reason, 'waits for attempt 3 at 1970-01-01T00:00:00.000Z: no bank')
    const paused = stallsIn(snapshotWith({ doing: 'queued' }, { paused: ['user'] }), 60_000)
    assert.deepEqual([paused[0]?.isKnown, paused[0]?.reason], [true, 'paused by the user'])
    const queued = stallsIn(snapshotWith({ doing: 'queued' }), 60_000)
    assert.equal(queued[0]?.isKnown, false)
  })

  test('P9 · alive unless something stalls for no known reason; ready when positions are known', () => {
    const standing = { stalledAfterMs: 60_000, hasJoined: true, isHalted: false }
    assert.deepEqual(liveness({ ...standing, snapshot: snapshotWith(null) }), { ok: true, reasons: [] })
    const stuck = liveness({ ...standing, snapshot: snapshotWith({}) })
    assert.equal(stuck.ok, false)
    assert.match(stuck.reasons[0] ?? '', /^t-3@7 holds its partition back for 61 s: running, attempt/)
    assert.equal(liveness({ ...standing, snapshot: snapshotWith({ doing: 'waiting' }) }).ok, true)
    assert.equal(liveness({ ...standing, snapshot: snapshotWith(null), isHalted: true }).ok, false)
    assert.equal(readiness({ ...standing, snapshot: snapshotWith(null) }).ok, true)
    assert.equal(readiness({ ...standing, snapshot: snapshotWith(null), hasJoined: false }).ok, false)
    assert.equal(readiness({ ...standing, snapshot: snapshotWith(null, { state: 'opening' }) }).ok, false)
  })

  test('P9 · told once for each record, and again when another one stalls', () => {
    let nowMs = 0
    const timers: { atMs: number; callback: () => void }[] = []
    const clock = {
      now: () => nowMs,
      random: () => 0.5,
      soon: (callback: () => void) => callback(),
      at: (atMs: number, callback: () => void) => {
        timers.push({ atMs, callback })
        return nothing
      },
    }
    const told: Stall[] = []
    let offset = 7
    const watch = new StallWatch({
      clock,
      snapshot: () => snapshotWith({ offset }),
      afterMs: 100,
      stalled: (stall) => told.push(stall),
    })
    const tick = (): void => {
      const timer = timers.shift()!
      nowMs = timer.atMs
      timer.callback()
    }
    for (let n = 0; n < 5; n++) tick()
    assert.deepEqual(
      told.map((stall) => stall.offset),
      [7],
    )
    offset = 8
    tick()
    tick()
    assert.deepEqual(
      told.map((stall) => stall.offset),
      [7, 8],
    )
    assert.equal(nowMs, 175)
    watch.close()
    tick()
    assert.deepEqual(timers, [])
  })

  test('P9 · a handler that hangs: the event names the record, its key and what it is doing', async () => {
    const log = new MemoryLog({ orders: 1 })
    await log.append('orders', [{ key: 'customer-1', value: '1' }])
    const hang = Promise.withResolvers<void>()
    const told: Stall[] = []
    await using consumer = await consume({
      log,
      group: 'g',
      topics: ['orders'],
      stalledAfterMs: 20,
      logger: quiet,
      handle: () => hang.promise,
    })
    consumer.on('stalled', (stall) => told.push(stall))
    await until('told', () => told.length > 0)
    const [stall] = told
    assert.deepEqual(
      [stall?.topic, stall?.partition, stall?.offset, stall?.key, stall?.doing],
      ['orders', 0, 0, 'customer-1', 'running'],
    )
    hang.resolve()
    await consumer.idle()
    assert.equal(told.length, 1)
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asOffset, asPosition } from '../../src/kernel/ids.ts'
import { NONE, Slots } from '../../src/kernel/slots.ts'
import { Tracker } from '../../src/kernel/tracker.ts'

/** A tracker with slots by offset. */
function trackerFrom(position: number, restored: readonly number[] = []) {
  const slots = new Slots(16)
  const tracker = new Tracker(slots, asPosition(position), restored)
  const byOffset = new Map<number, number>()
  return {
    tracker,
    admit(...offsets: number[]): void {
      for (const offset of offsets) {
        const slot = slots.allocate()
        slots.offset[slot] = offset
        byOffset.set(offset, slot)
        tracker.admit(slot, asOffset(offset))
      }
    },
    settle(...offsets: number[]): void {
      for (const offset of offsets) {
        const slot = byOffset.get(offset)!
        byOffset.delete(offset)
        tracker.settle(slot)
        slots.release(slot)
      }
    },
  }
}

describe('the tracker', () => {
  test('P2 I2 · the position follows the lowest unfinished record, whatever the order of completions', () => {
    const { tracker, admit, settle } = trackerFrom(0)
    admit(0, 1, 2, 3)
    settle(2, 1)
    assert.equal(tracker.position, 0)
    assert.equal(tracker.gap, 2)
    settle(0)
    assert.equal(tracker.position, 3)
    assert.equal(tracker.gap, 0)
    settle(3)
    assert.equal(tracker.position, 4)
    assert.equal(tracker.head, NONE)
  })

  test('P2 · a log that starts anywhere and has holes never stalls the position', () => {
    const { tracker, admit, settle } = trackerFrom(5_000_000_000)
    admit(5_000_000_010, 5_000_000_020)
    assert.equal(tracker.position, 5_000_000_010)
    settle(5_000_000_010, 5_000_000_020)
    assert.equal(tracker.position, 5_000_000_021)
    assert.equal(tracker.advanceTo(asPosition(5_000_000_030)), true)
    assert.equal(tracker.position, 5_000_000_030)
    assert.equal(tracker.advanceTo(asPosition(5_000_000_030)), false)
  })

  test('I2b · position, finished runs and end come from one snapshot', () => {
    const { tracker, admit, settle } = trackerFrom(10)
    admit(10, 11, 12, 15, 16, 20)
    settle(11, 12, 16)
    // 10 unfinished · 11–14 finished (13, 14 are holes) · 15 unfinished · 16–19 finished · 20 unfinished
    assert.deepEqual(tracker.snapshot(), { position: 10, runs: [1, 4, 1, 4] })
    settle(10)
    assert.deepEqual(tracker.snapshot(), { position: 15, runs: [1, 4] })
    settle(20)
    assert.deepEqual(tracker.snapshot(), { position: 15, runs: [1, 5] })
    settle(15)
    assert.deepEqual(tracker.snapshot(), { position: 21, runs: [] })
  })

  test('P6 · what an earlier lease finished is skipped, and stays in the map until reading has passed it', () => {
    // 100 unfinished, 101–104 finished, 105–106 unfinished, 107 finished
    const { tracker, admit, settle } = trackerFrom(100, [1, 4, 2, 1])
    assert.deepEqual(tracker.snapshot(), { position: 100, runs: [1, 4, 2, 1] })
    admit(100)
    assert.equal(tracker.reach(asOffset(103)), false)
    assert.equal(tracker.reach(asOffset(105)), true)
    assert.deepEqual(tracker.snapshot(), { position: 100, runs: [1, 4, 2, 1] })
    settle(100)
    assert.deepEqual(tracker.snapshot(), { position: 105, runs: [2, 1] })
    assert.equal(tracker.gap, 1)
    admit(105, 106)
    settle(106)
    assert.deepEqual(tracker.snapshot(), { position: 105, runs: [1, 2] })
    settle(105)
    assert.equal(tracker.position, 108)
  })

  test('P2 · a record of the map that has vanished from the log does not hold the position back', () => {
    const { tracker } = trackerFrom(100, [1, 4])
    assert.equal(tracker.reach(asOffset(101)), false, 'finished in an earlier lease: it must not run again')
    assert.equal(tracker.position, 105)
  })

  test('P2 · ten million completions ahead of one straggler take the room of one record', () => {
    const slots = new Slots(4)
    const tracker = new Tracker(slots, asPosition(0), [])
    const take = (offset: number): number => {
      const slot = slots.allocate()
      slots.offset[slot] = offset
      tracker.admit(slot, asOffset(offset))
      return slot
    }
    take(0)
    for (let offset = 1; offset <= 10_000_000; offset++) {
      const slot = take(offset)
      tracker.settle(slot)
      slots.release(slot)
    }
    assert.equal(slots.capacity, 4)
    assert.equal(tracker.position, 0)
    assert.equal(tracker.gap, 10_000_000)
    assert.deepEqual(tracker.snapshot(), { position: 0, runs: [1, 10_000_000] })
  })
})

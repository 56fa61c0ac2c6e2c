/** The tracker against the simplest thing that could be right: a list of records with a finished flag. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asOffset, asPosition } from '../../src/kernel/ids.ts'
import { decodeMap, encodeMap } from '../../src/kernel/offset-map/index.ts'
import { Slots } from '../../src/kernel/slots.ts'
import { Tracker } from '../../src/kernel/tracker.ts'

const operation = fc.oneof(
  fc.record({ kind: fc.constant('admit' as const), hole: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('hole' as const), hole: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ kind: fc.constant('restart' as const), compacted: fc.array(fc.nat(), { maxLength: 3 }) }),
)

test('P2 P6 I2 I2b · a tracker over restarts claims exactly what is finished', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 }), fc.array(operation, { maxLength: 120 }), (start, operations) => {
      let slots = new Slots(8)
      let tracker = new Tracker(slots, asPosition(start), [])
      /** Every record of the log that was ever handed to a tracker. */
      const log: { offset: number; finished: boolean; slot: number }[] = []
      let end = start
      let read = 0
      let lastPosition = start
      const admitNext = (): void => {
        const record = log[read++]!
        if (!tracker.reach(asOffset(record.offset))) {
          assert.ok(record.finished, `${record.offset} is skipped but was never finished`)
          return
        }
        record.slot = slots.allocate()
        slots.offset[record.slot] = record.offset
        tracker.admit(record.slot, asOffset(record.offset))
      }
      for (const each of operations) {
        if (each.kind === 'admit') {
          end += each.hole
          log.push({ offset: end++, finished: false, slot: -1 })
          admitNext()
        } else if (each.kind === 'settle') {
          const open = log.slice(0, read).filter(({ slot, finished }) => slot >= 0 && !finished)
          const record = open[each.which % Math.max(1, open.length)]
          if (record === undefined) continue
          record.finished = true
          tracker.settle(record.slot)
          slots.release(record.slot)
          record.slot = -1
        } else if (each.kind === 'hole') {
          end += each.hole
          tracker.advanceTo(asPosition(end))
        } else {
          // Committed with the map, restored from it, and read again from the committed position.
          const { position, runs } = tracker.snapshot()
          const text = encodeMap(position, runs, { maxChars: 4_000, alphabet: 'wide', truncate: false })!.text
          const map = decodeMap(position, text)
          assert.ok(map.kind !== 'ignored')
          slots = new Slots(8)
          tracker = new Tracker(slots, position, map.kind === 'map' ? map.runs : [])
          for (const record of log) record.slot = -1
          // Compaction takes records away, finished or not: what is gone holds nobody back.
          for (const which of each.compacted) if (log.length > 0) log.splice(which % log.length, 1)
          read = log.findIndex(({ offset }) => offset >= position)
          if (read < 0) read = log.length
          while (read < log.length) admitNext()
          tracker.advanceTo(asPosition(end))
        }
        const lowest = log.find(({ finished }) => !finished)
        assert.equal(tracker.position, lowest?.offset ?? end)
        assert.ok(tracker.position >= lastPosition, 'the position went back')
        lastPosition = tracker.position
        const claimed = claims(tracker.snapshot())
        for (const { offset, finished } of log) assert.equal(claimed(offset), finished, `offset ${offset}`)
        assert.equal(claimed(end), false, 'claims beyond the log end')
      }
    }),
    { numRuns: 400, seed: 20_261_115 },
  )
})

function claims({
  position,
  runs,
}: {
  readonly position: number
  readonly runs: readonly number[]
}): (offset: number) => boolean {
  return (offset) => {
    if (offset < position) return true
    let cursor = position
    for (let at = 0; at < runs.length; at++) {
      cursor += runs[at]!
      if (offset < cursor) return at % 2 === 1
    }
    return false
  }
}

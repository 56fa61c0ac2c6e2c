/** The strip of cells: whatever is merged into a cell, nothing that holds the position back is hidden. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { StripPainter } from '../../src/kernel/strip.ts'

const bounds = { logStart: 0, cellsMax: 100 }

describe('the strip', () => {
  test('P9 · an idle partition shows what is committed, and nothing else', () => {
    const { from, to, perCell, cells } = new StripPainter({
      ...bounds,
      committed: 500,
      readTo: 500,
      logEnd: 500,
    }).strip()
    assert.deepEqual({ from, to, perCell }, { from: 452, to: 500, perCell: 1 })
    assert.equal(cells, 'c'.repeat(48))
  })

  test('P9 · from the left: committed, finished, and what is not read yet', () => {
    const painter = new StripPainter({ ...bounds, committed: 100, readTo: 148, logEnd: 1_000_000 })
    painter.paint(100, 101, 'r')
    painter.paint(110, 111, 'w')
    painter.paint(120, 122, 'q')
    const { from, cells } = painter.strip()
    const at = (offset: number): string => cells[offset - from] ?? ''
    assert.deepEqual([99, 100, 101, 110, 119, 120, 121, 122, 147, 148].map(at).join(''), 'crfwfqqffu')
    assert.ok(cells.length < 70, 'a lag of a million does not push the rest aside')
  })

  test('P9 · a single running record shows, however many finished ones share its cell', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.integer({ min: 1, max: 5_000_000 }),
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (committed, span, cellsMax, where) => {
          const readTo = committed + span
          const painter = new StripPainter({ committed, readTo, logStart: 0, logEnd: readTo + 7, cellsMax })
          const running = committed + Math.floor(where * span)
          painter.paint(running, running + 1, 'r')
          const { from, to, perCell, cells } = painter.strip()
          assert.equal(cells[Math.floor((running - from) / perCell)], 'r')
          assert.ok(cells.length <= cellsMax + 1)
          assert.equal(from % perCell, 0)
          assert.ok(from <= committed && to >= readTo)
          assert.match(cells, /^[cfuqwr]+$/)
        },
      ),
      { seed: 1 },
    )
  })

  test('P9 · cells stand still while the log grows', () => {
    const first = new StripPainter({ ...bounds, committed: 1_003, readTo: 2_003, logEnd: 2_003 }).strip()
    const next = new StripPainter({ ...bounds, committed: 1_003, readTo: 2_008, logEnd: 2_008 }).strip()
    assert.equal(first.perCell, next.perCell)
    assert.equal(first.from, next.from)
  })
})

/** The small structures of the kernel against the simplest thing that could be right. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Deque } from '../../src/kernel/deque.ts'
import { DueQueue } from '../../src/kernel/due-queue.ts'
import { Slots } from '../../src/kernel/slots.ts'

test('R4 · timers come in the order of their time, and void ones never', () => {
  const operation = fc.oneof(
    fc.record({
      kind: fc.constant('push' as const),
      slot: fc.integer({ min: 0, max: 15 }),
      due: fc.integer({ min: 0, max: 100 }),
    }),
    fc.record({ kind: fc.constant('void' as const), slot: fc.integer({ min: 0, max: 15 }) }),
    fc.record({ kind: fc.constant('pop' as const), now: fc.integer({ min: 0, max: 100 }) }),
  )
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const slots = new Slots(16)
      const queue = new DueQueue(slots)
      let model: { slot: number; due: number }[] = []
      for (const each of operations) {
        if (each.kind === 'push') {
          queue.push(each.slot, each.due)
          model.push({ slot: each.slot, due: each.due })
        } else if (each.kind === 'void') {
          slots.stamp[each.slot]!++
          model = model.filter(({ slot }) => slot !== each.slot)
        } else {
          const due = Math.min(...model.map((entry) => entry.due))
          const slot = queue.popDue(each.now)
          if (due > each.now) assert.equal(slot, -1)
          else {
            const at = model.findIndex((entry) => entry.slot === slot && entry.due === due)
            assert.ok(at >= 0, `slot ${slot} at ${due}`)
            model.splice(at, 1)
          }
        }
        assert.equal(queue.nextDue(), Math.min(...model.map((entry) => entry.due)))
      }
    }),
    { numRuns: 300, seed: 1 },
  )
})

test('the queue is first in, first out, over any number of growths', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 300 }), (pushes) => {
      const queue = new Deque<number>()
      const model: number[] = []
      for (const [at, push] of pushes.entries()) {
        if (push) {
          queue.push(at)
          model.push(at)
        } else assert.equal(queue.shift(), model.shift())
        assert.equal(queue.size, model.length)
      }
    }),
    { numRuns: 200, seed: 1 },
  )
})

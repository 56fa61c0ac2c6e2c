/** How far a redrive came, against the simplest thing that can be right: a set of offsets. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RedriveState } from '../../src/dead-letters/redrive-state.ts'

const END = 60
const stretches = fc
  .uniqueArray(fc.integer({ min: 0, max: END }), { maxLength: 10 })
  .map((cuts) => cuts.toSorted((a, b) => a - b))
  .map((cuts) =>
    Array.from({ length: Math.floor(cuts.length / 2) }, (_, at) => ({ from: cuts[at * 2]!, to: cuts[at * 2 + 1]! })),
  )

describe('the state of a redrive', () => {
  test('P6 I2b · claims exactly what was done, over commits and restarts, wherever the log begins', () => {
    fc.assert(
      fc.property(fc.array(stretches, { maxLength: 6 }), fc.nat(END), (lots, logStart) => {
        const done = new Set(Array.from({ length: logStart }, (_, at) => at))
        let state = RedriveState.read({ offset: null, metadata: '' }, logStart)
        for (const lot of lots) {
          state = state.with(lot)
          for (const { from, to } of lot) for (let at = from; at < to; at++) done.add(at)
          const { metadata } = state
          assert.ok(metadata !== null)
          state = RedriveState.read({ offset: state.position, metadata }, logStart)
          assert.equal(state.isUnreadable, false)
          for (let at = 0; at <= END; at++) assert.equal(state.isDone(at), done.has(at), `${at}`)
          assert.equal(
            state.left(0, END),
            Array.from({ length: END }, (_, at) => at).filter((at) => !done.has(at)).length,
          )
        }
      }),
    )
  })

  test('a log that begins later takes what is gone with it', () => {
    const state = RedriveState.read({ offset: 5, metadata: '' }, 0).with([{ from: 8, to: 10 }])
    const later = RedriveState.read({ offset: state.position, metadata: state.metadata! }, 8)
    assert.deepEqual([later.position, later.metadata], [10, ''])
  })

  test('I14 · metadata of somebody else is not believed, and not passed over', () => {
    assert.equal(RedriveState.read({ offset: 3, metadata: 'not ours' }, 0).isUnreadable, true)
  })

  test('more gaps than fit into a commit: nothing is left out silently', () => {
    const odd = Array.from({ length: 200_000 }, (_, at) => ({ from: at * 7 + 1 + (at % 3), to: at * 7 + 3 + (at % 4) }))
    assert.equal(RedriveState.read({ offset: 0, metadata: '' }, 0).with(odd).metadata, null)
  })
})

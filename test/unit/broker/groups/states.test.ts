import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type GroupEvent,
  type GroupState,
  nextState,
  transitions,
} from '../../../../src/broker/groups/classic/states.ts'

describe('states of a classic group', () => {
  const states = Object.keys(transitions) as GroupState[]
  const events = Object.keys(transitions.Empty) as GroupEvent[]

  it('Q7 · has a cell for every state and every event', () => {
    for (const state of states) assert.deepEqual(Object.keys(transitions[state]), events)
  })

  it('Q7 · a dead group stays dead', () => {
    for (const event of events) assert.ok([null, 'Dead'].includes(transitions.Dead[event]))
  })

  it('Q7 · every state can be reached from Empty, and Empty from every living one', () => {
    const reach = (from: GroupState): Set<GroupState> => {
      const found = new Set([from])
      for (const state of found) {
        for (const event of events) {
          const next = transitions[state][event]
          if (next !== null) found.add(next)
        }
      }
      return found
    }
    assert.deepEqual([...reach('Empty')].sort(), [...states].sort())
    for (const state of states) assert.equal(reach(state).has('Empty'), state !== 'Dead')
  })

  it('Q7 · refuses what cannot happen', () => {
    assert.equal(nextState('Stable', 'rebalance'), 'PreparingRebalance')
    assert.throws(() => nextState('Empty', 'assigned'), { code: 'GROUP_STATE_INVALID' })
  })
})

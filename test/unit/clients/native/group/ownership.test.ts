import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ownership } from '../../../../../src/clients/native/group/ownership.ts'
import { asEpoch, type TopicPartition } from '../../../../../src/kernel/ids.ts'

const p = (...numbers: number[]): TopicPartition[] => numbers.map((partition) => ({ topic: 't', partition }))

describe('ownership', () => {
  const lease = (epoch: number): { topic: string; partition: number; epoch: ReturnType<typeof asEpoch> } => ({
    topic: 't',
    partition: 0,
    epoch: asEpoch(epoch),
  })

  test('a lease of an earlier stay does not count, although the partition is ours again', () => {
    const ownership = new Ownership()
    ownership.take(p(0))
    ownership.note(lease(1))
    assert.ok(ownership.holds(lease(1)))
    ownership.drop(p(0))
    assert.equal(ownership.holds(lease(1)), false)
    ownership.take(p(0))
    assert.equal(ownership.holds(lease(1)), false)
    ownership.note(lease(2))
    assert.ok(ownership.holds(lease(2)))
  })

  test('a newer lease of the same stay ends the older one', () => {
    const ownership = new Ownership()
    ownership.take(p(0))
    ownership.note(lease(1))
    ownership.note(lease(2))
    assert.equal(ownership.holds(lease(1)), false)
    assert.ok(ownership.holds(lease(2)))
  })
})

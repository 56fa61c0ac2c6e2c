import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { resolveAssignors } from '../../../../../src/clients/native/group/assignors/index.ts'
import { range } from '../../../../../src/clients/native/group/assignors/range.ts'
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../../../src/clients/native/group/assignors/subscription.ts'
import { listed, member, partitions } from './support.ts'

const full = {
  ...member('m', 'a b', { owned: 'b:1 a:0', generationId: 9 }),
  userData: Buffer.from([1, 2]),
  rackId: 'rack-1',
}

describe('subscriptions', () => {
  for (const version of [0, 1, 2, 3]) {
    test(`version ${version} holds what it has room for`, () => {
      const read = decodeSubscription(encodeSubscription(full, version), 'm')
      assert.deepEqual(read, {
        topics: ['a', 'b'],
        userData: Buffer.from([1, 2]),
        owned: version >= 1 ? partitions('a:0 b:1') : [],
        generationId: version >= 2 ? 9 : -1,
        rackId: version >= 3 ? 'rack-1' : null,
      })
    })
  }

  test('a newer version is read as far as it is known', () => {
    const bytes = Buffer.concat([encodeSubscription(full), Buffer.from('something new')])
    bytes.writeInt16BE(17)
    assert.deepEqual(decodeSubscription(bytes, 'm').rackId, 'rack-1')
    const assignment = Buffer.concat([encodeAssignment(partitions('a:3')), Buffer.from('new')])
    assignment.writeInt16BE(4)
    assert.equal(listed(decodeAssignment(assignment)), 'a:3')
  })

  test('damaged bytes are an error that tells whose they are', () => {
    const bytes = encodeSubscription(full)
    for (let cut = 0; cut < bytes.length; cut++) {
      assert.throws(
        () => decodeSubscription(bytes.subarray(0, cut), 'member-7'),
        (error: Error & { code?: string }) =>
          error.code === 'SUBSCRIPTION_UNREADABLE' && /member-7/.test(error.message),
      )
    }
    const negative = Buffer.from(bytes)
    negative.writeInt16BE(-1)
    assert.throws(() => decodeSubscription(negative, 'm'), { code: 'SUBSCRIPTION_UNREADABLE' })
    const assignment = encodeAssignment(partitions('a:3 b:1'))
    for (let cut = 1; cut < assignment.length; cut++) {
      assert.throws(() => decodeAssignment(assignment.subarray(0, cut)), { code: 'ASSIGNMENT_UNREADABLE' })
    }
  })

  test('any bytes are read or refused, in bounded memory', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const read of [decodeAssignment, (all: Buffer) => decodeSubscription(all, 'm')]) {
          try {
            read(Buffer.from(bytes))
          } catch (error) {
            assert.match((error as { code?: string }).code ?? '', /_UNREADABLE$/)
          }
        }
      }),
    )
  })
})

describe('client.assignors', () => {
  test('names and own ones, in order', () => {
    const own = { ...range, name: 'mine' }
    assert.deepEqual(
      resolveAssignors(['cooperative-sticky', own, 'RoundRobinAssigner']).map(({ name }) => name),
      ['cooperative-sticky', 'mine', 'RoundRobinAssigner'],
    )
  })

  test('what makes no sense is refused with the choices', () => {
    assert.throws(() => resolveAssignors(['constructor' as never]), /none of cooperative-sticky, sticky, range/)
    assert.throws(() => resolveAssignors([]), /empty/)
    assert.throws(() => resolveAssignors(['range', { ...range }]), /'range' twice/)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrationPolicyOf, waysOf } from '../../../../src/broker/groups/migration/policy.ts'

test('G3 · group.consumer.migration.policy, in upper or lower case; what is none of them allows nothing', () => {
  const named = ['bidirectional', 'UPGRADE', 'Downgrade', 'disabled', 'toString', null].map(migrationPolicyOf)
  assert.deepEqual(named, ['bidirectional', 'upgrade', 'downgrade', 'disabled', 'disabled', 'disabled'])
  const allowed = named.slice(0, 4).map((policy) => [waysOf[policy].upgrade, waysOf[policy].downgrade])
  assert.deepEqual(allowed, [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ])
})

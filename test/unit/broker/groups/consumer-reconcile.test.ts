import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type MemberState, noProgress, type Progress } from '../../../../src/broker/groups/consumer/member.ts'
import type { Partitions } from '../../../../src/broker/groups/consumer/partitions.ts'
import { reconcile } from '../../../../src/broker/groups/consumer/reconcile.ts'

const topic = 't'
const set = (...partitions: number[]): Partitions =>
  new Map(partitions.length === 0 ? [] : [[topic, new Set(partitions)]])
const owned = (...partitions: number[]): { topicId: string; partitions: number[] }[] => [{ topicId: topic, partitions }]

function progress(state: MemberState, epoch: number, assigned: Partitions, pendingRevocation = set()): Progress {
  return { epoch, previousEpoch: epoch - 1, state, assigned, pendingRevocation }
}

/** The next step of a member; `taken` are the partitions that somebody owns. */
function next(
  from: Progress,
  target: { epoch: number; partitions: Partitions },
  says: { topicId: string; partitions: number[] }[] | null,
  taken: readonly number[] = [],
): Progress {
  return reconcile(from, target, says, (_, partition) => taken.includes(partition))
}

describe('G2 · consumer protocol: one step of a member', () => {
  test('stable: stays at its target, moves to a newer one', () => {
    const at = progress('stable', 3, set(1))
    assert.equal(next(at, { epoch: 3, partitions: set(1) }, null), at)
    assert.deepEqual(next(at, { epoch: 4, partitions: set(1, 2) }, null), {
      ...progress('stable', 4, set(1, 2)),
      previousEpoch: 3,
    })
    assert.deepEqual(next(at, { epoch: 4, partitions: set(1, 2) }, null, [1, 2]), {
      ...progress('unreleased', 4, set(1)),
      previousEpoch: 3,
    })
  })

  test('stable: what the target takes must be let go first, in the epoch it has', () => {
    const at = progress('stable', 3, set(1, 2))
    const target = { epoch: 5, partitions: set(2, 3) }
    for (const says of [null, owned(1, 2), owned(1)]) {
      assert.deepEqual(next(at, target, says), {
        ...progress('unrevoked', 3, set(2), set(1)),
        previousEpoch: 3,
      })
    }
    assert.deepEqual(next(at, target, owned(2)), { ...progress('stable', 5, set(2, 3)), previousEpoch: 3 })
  })

  test('unrevoked: waits for the partitions, then goes on from the next epoch', () => {
    const at = progress('unrevoked', 3, set(2, 4), set(1))
    const target = { epoch: 6, partitions: set(2) }
    assert.equal(next(at, target, null), at)
    assert.equal(next(at, target, owned(1, 2)), at)
    // The target has changed meanwhile: 4 must go too. It is one epoch further, and not yet at the target.
    assert.deepEqual(next(at, target, owned(2, 4)), {
      ...progress('unrevoked', 4, set(2), set(4)),
      previousEpoch: 3,
    })
    assert.deepEqual(next(at, target, owned(2)), { ...progress('stable', 6, set(2)), previousEpoch: 3 })
  })

  test('unreleased: takes what has become free, and follows a newer target', () => {
    const at = progress('unreleased', 3, set(1))
    const target = { epoch: 3, partitions: set(1, 2, 3) }
    assert.deepEqual(next(at, target, null, [2, 3]), { ...at, previousEpoch: 3 })
    assert.deepEqual(next(at, target, null, [3]), { ...progress('unreleased', 3, set(1, 2)), previousEpoch: 3 })
    assert.deepEqual(next(at, target, null), { ...progress('stable', 3, set(1, 2, 3)), previousEpoch: 3 })
    assert.deepEqual(next(at, { epoch: 4, partitions: set(2) }, null), {
      ...progress('unrevoked', 3, set(), set(1)),
      previousEpoch: 3,
    })
  })

  test('a partition that comes back to the one who just let it go waits for the next heartbeat', () => {
    const at = progress('unrevoked', 3, set(2), set(1))
    const back = next(at, { epoch: 4, partitions: set(1, 2) }, owned(2), [1, 2])
    assert.deepEqual(back, { ...progress('unreleased', 4, set(2)), previousEpoch: 3 })
    assert.equal(next(back, { epoch: 4, partitions: set(1, 2) }, owned(2), [2]).state, 'stable')
  })

  test('unknown: waits until the member owns nothing', () => {
    const at = progress('unknown', 3, set())
    const target = { epoch: 4, partitions: set(1) }
    assert.equal(next(at, target, null), at)
    assert.equal(next(at, target, owned(1)), at)
    assert.deepEqual(next(at, target, []), { ...progress('stable', 4, set(1)), previousEpoch: 3 })
  })

  test('a new member starts from nothing', () => {
    const joined = next(noProgress, { epoch: 7, partitions: set(1) }, [])
    assert.deepEqual(joined, {
      epoch: 7,
      previousEpoch: 0,
      state: 'stable',
      assigned: set(1),
      pendingRevocation: set(),
    })
  })
})

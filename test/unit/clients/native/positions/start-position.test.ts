import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { StartFrom } from '../../../../../src/clients/native/options.ts'
import {
  type LogBounds,
  type StoredOffset,
  startPosition,
} from '../../../../../src/clients/native/positions/start-position.ts'
import { asEpoch } from '../../../../../src/kernel/ids.ts'

describe('the start of a lease', () => {
  const log: LogBounds = {
    start: { offset: 10, leaderEpoch: 1 },
    end: { offset: 100, leaderEpoch: 5 },
    highWatermark: 110,
    atTime: null,
    epochEnd: { offset: 100, leaderEpoch: 5 },
  }
  const stored: StoredOffset = { offset: 50, leaderEpoch: 5, metadata: 'map' }
  const lease = { topic: 't', partition: 0, epoch: asEpoch(4) }
  const start = (
    offset: Partial<StoredOffset>,
    bounds: Partial<LogBounds> = {},
    from: StartFrom = 'earliest',
  ): string => {
    const { position, committed, metadata, logEnd, leaderEpoch } = startPosition(
      lease,
      { ...stored, ...offset },
      { ...log, ...bounds },
      from,
    )
    return `${position} ${committed ? 'committed' : 'chosen'} ${metadata ?? '-'} end ${logEnd} epoch ${leaderEpoch}`
  }

  test('at the commit, else where the policy says', () => {
    assert.equal(start({}), '50 committed map end 100 epoch 5')
    assert.equal(start({ offset: -1 }), '10 chosen - end 100 epoch 1')
    assert.equal(start({ offset: -1 }, {}, 'latest'), '100 chosen - end 100 epoch 5')
  })

  test('a commit outside the log follows the policy; one that is only not stable yet does not', () => {
    assert.equal(start({ offset: 9 }), '10 chosen - end 100 epoch 1')
    assert.equal(start({ offset: 111 }, { epochEnd: null }, 'latest'), '100 chosen - end 100 epoch 5')
    assert.equal(start({ offset: 105 }, { epochEnd: null }), '105 committed map end 105 epoch 5')
  })

  test('a log that was cut below the commit goes on where it was cut', () => {
    assert.equal(start({}, { epochEnd: { offset: 40, leaderEpoch: 4 } }), '40 chosen - end 100 epoch 4')
    assert.equal(start({}, { epochEnd: { offset: 5, leaderEpoch: 0 } }), '10 chosen - end 100 epoch 1')
  })

  test('a log that was cut above the commit ends there for the map', () => {
    assert.equal(start({}, { epochEnd: { offset: 60, leaderEpoch: 5 } }), '50 committed map end 60 epoch 5')
    assert.equal(start({}, { epochEnd: { offset: -1, leaderEpoch: -1 } }), '50 committed map end 50 epoch 5')
  })

  test('a time: the first record of then or later, else the end; and only where nothing is committed', () => {
    const then = { timestamp: 1_000 }
    assert.equal(start({ offset: -1 }, { atTime: { offset: 30, leaderEpoch: 2 } }, then), '30 chosen - end 100 epoch 2')
    assert.equal(start({ offset: -1 }, { atTime: null }, then), '100 chosen - end 100 epoch 5')
    assert.equal(start({}, { atTime: { offset: 30, leaderEpoch: 2 } }, then), '50 committed map end 100 epoch 5')
  })

  test('told to fail, it says what is missing', () => {
    assert.throws(() => start({ offset: -1 }, {}, 'fail'), { code: 'NO_COMMITTED_OFFSET' })
    assert.throws(() => start({ offset: 9 }, {}, 'fail'), { code: 'OFFSET_OUT_OF_RANGE' })
    assert.equal(start({}, {}, 'fail'), '50 committed map end 100 epoch 5')
  })
})

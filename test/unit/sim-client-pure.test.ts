import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asEpoch, type TopicPartition } from '../../src/kernel/ids.ts'
import { assign, type SubscribedMember } from '../../src/testing/sim/client/assignor.ts'
import { Ownership, partitionKey } from '../../src/testing/sim/client/ownership.ts'
import { SimRecordBatch, toProduced, visibleRecords } from '../../src/testing/sim/client/record-batch.ts'
import { type LogBounds, type StoredOffset, startPosition } from '../../src/testing/sim/client/start-position.ts'
import type { LogBatch } from '../../src/testing/sim/cluster/log-messages.ts'

const p = (...numbers: number[]): TopicPartition[] => numbers.map((partition) => ({ topic: 't', partition }))

function member(memberId: string, owned: readonly TopicPartition[] = [], generationId = 1): SubscribedMember {
  return { memberId, subscription: { topics: ['t'], owned, generationId } }
}

function plan(members: readonly SubscribedMember[], count: number): Record<string, string> {
  const assigned = assign(members, new Map([['t', count]]))
  return Object.fromEntries([...assigned].map(([id, list]) => [id, list.map(({ partition }) => partition).join()]))
}

describe('the assignor', () => {
  test('without owners it is even', () => {
    assert.deepEqual(plan([member('a'), member('b')], 5), { a: '0,2,4', b: '1,3' })
    assert.deepEqual(plan([member('a'), member('b'), member('c')], 2), { a: '0', b: '1', c: '' })
  })

  test('a newcomer gets nothing that somebody still owns; once it is given up, it does', () => {
    assert.deepEqual(plan([member('a', p(0, 1, 2, 3)), member('b')], 4), { a: '0,1', b: '' })
    assert.deepEqual(plan([member('a', p(0, 1), 2), member('b', [], 2)], 4), { a: '0,1', b: '2,3' })
  })

  test('what is balanced stays as it is', () => {
    assert.deepEqual(plan([member('a', p(3, 1)), member('b', p(0, 2))], 4), { a: '1,3', b: '0,2' })
  })

  test('a claim of an older generation is a request that came late', () => {
    assert.deepEqual(plan([member('a', p(0, 1), 3), member('b', p(1), 4)], 2), { a: '0', b: '1' })
  })

  test('claimed twice in one generation: nobody has it until both have given it up', () => {
    const assigned = plan([member('a', p(0), 3), member('b', p(0), 3)], 2)
    assert.deepEqual(Object.values(assigned).join('').includes('0'), false)
  })

  test('only subscribers of a topic get its partitions', () => {
    const other: SubscribedMember = { memberId: 'b', subscription: { topics: ['u'], owned: [], generationId: 1 } }
    const counts = new Map([['t', 3], ['u', 1]]) // biome-ignore format: two topics
    const assigned = assign([member('a'), other], counts)
    assert.deepEqual(assigned.get('a')?.map(partitionKey), ['t-0', 't-1', 't-2'])
    assert.deepEqual(assigned.get('b')?.map(partitionKey), ['u-0'])
  })
})

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

describe('what a reader sees', () => {
  const common = { leaderEpoch: 0, producerEpoch: 0, baseSequence: 0, size: 10 }
  const data = (producerId: number, offsets: readonly number[], isTransactional = true): LogBatch => ({
    ...common,
    kind: 'data',
    producerId,
    isTransactional,
    baseOffset: offsets[0]!,
    lastOffset: offsets.at(-1)!,
    records: offsets.map((offset) => ({ offset, timestamp: 1, key: 'k', value: 'v', size: 2 })),
  })
  const marker = (producerId: number, offset: number, type: 'COMMIT' | 'ABORT'): LogBatch => ({
    ...common,
    kind: 'control',
    type,
    producerId,
    isTransactional: true,
    baseOffset: offset,
    lastOffset: offset,
  })
  const seen = (...args: Parameters<typeof visibleRecords>): readonly number[] =>
    visibleRecords(...args).map(({ offset }) => offset)

  test('aborted records of one producer are skipped until its marker, others are not', () => {
    const batches = [
      data(1, [0, 1]),
      data(2, [2]),
      data(-1, [3], false),
      marker(1, 4, 'ABORT'),
      data(1, [5]),
      marker(2, 6, 'COMMIT'),
      marker(1, 7, 'COMMIT'),
    ]
    assert.deepEqual(seen(batches, 0, [{ producerId: 1, firstOffset: 0 }]), [2, 3, 5])
    assert.deepEqual(seen(batches, 0, null), [0, 1, 2, 3, 5])
  })

  test('a transaction that began in an earlier answer is still skipped', () => {
    const batches = [data(1, [10]), marker(1, 11, 'ABORT'), data(1, [12]), marker(1, 13, 'COMMIT')]
    assert.deepEqual(seen(batches, 10, [{ producerId: 1, firstOffset: 2 }]), [12])
  })

  test('two aborted transactions of one producer', () => {
    const batches = [data(1, [0]), marker(1, 1, 'ABORT'), data(1, [2]), marker(1, 3, 'ABORT'), data(1, [4])]
    const aborted = [
      { producerId: 1, firstOffset: 2 },
      { producerId: 1, firstOffset: 0 },
    ]
    assert.deepEqual(seen(batches, 0, aborted), [4])
  })

  test('records below the position are not seen again', () => {
    assert.deepEqual(seen([data(-1, [4, 5, 6, 7], false)], 6, null), [6, 7])
  })

  test('bytes come back as they were sent', () => {
    const key = Buffer.from([0, 200, 255])
    const headers = [{ key: 'h', value: Buffer.from('ü') }, { key: 'n', value: null }] // biome-ignore format: two
    const sent = toProduced({ topic: 't', key, value: Buffer.alloc(0), headers, size: 9 })
    const frame = { topic: 't', partition: 3, epoch: asEpoch(1), nextPosition: 8, logEnd: 9, leaderEpoch: 0 }
    const batch = new SimRecordBatch(frame as never, [{ ...sent, offset: 7, timestamp: 5 }])
    assert.deepEqual(batch.keys, ['\u0000\u00c8\u00ff'])
    const { size, ...record } = batch.record(0)
    assert.equal(size, 9)
    assert.deepEqual(record, {
      topic: 't',
      partition: 3,
      offset: 7,
      timestamp: 5,
      key,
      value: Buffer.alloc(0),
      headers,
    })
    assert.throws(() => batch.record(1), RangeError)
  })
})

describe('the start of a lease', () => {
  const log: LogBounds = {
    start: { offset: 10, leaderEpoch: 1 },
    end: { offset: 100, leaderEpoch: 5 },
    highWatermark: 110,
    epochEnd: { offset: 100, leaderEpoch: 5 },
  }
  const stored: StoredOffset = { offset: 50, leaderEpoch: 5, metadata: 'map' }
  const lease = { topic: 't', partition: 0, epoch: asEpoch(4) }
  const start = (
    offset: Partial<StoredOffset>,
    bounds: Partial<LogBounds> = {},
    from: 'earliest' | 'latest' = 'earliest',
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
})

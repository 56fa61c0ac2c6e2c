/** The small parts of the log, one by one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeCheckpoint, encodeCheckpoint } from '../../../../src/broker/log/checkpoint.ts'
import { LeaderEpochs } from '../../../../src/broker/log/leader-epochs.ts'
import {
  cleanedName,
  indexName,
  logName,
  parseName,
  swapName,
  timeIndexName,
} from '../../../../src/broker/log/names.ts'
import { OffsetIndex } from '../../../../src/broker/log/offset-index.ts'
import { OneAtATime, Turns } from '../../../../src/broker/log/one-at-a-time.ts'
import { TailCache, TailWindow } from '../../../../src/broker/log/tail-cache.ts'
import { TimeIndex } from '../../../../src/broker/log/time-index.ts'
import { Waiters } from '../../../../src/broker/log/waiters.ts'
import { batchOf } from './support.ts'

test('names sort as offsets do, and are read back', () => {
  assert.equal(logName(120), '00000000000000000120.log')
  assert.deepEqual(parseName(logName(2 ** 53 - 1)), { kind: 'log', baseOffset: 2 ** 53 - 1 })
  assert.deepEqual(parseName(indexName(7)), { kind: 'index', baseOffset: 7 })
  assert.deepEqual(parseName(timeIndexName(7)), { kind: 'timeindex', baseOffset: 7 })
  assert.deepEqual(parseName(cleanedName(7, 90)), { kind: 'cleaned', from: 7, to: 90 })
  assert.deepEqual(parseName(swapName(7, 90)), { kind: 'swap', from: 7, to: 90 })
  for (const name of ['checkpoint', '120.log', '99999999999999999999.log', 'x00000000000000000120.log']) {
    assert.equal(parseName(name), undefined)
  }
})

test('a checkpoint is read back; every flipped bit and every missing byte is noticed', () => {
  const checkpoint = {
    logStartOffset: 5,
    recoveryPoint: { offset: 90, segment: 70, position: 1_234 },
    times: { firstTimestampMs: 1, maxTimestampMs: 2, maxTimestampOffset: 80 },
    leaderEpochs: [
      { epoch: 1, startOffset: 5 },
      { epoch: 3, startOffset: 50 },
    ],
    dense: true,
    producers: Buffer.from('snapshot'),
  }
  const bytes = encodeCheckpoint(checkpoint)
  assert.deepEqual(decodeCheckpoint(bytes), checkpoint)
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(decodeCheckpoint(bytes.subarray(0, length)), undefined)
  }
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes)
    damaged[bit >> 3]! ^= 1 << (bit & 7)
    assert.equal(decodeCheckpoint(damaged), undefined)
  }
})

test('Q2 · leader epochs: where each began and ended, also behind a cut', () => {
  const epochs = new LeaderEpochs()
  assert.deepEqual(epochs.endOffsetFor(0, 10), { epoch: -1, endOffset: -1 })
  epochs.begin(2, 0)
  epochs.begin(3, 10)
  // An epoch that wrote nothing leaves no trace.
  epochs.begin(4, 20)
  epochs.begin(5, 20)
  epochs.begin(5, 25)
  assert.deepEqual(epochs.entries, [
    { epoch: 2, startOffset: 0 },
    { epoch: 3, startOffset: 10 },
    { epoch: 5, startOffset: 20 },
  ])
  assert.deepEqual(epochs.endOffsetFor(5, 30), { epoch: 5, endOffset: 30 })
  assert.deepEqual(epochs.endOffsetFor(4, 30), { epoch: 3, endOffset: 20 })
  assert.deepEqual(epochs.endOffsetFor(2, 30), { epoch: 2, endOffset: 10 })
  assert.deepEqual(epochs.endOffsetFor(1, 30), { epoch: 1, endOffset: 0 })
  assert.deepEqual(epochs.endOffsetFor(6, 30), { epoch: -1, endOffset: -1 })
  assert.deepEqual(epochs.endOffsetFor(-1, 30), { epoch: -1, endOffset: -1 })
  assert.deepEqual(
    [0, 9, 10, 19, 20, 99].map((offset) => epochs.epochAt(offset)),
    [2, 2, 3, 3, 5, 5],
  )
  epochs.truncateBefore(12)
  assert.deepEqual(epochs.entries, [
    { epoch: 3, startOffset: 12 },
    { epoch: 5, startOffset: 20 },
  ])
  epochs.truncateBefore(20)
  assert.deepEqual(epochs.entries, [{ epoch: 5, startOffset: 20 }])
  assert.equal(epochs.epochAt(19), -1)
})

test('Q3 · an offset index answers with the last entry at or before, and keeps what is sound of its file', () => {
  const index = new OffsetIndex()
  assert.equal(index.floor(100), -1)
  for (let i = 1; i <= 100; i++) index.add(i * 10, i * 1_000)
  assert.equal(index.floor(9), -1)
  for (const [offset, entry] of [
    [10, 0],
    [19, 0],
    [20, 1],
    [999, 98],
    [1_000, 99],
    [5_000, 99],
  ] as const) {
    assert.equal(index.floor(offset), entry)
  }
  const bytes = index.encode(0, index.count)
  assert.equal(OffsetIndex.parse(bytes, 1_000_000).count, 100)
  assert.equal(OffsetIndex.parse(bytes, 50_000).count, 49)
  assert.equal(OffsetIndex.parse(bytes.subarray(0, 83), 1_000_000).count, 10)
  bytes.fill(0, 80, 160)
  assert.equal(OffsetIndex.parse(bytes, 1_000_000).count, 10)
})

test('Q3 · a time index keeps rising times, and finds where a search has to begin', () => {
  const index = new TimeIndex()
  assert.equal(index.before(5), undefined)
  for (const [time, offset] of [
    [10, 1],
    [10, 2],
    [30, 5],
    [20, 6],
    [40, 9],
  ] as const)
    index.add(time, offset)
  assert.equal(index.count, 3)
  assert.equal(index.before(10), undefined)
  assert.deepEqual(index.before(11), { timestampMs: 10, relativeOffset: 1 })
  assert.deepEqual(index.before(40), { timestampMs: 30, relativeOffset: 5 })
  assert.deepEqual(index.before(99), index.last)
  assert.equal(index.countBelow(5), 1)
  const bytes = index.encode(0, 3)
  assert.deepEqual(TimeIndex.parse(bytes, 100).last, { timestampMs: 40, relativeOffset: 9 })
  assert.deepEqual(TimeIndex.parse(bytes, 9).last, { timestampMs: 30, relativeOffset: 5 })
  bytes.fill(0, 12)
  assert.equal(TimeIndex.parse(bytes, 100).count, 1)
})

test('the newest batches of all partitions share one bound; the oldest go first', () => {
  const cache = new TailCache(2_000)
  const [a, b] = [new TailWindow(), new TailWindow()]
  const batch = (offset: number): Buffer => {
    const bytes = batchOf(['some value', 'another'])
    bytes.writeBigInt64BE(BigInt(offset), 0)
    return bytes
  }
  for (let i = 0; i < 4; i++) {
    cache.add(a, batch(i * 2))
    cache.add(b, batch(100 + i * 2))
  }
  assert.ok(cache.bytes <= 2_000)
  assert.equal(a.read(0, 100, 1_000), undefined)
  const read = a.read(7, 1, 1_000)
  assert.deepEqual([read?.chunks.length, read?.nextOffset], [1, 8])
  assert.equal(a.read(6, 10_000, 7)?.chunks.length, 0)
  cache.dropBefore(b, 106)
  assert.equal(b.firstOffset, 106)
  cache.dropBefore(a, Number.POSITIVE_INFINITY)
  assert.equal(a.read(6, 1, 1_000), undefined)
  for (let i = 4; i < 40; i++) cache.add(b, batch(100 + i * 2))
  assert.ok(cache.bytes > 1_500 && cache.bytes <= 2_000)
  assert.equal(b.read(178, 1, 1_000)?.nextOffset, 180)
  assert.deepEqual([a.bytes, b.bytes], [0, cache.bytes])
})

test('waiters are woken up to a position, once; those of the same position share a promise', async () => {
  const waiters = new Waiters()
  const woken: number[] = []
  const wait = (position: number) => waiters.wait(position).then(() => woken.push(position))
  const all = [wait(5), wait(3), wait(9), wait(5)]
  assert.equal(waiters.wait(5), waiters.wait(5))
  waiters.reached(2)
  waiters.reached(5)
  await Promise.all([all[0], all[1], all[3]])
  assert.deepEqual(woken.sort(), [3, 5, 5])
  waiters.fail(new Error('gone'))
  await assert.rejects(all[2]!, /gone/)
})

test('jobs take turns, and a job that fails does not hold up the next', async () => {
  const turns = new Turns()
  const order: string[] = []
  const job = (name: string, fails = false) =>
    turns.take(async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (fails) throw new Error(name)
    })
  const outcomes = await Promise.allSettled([job('a'), job('b', true), job('c')])
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  assert.equal(outcomes[1].status, 'rejected')

  let runs = 0
  const once = new OneAtATime(async () => {
    runs++
    await Promise.resolve()
  })
  await Promise.all([once.run(), once.run(), once.run()])
  assert.equal(runs, 2)
  await once.run()
  assert.equal(runs, 3)
})

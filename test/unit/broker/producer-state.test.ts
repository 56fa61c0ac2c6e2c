/** Idempotence and open transactions of one partition, case by case. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProducerStates, type Verdict } from '../../../src/broker/log/producer-state.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { type DataBatch, data, emptyMarker, type MarkerBatch, marker } from './producer-state-batches.ts'

const append: Verdict = { kind: 'append' }
const refused = (name: keyof typeof errorCodes): Verdict => ({ kind: 'refused', error: errorCodes[name] })
const outOfOrder = refused('OUT_OF_ORDER_SEQUENCE_NUMBER')
const fenced = refused('INVALID_PRODUCER_EPOCH')

/** A partition: batches get the next offsets. */
class Partition {
  states: ProducerStates
  end = 0

  constructor(verifyTransactions = false) {
    this.states = new ProducerStates({ verifyTransactions })
  }

  produce(batch: DataBatch, nowMs = 0): Verdict {
    const bytes = data({ ...batch, offset: this.end })
    const verdict = this.states.check(bytes, 'client', nowMs)
    if (verdict.kind === 'append') this.write(bytes, batch.count ?? 1, nowMs)
    return verdict
  }

  mark(batch: MarkerBatch, nowMs = 0): Verdict {
    const bytes = marker({ ...batch, offset: this.end })
    const verdict = this.states.check(bytes, 'coordinator', nowMs)
    if (verdict.kind === 'append') this.write(bytes, 1, nowMs)
    return verdict
  }

  write(bytes: Buffer, count: number, nowMs: number): void {
    this.states.apply(bytes, nowMs)
    this.end += count
  }
}

const p = { producerId: 7, epoch: 0 }
const txn = { ...p, transactional: true }

test('Q10 · a batch sent again is answered with its first offsets', () => {
  const log = new Partition()
  assert.deepEqual(log.produce({ ...p, sequence: 0, count: 2, timestampMs: 55 }), append)
  const again: Verdict = { kind: 'duplicate', baseOffset: 0, lastOffset: 1, timestampMs: 55 }
  assert.deepEqual(log.produce({ ...p, sequence: 0, count: 2 }), again)
  assert.deepEqual(log.produce({ ...p, sequence: 2 }), append)
  assert.deepEqual(log.produce({ ...p, sequence: 0, count: 2 }), again)
  assert.deepEqual(log.produce({ ...p, sequence: 1 }), outOfOrder, 'a part of a batch is not that batch')
  assert.deepEqual(log.produce({ ...p, sequence: 4 }), outOfOrder)
  assert.deepEqual(log.produce({ ...p, sequence: 3 }), append)
})

test('Q10 · the last five batches are remembered', () => {
  const log = new Partition()
  for (let n = 0; n < 6; n++) log.produce({ ...p, sequence: n })
  assert.equal(log.produce({ ...p, sequence: 1 }).kind, 'duplicate')
  assert.deepEqual(log.produce({ ...p, sequence: 0 }), outOfOrder)
})

test('Q10 · sequence numbers wrap from 2^31 − 1 to 0, between batches and inside one', () => {
  const max = 2 ** 31 - 1
  const log = new Partition()
  assert.deepEqual(log.produce({ ...p, sequence: max - 1, count: 2 }), append)
  assert.deepEqual(log.produce({ ...p, sequence: 0 }), append)
  assert.equal(log.produce({ ...p, sequence: max - 1, count: 2 }).kind, 'duplicate')
  const inside = new Partition()
  assert.deepEqual(inside.produce({ ...p, sequence: max, count: 3 }), append)
  assert.equal(inside.produce({ ...p, sequence: max, count: 3 }).kind, 'duplicate')
  assert.deepEqual(inside.produce({ ...p, sequence: 3 }), outOfOrder)
  assert.deepEqual(inside.produce({ ...p, sequence: 2 }), append)
})

test('Q10 · a stranger may begin with any number, a new epoch only with 0, an old epoch is fenced', () => {
  const log = new Partition()
  assert.deepEqual(log.produce({ ...p, sequence: 9 }), append)
  assert.deepEqual(log.produce({ ...p, epoch: 1, sequence: 10 }), outOfOrder)
  assert.deepEqual(log.produce({ ...p, epoch: 1, sequence: 0 }), append)
  assert.deepEqual(log.produce({ ...p, sequence: 10 }), fenced)
  assert.deepEqual(log.produce({ ...p, sequence: 9 }), fenced, 'batches of an old epoch are forgotten')
})

test('a producer without id is never judged; clients write no control batches and no batch without number', () => {
  const states = new ProducerStates()
  assert.deepEqual(states.check(data({ producerId: -1, epoch: -1, sequence: -1 }), 'client', 0), append)
  assert.deepEqual(states.check(marker({ ...p, kind: 'abort' }), 'client', 0), refused('INVALID_RECORD'))
  assert.deepEqual(states.check(data({ ...p, sequence: -1 }), 'client', 0), refused('INVALID_RECORD'))
  assert.deepEqual(states.check(data({ ...p, sequence: -1 }), 'coordinator', 0), append)
})

test('X3 · a marker with a raised epoch fences the producer, also where it wrote nothing', () => {
  const log = new Partition()
  log.produce({ ...txn, sequence: 0 })
  assert.deepEqual(log.mark({ ...p, epoch: 1, kind: 'abort' }), append)
  assert.deepEqual(log.produce({ ...txn, sequence: 1 }), fenced)
  assert.deepEqual(log.produce({ ...txn, epoch: 1, sequence: 0 }), append)
  const empty = new Partition()
  empty.mark({ ...p, epoch: 1, kind: 'abort' })
  assert.deepEqual(empty.produce({ ...txn, sequence: 0 }), fenced)
  assert.equal(empty.states.firstUndecidedOffset, Number.POSITIVE_INFINITY)
  assert.deepEqual(empty.states.abortedBetween(0, 10), [])
})

test('a marker of an old coordinator or of an old epoch is refused', () => {
  const log = new Partition()
  log.produce({ ...txn, epoch: 3, sequence: 0 })
  assert.deepEqual(log.mark({ ...p, epoch: 2, kind: 'commit', coordinatorEpoch: 5 }), fenced)
  assert.deepEqual(log.mark({ ...p, epoch: 3, kind: 'commit', coordinatorEpoch: 5 }), append)
  assert.deepEqual(
    log.mark({ ...p, epoch: 3, kind: 'commit', coordinatorEpoch: 4 }),
    refused('TRANSACTION_COORDINATOR_FENCED'),
  )
  assert.deepEqual(log.mark({ ...p, epoch: 3, kind: 'commit', coordinatorEpoch: 5 }), append, 'again, after a restart')
})

test('X6 · the oldest open transaction holds the readers back; the aborted ones are listed by marker', () => {
  const log = new Partition()
  const q = { producerId: 8, epoch: 0, transactional: true }
  log.produce({ ...txn, sequence: 0 })
  log.produce({ ...q, sequence: 0, count: 2 })
  assert.equal(log.states.firstUndecidedOffset, 0)
  log.mark({ ...q, kind: 'abort' })
  assert.equal(log.states.firstUndecidedOffset, 0)
  log.mark({ ...p, kind: 'abort' })
  assert.equal(log.states.firstUndecidedOffset, Number.POSITIVE_INFINITY)
  const both = [
    { producerId: 8, firstOffset: 1 },
    { producerId: 7, firstOffset: 0 },
  ]
  assert.deepEqual(log.states.abortedBetween(0, 5), both)
  assert.deepEqual(log.states.abortedBetween(0, 1), [both[1]])
  assert.deepEqual(log.states.abortedBetween(3, 5), both, 'up to its marker a transaction matters')
  assert.deepEqual(log.states.abortedBetween(4, 5), [both[1]])
  assert.deepEqual(log.states.abortedBetween(5, 9), [])
  log.states.truncateFrom(4)
  assert.deepEqual(log.states.abortedBetween(0, 5), [both[1]])
})

test('a plain batch inside an open transaction is refused', () => {
  const log = new Partition()
  log.produce({ ...txn, sequence: 0 })
  assert.deepEqual(log.produce({ ...p, sequence: 1 }), refused('INVALID_TXN_STATE'))
  log.mark({ ...p, kind: 'commit' })
  assert.deepEqual(log.produce({ ...p, sequence: 1 }), append)
})

test('an idle producer is forgotten, one with an open transaction or with old records never', () => {
  const log = new Partition()
  log.produce({ ...p, sequence: 0, timestampMs: 1_000 }, 1_000)
  log.produce({ ...txn, producerId: 8, sequence: 0, timestampMs: 1_000 }, 1_000)
  log.produce({ ...p, producerId: 9, sequence: 0, timestampMs: 1 }, 5_000)
  log.states.expire(5_500, 4_000)
  assert.deepEqual(
    log.states.describe().map(({ producerId }) => producerId),
    [8, 9],
  )
  assert.deepEqual(log.produce({ ...p, sequence: 4 }), append, 'it is a stranger again')
})

test('describe tells what DescribeProducers shows', () => {
  const log = new Partition()
  log.produce({ ...txn, sequence: 0, count: 3, timestampMs: 44 })
  const shown = { producerId: 7, producerEpoch: 0, lastTimestampMs: 44, coordinatorEpoch: -1 }
  assert.deepEqual(log.states.describe(), [{ ...shown, lastSequence: 2, openTransactionFrom: 0 }])
  log.mark({ ...p, epoch: 1, kind: 'commit', coordinatorEpoch: 6, timestampMs: 50 })
  const ended = { producerId: 7, producerEpoch: 1, lastTimestampMs: 50, coordinatorEpoch: 6 }
  assert.deepEqual(log.states.describe(), [{ ...ended, lastSequence: -1, openTransactionFrom: -1 }])
})

test('an emptied marker keeps its epoch', () => {
  const states = new ProducerStates()
  states.apply(emptyMarker({ ...p, epoch: 4 }), 0)
  assert.deepEqual(states.check(data({ ...p, epoch: 3, sequence: 0 }), 'client', 0), fenced)
  assert.deepEqual(states.lastOf(7), { kind: 'marker', producerEpoch: 4 })
})

test('a first write without a confirmed transaction is refused', () => {
  const log = new Partition(true)
  const first = data({ ...txn, sequence: 0 })
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), refused('INVALID_TXN_STATE'))
  const asked = log.states.startVerification(first, false, 0)
  assert.equal(asked.kind, 'needed')
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), refused('INVALID_TXN_STATE'), 'not answered yet')
  assert.equal(asked.kind === 'needed' && log.states.confirmVerification(asked.guard), true)
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), append)
  assert.deepEqual(log.states.startVerification(data({ ...txn, sequence: 1 }), false, 0), { kind: 'open' })
  log.mark({ ...p, kind: 'commit' })
  assert.deepEqual(log.produce({ ...txn, sequence: 1 }), refused('INVALID_TXN_STATE'))
})

test('I9 · a transaction confirmed before its abort marker cannot begin after it', () => {
  const log = new Partition(true)
  const asked = log.states.startVerification(data({ ...txn, sequence: 0 }), false, 0)
  assert.ok(asked.kind === 'needed')
  log.mark({ ...p, kind: 'abort' })
  assert.equal(log.states.confirmVerification(asked.guard), false)
  const next = log.states.startVerification(data({ ...txn, sequence: 0 }), false, 0)
  assert.ok(next.kind === 'needed')
  assert.equal(log.states.confirmVerification(asked.guard), false, 'the old answer is not about the new question')
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), refused('INVALID_TXN_STATE'))
  assert.equal(log.states.confirmVerification(next.guard), true)
  log.mark({ ...p, kind: 'abort' })
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), refused('INVALID_TXN_STATE'))
})

test('a write that could not be verified keeps its place', () => {
  const log = new Partition()
  log.states.startVerification(data({ ...txn, sequence: 0 }), false, 0)
  log.states.startVerification(data({ ...txn, sequence: 1 }), false, 0)
  assert.deepEqual(log.produce({ ...txn, sequence: 1 }), outOfOrder)
  assert.deepEqual(log.produce({ ...txn, sequence: 0 }), append)
  assert.deepEqual(log.produce({ ...txn, sequence: 1 }), append)
})

test('a client that raises epochs begins with 0 where nothing is known of it', () => {
  const log = new Partition()
  log.states.startVerification(data({ ...txn, sequence: 3 }), true, 0)
  assert.deepEqual(log.produce({ ...txn, sequence: 3 }), outOfOrder)
})

test('the marker of the last transaction does not take the verification of the next one away', () => {
  const log = new Partition(true)
  const asked = log.states.startVerification(data({ ...txn, epoch: 1, sequence: 0 }), true, 0)
  assert.ok(asked.kind === 'needed' && log.states.confirmVerification(asked.guard))
  log.mark({ ...p, epoch: 1, kind: 'commit' })
  assert.deepEqual(log.produce({ ...txn, epoch: 1, sequence: 0 }), append)
})

test('an old epoch is not worth a question; old questions are forgotten', () => {
  const log = new Partition(true)
  log.mark({ ...p, epoch: 2, kind: 'abort' })
  const error = errorCodes.INVALID_PRODUCER_EPOCH
  assert.deepEqual(log.states.startVerification(data({ ...txn, sequence: 0 }), false, 0), { kind: 'refused', error })
  const asked = log.states.startVerification(data({ ...txn, epoch: 2, sequence: 0 }), false, 0)
  log.states.expire(1_000, 1_000)
  assert.equal(asked.kind === 'needed' && log.states.confirmVerification(asked.guard), false)
})

test('L5 · a snapshot with any byte changed, cut or added is refused', () => {
  const log = new Partition()
  log.produce({ ...txn, sequence: 0 })
  log.mark({ ...p, kind: 'abort' })
  log.produce({ ...txn, sequence: 1 })
  const bytes = log.states.snapshot()
  const corrupt = { code: 'PRODUCER_SNAPSHOT_CORRUPT' }
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[at] = flipped[at]! ^ (1 << bit)
      assert.throws(() => ProducerStates.restore(flipped), corrupt)
    }
    assert.throws(() => ProducerStates.restore(bytes.subarray(0, at)), corrupt)
  }
  assert.throws(() => ProducerStates.restore(Buffer.concat([bytes, Buffer.alloc(1)])), corrupt)
  assert.deepEqual(ProducerStates.restore(bytes).snapshot(), bytes)
  assert.deepEqual(ProducerStates.restore(undefined).describe(), [])
})

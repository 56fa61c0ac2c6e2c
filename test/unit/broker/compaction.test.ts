/** What compaction leaves of a log: batch by batch, and of a whole partition on a disk. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compactBatches, compactPartition } from '../../../src/broker/log/compaction.ts'
import { MemoryDisk } from '../../../src/broker/log/memory-disk.ts'
import type { PartitionLog } from '../../../src/broker/log/partition-log.ts'
import { ProducerStates } from '../../../src/broker/log/producer-state.ts'
import { compressionTypes } from '../../../src/protocol/record-batch/compression.ts'
import { controlBatch } from '../../../src/protocol/record-batch/control.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { type BatchFields, encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { openLog, startMs, storageOn } from './log/support.ts'

const nowMs = 1_000_000
const dayMs = 86_400_000

/** 'a1 b2 c-': keys a, b, c, the last one a tombstone; '?x' has no key. */
function batch(text: string, fields: BatchFields & { timestampMs?: number } = {}): Buffer {
  const records = text.split(' ').map((record, i) => {
    const key = record[0] === '?' ? null : Buffer.from(record[0]!)
    const value = record[1] === '-' ? null : Buffer.from(record.slice(1))
    const headers: [string, Buffer][] = [['h', Buffer.from(record)]]
    return { key, value, timestampMs: (fields.timestampMs ?? 500) + i, headers }
  })
  return encodeBatch({ ...fields, records })
}

/** A log in memory, with the producers that it makes known. */
class Log {
  batches: Buffer[] = []
  readonly states = new ProducerStates()
  end = 0
  cleanTo = 0

  add(bytes: Buffer): this {
    header.setBaseOffset(bytes, 0, this.end)
    this.batches.push(bytes)
    this.states.apply(bytes, nowMs)
    this.end = header.lastOffset(bytes, 0) + 1
    return this
  }

  mark(kind: 'commit' | 'abort', producerId: number, producerEpoch = 0): this {
    return this.add(controlBatch({ kind, producerId, producerEpoch, timestampMs: 500, coordinatorEpoch: 1 }))
  }

  compact(options: { at?: number; keyBytesMax?: number; to?: number } = {}): this {
    const endOffset = options.to ?? this.end
    const isCleanable = (bytes: Buffer) => header.lastOffset(bytes, 0) < endOffset
    const done = compactBatches(this.batches.filter(isCleanable), {
      firstDirtyOffset: this.cleanTo,
      endOffset,
      aborted: this.states.aborted,
      lastOf: (producerId) => this.states.lastOf(producerId),
      deleteRetentionMs: dayMs,
      nowMs: options.at ?? nowMs,
      ...(options.keyBytesMax === undefined ? {} : { keyBytesMax: options.keyBytesMax }),
    })
    this.states.forgetAborted(done.emptyAborts)
    this.cleanTo = done.cleanTo
    this.batches = [...done.batches, ...this.batches.filter((bytes) => !isCleanable(bytes))]
    for (const bytes of this.batches) assert.ok(header.crcMatches(bytes, 0))
    return this
  }

  /** '0-2: a1@0 b2@1 | …' */
  get text(): string {
    return this.batches.map(textOf).join(' | ')
  }
}

function textOf(bytes: Buffer): string {
  const range = `${header.baseOffset(bytes, 0)}-${header.lastOffset(bytes, 0)}`
  const cursor = new RecordCursor().reset(bytes, 0, 1e6)
  const records: string[] = []
  while (cursor.next()) {
    const key = header.isControl(bytes, 0) ? '!' : (cursor.key()?.toString() ?? '?')
    const value = header.isControl(bytes, 0) ? '' : (cursor.value()?.toString() ?? '-')
    records.push(`${key}${value}@${cursor.offset}`)
  }
  return `${range}: ${records.join(' ')}`
}

test('Q3 · the latest record of each key stays, where it was; batches keep their last offset', () => {
  const log = new Log().add(batch('a1 b1 c1')).add(batch('d1 e1')).add(batch('b2 d2 c2')).add(batch('e2'))
  assert.equal(log.compact().text, '0-2: a1@0 | 5-7: b2@5 d2@6 c2@7 | 8-8: e2@8')
})

test('records without a key go; the last batch of a compaction stays, if need be without records', () => {
  const log = new Log().add(batch('?1')).add(batch('a1')).add(batch('?2'))
  assert.equal(log.compact().text, '1-1: a1@1 | 2-2: ')
  log.add(batch('a2'))
  assert.equal(log.compact().text, '3-3: a2@3')
})

test('what is not cleanable yet neither goes nor makes others go', () => {
  const log = new Log().add(batch('a1 b1')).add(batch('a2')).add(batch('b2'))
  assert.equal(log.compact({ to: 3 }).text, '0-1: b1@1 | 2-2: a2@2 | 3-3: b2@3')
})

test('with little memory it goes as far as the keys fit, and on from there the next time', () => {
  const log = new Log()
  for (const text of ['a1', 'b1', 'c1', 'a2', 'b2', 'c2']) log.add(batch(text))
  log.compact({ keyBytesMax: 150 })
  assert.equal(log.cleanTo, 2)
  assert.equal(log.text, '0-0: a1@0 | 1-1: b1@1 | 2-2: c1@2 | 3-3: a2@3 | 4-4: b2@4 | 5-5: c2@5')
  for (const cleanTo of [4, 6]) assert.equal(log.compact({ keyBytesMax: 150 }).cleanTo, cleanTo)
  assert.equal(log.text, '3-3: a2@3 | 4-4: b2@4 | 5-5: c2@5')
})

test('Q3 · a tombstone outlives its key for delete.retention.ms after the compaction that met it first', () => {
  const log = new Log()
    .add(batch('a1'))
    .add(batch('a- b1', { timestampMs: 700 }))
    .add(batch('c1'))
  log.compact()
  assert.equal(log.text, '1-2: a-@1 b1@2 | 3-3: c1@3')
  const [met] = log.batches
  assert.equal(header.hasDeleteHorizon(met!, 0) && header.baseTimestamp(met!, 0), nowMs + dayMs)
  const cursor = new RecordCursor().reset(met!, 0, 1e6)
  assert.deepEqual([cursor.next(), cursor.timestamp, cursor.next(), cursor.timestamp], [true, 700, true, 701])
  assert.deepEqual(cursor.headers(), [['h', Buffer.from('b1')]])
  assert.equal(log.compact({ at: nowMs + dayMs - 1 }).batches[0], met)
  assert.equal(log.compact({ at: nowMs + dayMs }).text, '1-2: b1@2 | 3-3: c1@3')
})

test('Q4 · a batch of which everything stays is the same bytes; a changed one keeps codec and head', () => {
  const fields = { producerId: 5, producerEpoch: 2, baseSequence: 10, partitionLeaderEpoch: 3 }
  for (const compression of Object.values(compressionTypes)) {
    const log = new Log().add(batch('a1 b1 c1', { ...fields, compression })).add(batch('d1', { compression }))
    const whole = log.batches[0]!
    assert.equal(log.compact().batches[0], whole)
    log.add(batch('b2'))
    const [changed] = log.compact().batches
    assert.equal(textOf(changed!), '0-2: a1@0 c1@2')
    assert.equal(header.compressionType(changed!, 0), compression)
    assert.deepEqual(headOf(changed!), headOf(whole))
  }
})

function headOf(bytes: Buffer): number[] {
  const { producerId, producerEpoch, baseSequence, partitionLeaderEpoch, maxTimestamp } = header
  return [producerId, producerEpoch, baseSequence, partitionLeaderEpoch, maxTimestamp].map((field) => field(bytes, 0))
}

test('the time of the broker stays the time of the records', () => {
  const log = new Log().add(batch('a1 b1', { logAppendTimeMs: 900 })).add(batch('a2'))
  const [changed] = log.compact().batches
  assert.ok(header.isLogAppendTime(changed!, 0))
  assert.deepEqual([textOf(changed!), header.maxTimestamp(changed!, 0)], ['0-1: b1@1', 900])
})

test('Q10 · the last batch of a producer stays without records: its sequence number is needed', () => {
  const of = (baseSequence: number) => ({ producerId: 5, producerEpoch: 2, baseSequence })
  const log = new Log()
    .add(batch('x1 x2', of(0)))
    .add(batch('x3 x4', of(2)))
    .add(batch('x5'))
    .add(batch('y1'))
  log.compact()
  assert.equal(log.text, '2-3:  | 4-4: x5@4 | 5-5: y1@5')
  const empty = log.batches[0]!
  assert.deepEqual(headOf(empty).slice(0, 3), [5, 2, 2])
  assert.equal(log.compact().batches[0], empty)
  log.states.expire(nowMs + dayMs, dayMs)
  assert.equal(log.add(batch('z1')).compact().text, '4-4: x5@4 | 5-5: y1@5 | 6-6: z1@6')
})

const transactional = (producerId: number, baseSequence = 0, producerEpoch = 0): BatchFields => ({
  producerId,
  producerEpoch,
  baseSequence,
  transactional: true,
})

test('I9 · aborted records go, also those whose key has nothing else; they make no other record go', () => {
  const log = new Log()
    .add(batch('a1 b1'))
    .add(batch('a2 c1', transactional(5)))
    .mark('abort', 5)
  log
    .add(batch('d1', transactional(5, 2)))
    .mark('commit', 5)
    .add(batch('e1'))
  log.compact()
  assert.equal(log.text, '0-1: a1@0 b1@1 | 4-4: !@4 | 5-5: d1@5 | 6-6: !@6 | 7-7: e1@7')
  assert.deepEqual(log.states.abortedBetween(0, 9), [{ producerId: 5, firstOffset: 2 }], 'seen until now')
})

test('a marker goes when its transaction has no records and delete.retention.ms has passed', () => {
  const log = new Log().add(batch('a1', transactional(5))).mark('abort', 5)
  log.add(batch('b1', transactional(5, 1))).mark('commit', 5)
  log
    .add(batch('b2', transactional(5, 2)))
    .mark('commit', 5)
    .add(batch('z1'))
  log.compact()
  assert.equal(log.text, '1-1: !@1 | 3-3: !@3 | 4-4: b2@4 | 5-5: !@5 | 6-6: z1@6')
  log.compact({ at: nowMs + 1 })
  assert.deepEqual(log.states.abortedBetween(0, 9), [], 'nothing of it is left to be skipped')
  assert.deepEqual(
    log.batches.map((bytes) => header.hasDeleteHorizon(bytes, 0)),
    [true, true, false, false, false],
  )
  log.compact({ at: nowMs + dayMs })
  assert.equal(log.text, '1-1: !@1 | 3-3: !@3 | 4-4: b2@4 | 5-5: !@5 | 6-6: z1@6')
  log.compact({ at: nowMs + dayMs + 1 })
  assert.equal(log.text, '4-4: b2@4 | 5-5: !@5 | 6-6: z1@6')
})

test('X3 · the last marker of a producer stays for its epoch', () => {
  const log = new Log()
    .add(batch('a1', transactional(5)))
    .mark('abort', 5, 1)
    .add(batch('z1'))
  for (const at of [nowMs, nowMs + 1, nowMs + dayMs + 2]) log.compact({ at })
  assert.equal(log.text, '1-1:  | 2-2: z1@2')
  const rebuilt = new ProducerStates()
  for (const bytes of log.batches) rebuilt.apply(bytes, nowMs)
  assert.deepEqual(rebuilt.lastOf(5), { kind: 'marker', producerEpoch: 1 })
})

// ── On a disk ──────────────────────────────────────────────────────────────────────────────────────────────────────

const settings = {
  deleteRetentionMs: dayMs,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  minCleanableDirtyRatio: 0.5,
  segmentBytes: 1_000,
}

async function textOfLog(log: PartitionLog): Promise<string> {
  const found: string[] = []
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const read = await log.read(offset, 10_000, 'log-end')
    if (read.kind !== 'batches' || read.bytes === 0) break
    for (const chunk of read.chunks) {
      for (let at = 0; at < chunk.length; at += header.batchSize(chunk, at)) found.push(textOf(chunk.subarray(at)))
    }
    offset = read.nextOffset
  }
  return found.join(' | ')
}

/** One record a segment. */
async function openCompacted(disk: MemoryDisk, segmentBytes = 1) {
  const { storage, clock } = storageOn(disk)
  const log = await openLog(storage, 'p', { compacts: true, deletes: false, segmentBytes })
  const append = async (...texts: string[]) => {
    for (const text of texts) assert.equal(log.append(batch(text, { timestampMs: startMs }), 'client').kind, 'appended')
    await log.whenDurable(log.logEndOffset)
  }
  return { log, clock, append }
}

test('Q3 · a partition is compacted up to its active segment, segments are joined, and it opens again', async () => {
  const disk = new MemoryDisk()
  const { log, clock, append } = await openCompacted(disk)
  await append('a1', 'b1', 'a2', 'b2', 'c1', 'a3')
  assert.equal(log.segments.length, 6)
  assert.equal(await compactPartition(log, settings, clock.now()), true)
  assert.equal(await textOfLog(log), '2-2: a2@2 | 3-3: b2@3 | 4-4: c1@4 | 5-5: a3@5')
  assert.equal(log.segments.length, 2)
  assert.equal(await compactPartition(log, settings, clock.now()), false, 'nothing is dirty')
  await append('b3')
  assert.equal(await compactPartition(log, settings, clock.now()), false, 'one segment in four')
  await append('c2', 'd1', 'e1')
  assert.equal(await compactPartition(log, settings, clock.now()), true)
  const left = '5-5: a3@5 | 6-6: b3@6 | 7-7: c2@7 | 8-8: d1@8 | 9-9: e1@9'
  assert.equal(await textOfLog(log), left)
  await log.close()
  const again = await openCompacted(disk)
  assert.equal(await textOfLog(again.log), left)
  assert.equal(await compactPartition(again.log, settings, clock.now()), false, 'it is known to be clean')
  await again.log.close()
})

test('records younger than min.compaction.lag.ms stay; those older than max.compaction.lag.ms are not left dirty', async () => {
  const { log, clock, append } = await openCompacted(new MemoryDisk())
  await append('a1', 'a2', 'a3')
  const lag = { ...settings, minCompactionLagMs: 1_000 }
  assert.equal(await compactPartition(log, lag, clock.now()), false)
  assert.equal(await compactPartition(log, lag, clock.now() + 1_000), true)
  assert.equal(await textOfLog(log), '1-1: a2@1 | 2-2: a3@2')
  await append('a4', 'b1')
  const never = { ...settings, minCleanableDirtyRatio: 1 }
  assert.equal(await compactPartition(log, never, clock.now() + 5_000), false)
  assert.equal(await compactPartition(log, { ...never, maxCompactionLagMs: 4_000 }, clock.now() + 5_000), true)
  assert.equal(await textOfLog(log), '3-3: a4@3 | 4-4: b1@4')
  await log.close()
})

test('X6 · undecided transactions are not touched, nor anything after them', async () => {
  const { log, clock, append } = await openCompacted(new MemoryDisk())
  await append('a1', 'a2')
  assert.equal(log.append(batch('b1', transactional(5)), 'client').kind, 'appended')
  await append('a3', 'a4')
  assert.equal(await compactPartition(log, settings, clock.now()), true)
  assert.equal(await textOfLog(log), '1-1: a2@1 | 2-2: b1@2 | 3-3: a3@3 | 4-4: a4@4')
  const marker = controlBatch({ kind: 'abort', producerId: 5, producerEpoch: 0, timestampMs: 1, coordinatorEpoch: 1 })
  assert.equal(log.append(marker, 'coordinator').kind, 'appended')
  await append('c1')
  assert.equal(await compactPartition(log, settings, clock.now()), true)
  assert.equal(await textOfLog(log), '2-2:  | 4-4: a4@4 | 5-5: !@5 | 6-6: c1@6', 'its sequence number is still needed')
  await log.close()
})

test('segments are joined up to segment.bytes; a log that is clean but unknown to be is not rewritten', async () => {
  const disk = new MemoryDisk()
  const { log, clock, append } = await openCompacted(disk)
  await append('a1', 'b1', 'c1', 'd1', 'e1')
  const bytes = batch('a1').length * 2
  assert.equal(await compactPartition(log, { ...settings, segmentBytes: bytes }, clock.now()), true)
  assert.deepEqual(
    log.segments.map(({ baseOffset }) => baseOffset),
    [0, 2, 4],
  )
  const before = [...log.segments]
  await disk.remove('p/clean-offset')
  assert.equal(await compactPartition(log, { ...settings, segmentBytes: bytes }, clock.now()), true)
  assert.deepEqual(log.segments, before)
  assert.deepEqual(
    (await disk.list('p')).filter((name) => name.endsWith('cleaned')),
    [],
  )
  await log.close()
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FanlaneError } from '../../../src/errors.ts'
import { controlBatch, readMarker } from '../../../src/protocol/record-batch/control.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { BatchBuilder, type BatchRecord, encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { arbitraryRecord, codecs, goldenBatches, latin1, readAll, sampleRecords } from './record-batch-samples.ts'

function golden(writer: string, what: string): Buffer {
  const found = goldenBatches().find((one) => one.writer.startsWith(writer) && one.what === what)
  assert.ok(found, `${writer} ${what}`)
  return Buffer.from(found.batch, 'hex')
}

/** What the Java producer of the fixtures sent. */
const javaRecords: BatchRecord[] = Array.from({ length: 8 }, (_, i) => ({
  key: i === 2 ? null : Buffer.from(i === 3 ? '' : `key-${i % 4}`),
  value: i === 5 ? null : Buffer.from(i === 6 ? '' : `a value that repeats itself, a value that repeats itself: ${i}`),
  timestampMs: 1_700_000_000_000 + (i === 7 ? -1500 : i * 250),
  headers: [
    ...(i % 3 === 1 ? [['trace', Buffer.from(`id-${i}`)] as const] : []),
    ...(i === 4
      ? [['größe', Buffer.from('ü')] as const, ['trace', null] as const, ['trace', Buffer.alloc(0)] as const]
      : []),
  ],
}))

function plain(records: readonly BatchRecord[], baseOffset = 0): unknown[] {
  let delta = -1
  return records.map((record) => {
    delta = record.offsetDelta ?? delta + 1
    return {
      offset: baseOffset + delta,
      timestamp: record.timestampMs,
      key: latin1(record.key),
      value: latin1(record.value),
      headers: (record.headers ?? []).map(([name, value]) => [name, latin1(value)]),
    }
  })
}

describe('batches of other writers', () => {
  for (const [name, type] of codecs) {
    test(`Q4 · a ${name} batch of Kafka's Java producer reads back as what was sent`, () => {
      const batch = golden('Java', name)
      assert.equal(header.compressionType(batch, 0), type)
      assert.ok(header.crcMatches(batch, 0))
      assert.deepEqual(readAll(batch), plain(javaRecords))
    })

    test(`Q4 · a ${name} batch of librdkafka reads back as what was sent`, () => {
      const batch = golden('librdkafka', name)
      assert.equal(header.compressionType(batch, 0), type)
      assert.ok(header.crcMatches(batch, 0))
      const sent = readAll(batch).map(({ key, value, headers }) => ({ key, value, headers }))
      const expected = [1, 2, 3, 4, 5].map((i) => ({
        key: `key-${i}`,
        value: `a value that repeats itself, a value that repeats itself: ${i}`,
        headers: [['trace', 'abc']],
      }))
      assert.deepEqual(sent, expected)
    })
  }

  test("Q4 · what is written is what Kafka's Java producer writes, byte for byte", () => {
    const records = javaRecords
    assert.deepEqual(encodeBatch({ records, partitionLeaderEpoch: 0 }), golden('Java', 'none'))
    const idempotent = {
      records,
      partitionLeaderEpoch: 0,
      producerId: 0,
      producerEpoch: 0,
      baseOffset: 8,
      baseSequence: 8,
    }
    assert.deepEqual(encodeBatch(idempotent), golden('Java', 'idem 2'))
    const transactional = { records, partitionLeaderEpoch: 0, producerId: 1, producerEpoch: 0, baseSequence: 0 }
    assert.deepEqual(encodeBatch({ ...transactional, transactional: true }), golden('Java', 'txn 1'))
  })

  test('Q10 · transaction markers are those of Apache Kafka, byte for byte', () => {
    for (const [what, kind, producerEpoch] of [
      ['txn 2', 'commit', 1],
      ['txn 4', 'abort', 2],
    ] as const) {
      const theirs = golden('Java', what)
      const told = readMarker(theirs, 0)
      assert.deepEqual(told, { kind, offset: header.baseOffset(theirs, 0), coordinatorEpoch: 0 })
      const timestampMs = header.maxTimestamp(theirs, 0)
      const ours = controlBatch({ kind, producerId: 1, producerEpoch, timestampMs, coordinatorEpoch: 0 })
      header.setBaseOffset(ours, 0, header.baseOffset(theirs, 0))
      header.setPartitionLeaderEpoch(ours, 0, 0)
      assert.deepEqual(ours, theirs)
    }
  })

  test('with log append time every record has the time of the batch', () => {
    const batch = golden('Java', 'append')
    assert.ok(header.isLogAppendTime(batch, 0))
    assert.deepEqual(
      new Set(readAll(batch).map((record) => record.timestamp)),
      new Set([header.maxTimestamp(batch, 0)]),
    )
  })
})

describe('round trips', () => {
  for (const [name, compression] of codecs) {
    test(`Q4 · any records, with holes between offsets, come back equal (${name})`, () => {
      const holes = fc.array(fc.tuple(arbitraryRecord, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1000 }))), {
        maxLength: 20,
      })
      fc.assert(
        fc.property(holes, fc.integer({ min: 0, max: 2 ** 50 }), (steps, baseOffset) => {
          let delta = -1
          const records = steps.map(([record, step]) => {
            delta += step
            return { ...record, offsetDelta: delta }
          })
          const batch = encodeBatch({ records, compression, baseOffset })
          assert.equal(header.batchSize(batch, 0), batch.length)
          assert.ok(header.crcMatches(batch, 0))
          assert.equal(header.recordCount(batch, 0), records.length)
          assert.equal(header.lastOffset(batch, 0), baseOffset + Math.max(0, delta))
          assert.deepEqual(readAll(batch), plain(records, baseOffset))
          const latest = Math.max(-1, ...records.map((record) => record.timestampMs))
          assert.equal(header.maxTimestamp(batch, 0), latest)
        }),
        { seed: 1, numRuns: name === 'gzip' || name === 'zstd' ? 60 : 200 },
      )
    })
  }

  test('the size is known before a record is added, and is the size of the batch', () => {
    fc.assert(
      fc.property(fc.array(arbitraryRecord, { minLength: 1, maxLength: 10 }), (records) => {
        const builder = new BatchBuilder({ initialBytes: 61 })
        for (const record of records) {
          const expected = builder.sizeWith(record)
          builder.append(record)
          assert.equal(builder.size, expected)
        }
        assert.equal(builder.count, records.length)
        assert.equal(builder.close().length, header.batchSize(encodeBatch({ records }), 0))
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  test('a builder is empty after closing, and what it gave away stays as it is', () => {
    for (const [, compression] of codecs) {
      const builder = new BatchBuilder()
      for (const record of sampleRecords) builder.append(record)
      const first = builder.close({ compression })
      const before = Buffer.from(first)
      assert.equal(builder.size, header.batchOverhead)
      assert.equal(builder.count, 0)
      for (const record of [...sampleRecords].reverse()) builder.append(record)
      const second = builder.close({ compression })
      assert.deepEqual(first, before)
      assert.deepEqual(second, encodeBatch({ records: [...sampleRecords].reverse(), compression }))
      assert.deepEqual(readAll(second), plain([...sampleRecords].reverse()))
    }
  })

  test('what compaction needs: the old end, a delete horizon, no records at all', () => {
    const records = sampleRecords.slice(0, 2).map((record, i) => ({ ...record, offsetDelta: i * 5 }))
    const kept = encodeBatch({ records, baseOffset: 100, lastOffsetDelta: 9, deleteHorizonMs: 1_800_000_000_000 })
    assert.equal(header.lastOffset(kept, 0), 109)
    assert.ok(header.hasDeleteHorizon(kept, 0))
    assert.equal(header.baseTimestamp(kept, 0), 1_800_000_000_000)
    assert.deepEqual(readAll(kept), plain(records, 100))
    const empty = encodeBatch({ records: [], baseOffset: 100, lastOffsetDelta: 9, maxTimestampMs: 7 })
    assert.equal(header.lastOffset(empty, 0), 109)
    assert.equal(header.maxTimestamp(empty, 0), 7)
    assert.deepEqual(readAll(empty), [])
  })

  test('records that cannot be written are refused', () => {
    const record = { key: null, value: null, timestampMs: 0 }
    const refused = { code: 'RECORD_INVALID' }
    assert.throws(() => encodeBatch({ records: [{ ...record, timestampMs: Number.NaN }] }), refused)
    for (const offsetDelta of [-1, 0.5, 2 ** 31, Number.NaN]) {
      assert.throws(() => encodeBatch({ records: [{ ...record, offsetDelta }] }), refused)
    }
    assert.throws(() => encodeBatch({ records: [record, { ...record, offsetDelta: 0 }] }), refused)
    const builder = new BatchBuilder()
    builder.append(record)
    assert.throws(() => builder.close({ deleteHorizonMs: 5 }), refused)
    assert.throws(() => builder.close({ producerEpoch: 2 ** 15 }), RangeError)
    assert.deepEqual(builder.close(), encodeBatch({ records: [record] }), 'an error takes nothing away')
  })
})

describe('the head', () => {
  test('Q4 · base offset and leader epoch are set without touching the checksum', () => {
    const batch = encodeBatch({ records: sampleRecords })
    const crc = header.crc(batch, 0)
    for (const offset of [0, 1, 2 ** 31, 2 ** 32, 2 ** 33 + 5, Number.MAX_SAFE_INTEGER - 10]) {
      header.setBaseOffset(batch, 0, offset)
      header.setPartitionLeaderEpoch(batch, 0, 9)
      assert.equal(header.baseOffset(batch, 0), offset)
      assert.equal(header.lastOffset(batch, 0), offset + sampleRecords.length - 1)
    }
    assert.equal(header.partitionLeaderEpoch(batch, 0), 9)
    assert.equal(header.crc(batch, 0), crc)
    assert.ok(header.crcMatches(batch, 0))
  })

  test('changing the clock that counts makes the checksum anew', () => {
    const batch = Buffer.concat([Buffer.alloc(5), encodeBatch({ records: sampleRecords, compression: 3 })])
    header.setLogAppendTime(batch, 5, 1_750_000_000_000)
    assert.ok(header.isLogAppendTime(batch, 5))
    assert.ok(header.crcMatches(batch, 5))
    assert.equal(header.compressionType(batch, 5), 3)
    assert.ok(readAll(batch, 5).every((record) => record.timestamp === 1_750_000_000_000))
    header.setCreateTime(batch, 5, 1_700_000_100_000)
    assert.deepEqual(batch.subarray(5), encodeBatch({ records: sampleRecords, compression: 3 }))
  })

  test('all fields come back', () => {
    const fields = { producerId: 2 ** 40, producerEpoch: 32767, baseSequence: 2 ** 31 - 1, partitionLeaderEpoch: 3 }
    const batch = encodeBatch({ ...fields, baseOffset: 7, transactional: true, control: true, records: sampleRecords })
    assert.equal(header.magic(batch, 0), 2)
    assert.equal(header.producerId(batch, 0), fields.producerId)
    assert.equal(header.producerEpoch(batch, 0), fields.producerEpoch)
    assert.equal(header.baseSequence(batch, 0), fields.baseSequence)
    assert.equal(header.partitionLeaderEpoch(batch, 0), 3)
    assert.equal(header.attributes(batch, 0), 0x30)
    assert.ok(header.isTransactional(batch, 0) && header.isControl(batch, 0))
    assert.ok(!header.hasDeleteHorizon(batch, 0) && !header.isLogAppendTime(batch, 0))
    assert.equal(header.crc(batch, 0), header.computeCrc(batch, 0))
  })

  test('numbers outside the safe range are an error, never rounded', () => {
    const batch = encodeBatch({ records: sampleRecords })
    for (const value of [2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)]) {
      for (const [at, get] of [
        [0, header.baseOffset],
        [27, header.baseTimestamp],
        [35, header.maxTimestamp],
        [43, header.producerId],
      ] as const) {
        const broken = Buffer.from(batch)
        broken.writeBigInt64BE(value, at)
        assert.throws(() => get(broken, 0), { code: 'BATCH_INVALID' })
      }
    }
  })

  test('the size asks for twelve bytes, the checksum for the whole batch', () => {
    const batch = encodeBatch({ records: sampleRecords })
    assert.equal(header.batchSize(batch.subarray(0, 11), 0), -1)
    assert.equal(header.batchSize(batch.subarray(0, 12), 0), batch.length)
    assert.equal(header.crcMatches(batch.subarray(0, -1), 0), false)
    assert.throws(() => header.computeCrc(batch.subarray(0, -1), 0), { code: 'BATCH_INVALID' })
  })
})

describe('concatenated batches', () => {
  const batches = [0, 3, 1].map((compression, i) =>
    encodeBatch({ records: sampleRecords, compression, baseOffset: i * 10 }),
  )
  const joined = Buffer.concat(batches)

  test('Q6 · every cut ends in front of the batch that is not all there', () => {
    const ends = batches.map((_, i) => batches.slice(0, i + 1).reduce((sum, batch) => sum + batch.length, 0))
    for (let cut = 0; cut <= joined.length; cut++) {
      const whole = ends.filter((end) => end <= cut).length
      assert.equal([...eachBatch(joined.subarray(0, cut))].length, whole)
      assert.equal([...eachBatch(joined, 0, cut)].length, whole)
    }
  })

  test('one cursor walks all of them, and a start in the middle', () => {
    const cursor = new RecordCursor()
    const offsets: number[] = []
    for (const at of eachBatch(joined, batches[0]!.length)) {
      cursor.reset(joined, at, 10_000)
      while (cursor.next()) offsets.push(cursor.offset)
    }
    assert.deepEqual(offsets, [10, 11, 12, 13, 14, 20, 21, 22, 23, 24])
  })

  test('an old format version or a length that cannot be is an error', () => {
    const old = Buffer.from(joined)
    old.writeInt8(1, 16)
    assert.throws(() => [...eachBatch(old)], { code: 'BATCH_VERSION_UNSUPPORTED' })
    const short = Buffer.from(joined)
    short.writeInt32BE(48, 8)
    assert.throws(() => [...eachBatch(short)], { code: 'BATCH_INVALID' })
  })

  test('a cursor keeps nothing of the batch before when the next one is refused', () => {
    const cursor = new RecordCursor().reset(joined, 0, 10_000)
    cursor.next()
    assert.throws(() => cursor.reset(joined.subarray(0, 70), 0, 10_000), FanlaneError)
    assert.equal(cursor.bytes.length, 0)
    assert.equal(cursor.next(), false)
  })
})

test('control batches of other kinds are passed over, broken ones are errors', () => {
  const control = (key: Buffer, value: Buffer | null): Buffer =>
    encodeBatch({ control: true, records: [{ key, value, timestampMs: 0 }] })
  assert.equal(readMarker(control(Buffer.from([0, 0, 0, 2]), Buffer.alloc(6)), 0), null)
  assert.equal(readMarker(encodeBatch({ control: true, records: [], lastOffsetDelta: 0 }), 0), null)
  const invalid = { code: 'BATCH_INVALID' }
  assert.throws(() => readMarker(control(Buffer.alloc(3), Buffer.alloc(6)), 0), invalid)
  assert.throws(() => readMarker(control(Buffer.alloc(4), null), 0), invalid)
  assert.throws(() => readMarker(encodeBatch({ records: sampleRecords }), 0), invalid)
})

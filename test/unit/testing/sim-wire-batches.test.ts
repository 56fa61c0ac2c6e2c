/** Record batches between the simulated log and the wire. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toOutgoing } from '../../../src/engines/outgoing.ts'
import { compressionTypes } from '../../../src/protocol/record-batch/compression.ts'
import { controlBatch, readMarker } from '../../../src/protocol/record-batch/control.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { type BatchRecord, encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { LogBatch, LogRecord } from '../../../src/testing/sim/cluster/log-messages.ts'
import { bytesOfBatch, producedBatch } from '../../../src/testing/sim/wire/batches.ts'

const place = {
  baseOffset: 100,
  lastOffset: 109,
  leaderEpoch: 7,
  producerId: 41,
  producerEpoch: 3,
  baseSequence: 50,
  isTransactional: true,
  size: 999,
} as const

function record(offset: number, fields: Partial<LogRecord> = {}): LogRecord {
  return { offset, key: 'k', value: `v${offset}`, timestamp: 1000, size: 20, ...fields }
}

function read(bytes: Buffer) {
  const cursor = new RecordCursor().reset(bytes, 0, 1024)
  const found: object[] = []
  while (cursor.next()) {
    const { offset, timestamp } = cursor
    const text = (value: Buffer | null): string | null => value?.toString('latin1') ?? null
    found.push({ offset, timestamp, key: text(cursor.key()), value: text(cursor.value()), headers: cursor.headers() })
  }
  return found
}

describe('bytes of a stored batch', () => {
  it('keep its place, its producer and the holes that compaction left, at the end too', () => {
    const bytes = bytesOfBatch({ ...place, kind: 'data', records: [record(102), record(105, { timestamp: 1007.9 })] })
    assert.ok(header.crcMatches(bytes, 0))
    assert.equal(header.batchSize(bytes, 0), bytes.length)
    assert.equal(header.baseOffset(bytes, 0), 100)
    assert.equal(header.lastOffset(bytes, 0), 109)
    assert.equal(header.partitionLeaderEpoch(bytes, 0), 7)
    assert.equal(header.producerId(bytes, 0), 41)
    assert.equal(header.producerEpoch(bytes, 0), 3)
    assert.equal(header.baseSequence(bytes, 0), 50)
    assert.ok(header.isTransactional(bytes, 0))
    assert.ok(!header.isControl(bytes, 0))
    assert.deepEqual(read(bytes), [
      { offset: 102, timestamp: 1000, key: 'k', value: 'v102', headers: [] },
      { offset: 105, timestamp: 1007, key: 'k', value: 'v105', headers: [] },
    ])
  })

  it('a batch without records still takes its offsets', () => {
    const bytes = bytesOfBatch({ ...place, kind: 'data', records: [] })
    assert.ok(header.crcMatches(bytes, 0))
    assert.equal(header.lastOffset(bytes, 0), 109)
    assert.deepEqual(read(bytes), [])
  })

  it('values that are not strings are JSON; null stays null; headers come along, in order', () => {
    const headers = [
      { key: 'a', value: 'ÿ' },
      { key: 'a', value: null },
    ]
    const records = [
      record(100, { key: null, value: null }),
      record(101, { key: '', value: { n: 1 } }),
      record(102, { value: Buffer.from([0, 255]), headers }),
    ]
    const found = read(bytesOfBatch({ ...place, kind: 'data', records })) as { headers: unknown }[]
    assert.deepEqual(
      found.map(({ headers: _, ...rest }) => rest),
      [
        { offset: 100, timestamp: 1000, key: null, value: null },
        { offset: 101, timestamp: 1000, key: '', value: '{"n":1}' },
        { offset: 102, timestamp: 1000, key: 'k', value: '\u0000ÿ' },
      ],
    )
    assert.deepEqual(found[2]?.headers, [
      ['a', Buffer.from([255])],
      ['a', null],
    ])
  })

  it('a marker is a control batch that says how the transaction ended', () => {
    for (const [type, kind] of [
      ['COMMIT', 'commit'],
      ['ABORT', 'abort'],
    ] as const) {
      const bytes = bytesOfBatch({ ...place, lastOffset: 100, baseSequence: -1, kind: 'control', type })
      assert.ok(header.crcMatches(bytes, 0))
      assert.ok(header.isTransactional(bytes, 0))
      assert.equal(header.producerId(bytes, 0), 41)
      assert.equal(header.producerEpoch(bytes, 0), 3)
      assert.equal(header.partitionLeaderEpoch(bytes, 0), 7)
      assert.equal(header.lastOffset(bytes, 0), 100)
      assert.deepEqual(readMarker(bytes, 0), { kind, offset: 100, coordinatorEpoch: 0 })
    }
  })

  it('are made once', () => {
    const batch: LogBatch = { ...place, kind: 'data', records: [record(100)] }
    assert.equal(bytesOfBatch(batch), bytesOfBatch(batch))
    assert.notEqual(bytesOfBatch({ ...batch }), bytesOfBatch(batch))
  })
})

const plain: BatchRecord = { key: null, value: Buffer.from('v'), timestampMs: 5 }

describe('a produced batch', () => {
  it('is read with its producer, and every byte of its records', () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    for (const compression of [compressionTypes.none, compressionTypes.gzip]) {
      const bytes = encodeBatch({
        producerId: 9,
        producerEpoch: 2,
        baseSequence: 11,
        transactional: true,
        compression,
        records: [
          { key: null, value: all, timestampMs: 7 },
          { key: all, value: null, timestampMs: 8, headers: [['h', all] as const, ['é', null] as const] },
        ],
      })
      const text = all.toString('latin1')
      assert.deepEqual(producedBatch(bytes, 't-0'), {
        producerId: 9,
        producerEpoch: 2,
        baseSequence: 11,
        isTransactional: true,
        records: [
          { key: null, value: text, headers: [], timestamp: 7, size: 70 + 256 },
          {
            key: text,
            value: null,
            headers: [
              { key: 'h', value: text },
              { key: 'é', value: null },
            ],
            timestamp: 8,
            size: 70 + 256 + (1 + 256 + 10) + (2 + 0 + 10),
          },
        ],
      })
    }
  })

  it("a record's size is what a handler's output was charged for it", () => {
    const sends = [
      { topic: 't', value: 'value' },
      { topic: 't', key: 'schlüssel', value: null },
      { topic: 't', key: 'k', value: 'v', headers: { a: 'b', grün: 'ü', none: null } },
    ]
    for (const send of sends) {
      const { key, value, headers, size } = toOutgoing(send)
      const pairs = headers.map((each) => [each.key, each.value] as const)
      const bytes = encodeBatch({ records: [{ key, value, headers: pairs, timestampMs: 1 }] })
      assert.equal(producedBatch(bytes, 't-0').records[0]?.size, size)
    }
  })

  it('is refused where a broker would refuse it, or the simulated log cannot hold it', () => {
    const good = encodeBatch({ records: [plain] })
    const damaged = Buffer.from(good)
    damaged[damaged.length - 1] = 1
    const marker = controlBatch({
      kind: 'abort',
      producerId: 1,
      producerEpoch: 0,
      timestampMs: 1,
      coordinatorEpoch: 0,
    })
    const cases: readonly (readonly [Buffer | null, RegExp])[] = [
      [null, /not just one batch for t-0/],
      [Buffer.alloc(0), /not just one batch/],
      [Buffer.concat([good, good]), /not just one batch/],
      [good.subarray(0, good.length - 1), /not just one batch/],
      [damaged, /wrong checksum/],
      [marker, /control batch/],
      [encodeBatch({ records: [] }), /0 records/],
      [encodeBatch({ records: [plain, { ...plain, offsetDelta: 2 }] }), /holes/],
      [encodeBatch({ records: [plain], lastOffsetDelta: 4 }), /announces others/],
    ]
    for (const [bytes, message] of cases) assert.throws(() => producedBatch(bytes, 't-0'), message)
  })
})

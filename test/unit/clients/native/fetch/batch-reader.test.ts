/** What a reader sees of the bytes of a fetch, compared with a plain model of the log that they were cut from. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Reading, readBatches } from '../../../../../src/clients/native/fetch/batch-reader.ts'
import type { FanlaneError } from '../../../../../src/errors.ts'
import { asEpoch } from '../../../../../src/kernel/ids.ts'
import { controlBatch } from '../../../../../src/protocol/record-batch/control.ts'
import { setBaseOffset, setPartitionLeaderEpoch } from '../../../../../src/protocol/record-batch/header.ts'
import { encodeBatch } from '../../../../../src/protocol/record-batch/writer.ts'

interface Written {
  readonly bytes: Buffer
  readonly first: number
  readonly last: number
  /** What may be seen, if it is committed. */
  readonly offsets: readonly number[]
  readonly transaction: { readonly producerId: number; readonly isAborted: boolean; readonly first: number } | null
}

/** A log of transactions and plain writes, interleaved; every transaction has its end in it. */
class LogWriter {
  readonly batches: Written[] = []
  readonly #open: Map<number, { isAborted: boolean; first: number }> = new Map()
  #end: number

  constructor(start: number) {
    this.#end = start
  }

  write(producerId: number | null, count: number, compression: number, holes: ReadonlySet<number>): void {
    const records = Array.from({ length: count }, (_, index) => ({
      key: index % 3 === 0 ? null : Buffer.from(`k${index % 5}`),
      value: Buffer.from(`${this.#end + index}`),
      timestampMs: 1_000 + index,
      headers: index % 4 === 0 ? ([['h', Buffer.from(String(index))]] as [string, Buffer][]) : [],
      offsetDelta: index,
    })).filter(({ offsetDelta }) => !holes.has(offsetDelta))
    const isTransactional = producerId !== null
    const bytes = encodeBatch({
      records,
      compression,
      lastOffsetDelta: count - 1,
      ...(isTransactional ? { producerId, producerEpoch: 0, baseSequence: 0, transactional: true } : {}),
    })
    const first = this.#end
    if (isTransactional && !this.#open.has(producerId)) this.#open.set(producerId, { isAborted: false, first })
    this.#push(
      bytes,
      first,
      first + count - 1,
      records.map(({ offsetDelta }) => first + offsetDelta),
      producerId,
    )
  }

  end(producerId: number, kind: 'commit' | 'abort'): void {
    const open = this.#open.get(producerId)
    if (open === undefined) return
    open.isAborted = kind === 'abort'
    this.#open.delete(producerId)
    const bytes = controlBatch({ kind, producerId, producerEpoch: 0, timestampMs: 0, coordinatorEpoch: 0 })
    this.#push(bytes, this.#end, this.#end, [], null)
  }

  get openOnes(): number[] {
    return [...this.#open.keys()]
  }

  #push(bytes: Buffer, first: number, last: number, offsets: readonly number[], producerId: number | null): void {
    setBaseOffset(bytes, 0, first)
    setPartitionLeaderEpoch(bytes, 0, 3)
    const open = producerId === null ? undefined : this.#open.get(producerId)
    // The same object for all batches of a transaction: its end is told to all of them.
    const transaction = open === undefined || producerId === null ? null : Object.assign(open, { producerId })
    this.batches.push({ bytes, first, last, offsets, transaction })
    this.#end = last + 1
  }
}

const reading = (position: number, aborted: Reading['aborted'] = null): Reading => ({
  topic: 't',
  partition: 0,
  epoch: asEpoch(7),
  position,
  logEnd: 1_000_000,
  aborted,
})

type Step =
  | {
      readonly kind: 'write'
      readonly producer: number
      readonly count: number
      readonly codec: number
      readonly holes: readonly number[]
    }
  | { readonly kind: 'end'; readonly producer: number; readonly commit: boolean }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('write' as const),
      producer: fc.integer({ min: 0, max: 3 }),
      count: fc.integer({ min: 1, max: 12 }),
      codec: fc.constantFrom(0, 1, 2, 3, 4),
      holes: fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 4 }),
    }),
    fc.record({ kind: fc.constant('end' as const), producer: fc.integer({ min: 1, max: 3 }), commit: fc.boolean() }),
  ),
  { minLength: 1, maxLength: 40 },
)

function logOf(plan: readonly Step[], start: number): LogWriter {
  const log = new LogWriter(start)
  for (const step of plan) {
    if (step.kind === 'end') log.end(step.producer, step.commit ? 'commit' : 'abort')
    // Producer 0 writes without a transaction.
    else log.write(step.producer === 0 ? null : step.producer, step.count, step.codec, new Set(step.holes))
  }
  for (const producer of log.openOnes) log.end(producer, 'abort')
  return log
}

describe('reading the bytes of a fetch', () => {
  it('X6 P2 · shows what is committed, in order, whatever the codec and wherever the answers are cut', () => {
    const property = fc.property(
      steps,
      fc.integer({ min: 0, max: 1000 }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 10 }),
      (plan, start, skip, sizes) => {
        const { batches } = logOf(plan, start)
        const from = start + skip
        const expected = batches
          .filter(({ transaction }) => transaction?.isAborted !== true)
          .flatMap(({ offsets }) => offsets)
          .filter((offset) => offset >= from)
        const seen: number[] = []
        let position = from
        for (let turn = 0; ; turn++) {
          const at = batches.findIndex(({ last }) => last >= position)
          if (at < 0) break
          const answered = batches.slice(at, at + (sizes[turn % sizes.length] ?? 1))
          // The broker lists whatever was aborted and reaches into what it sends, or begins behind it.
          const aborted = [...new Set(batches.map(({ transaction }) => transaction))]
            .filter((transaction) => transaction?.isAborted === true)
            .filter((transaction) =>
              batches.some((batch) => batch.transaction === transaction && batch.last >= position),
            )
            .map((transaction) => ({
              producerId: BigInt(transaction?.producerId ?? 0),
              firstOffset: BigInt(transaction?.first ?? 0),
            }))
          const bytes = Buffer.concat(answered.map((batch) => batch.bytes))
          const result = readBatches(bytes, reading(position, aborted))
          for (const batch of result.batches) {
            for (let index = 0; index < batch.count; index++) {
              const record = batch.record(index)
              assert.equal(record.offset, batch.offsets[index])
              assert.equal(String(record.value), String(record.offset))
              assert.equal(record.key === null ? null : record.key.toString('latin1'), batch.keys[index])
              seen.push(record.offset)
            }
            assert.equal(batch.leaderEpoch, 3)
            assert.equal(batch.epoch, 7)
          }
          const ends = result.batches.map(({ nextPosition }) => nextPosition)
          assert.equal(ends.at(-1) ?? result.nextPosition, result.nextPosition)
          assert.equal(result.nextPosition, (answered.at(-1)?.last ?? 0) + 1)
          position = result.nextPosition
        }
        assert.deepEqual(seen, expected)
      },
    )
    fc.assert(property, { numRuns: 300, seed: 1 })
  })

  it('cuts a large answer into pieces of their own bytes, each going on where the next begins', () => {
    const value = Buffer.alloc(1_000, 1)
    const records = Array.from({ length: 500 }, (_, offsetDelta) => ({ key: null, value, timestampMs: 5, offsetDelta }))
    const bytes = encodeBatch({ records })
    setBaseOffset(bytes, 0, 10)
    const { batches, nextPosition } = readBatches(bytes, reading(10))
    assert.ok(batches.length > 5)
    assert.equal(nextPosition, 510)
    let at = 10
    for (const batch of batches) {
      assert.equal(batch.offsets[0], at)
      at += batch.count
      assert.equal(batch.nextPosition, at)
      const kept = batch.record(0).value?.buffer.byteLength ?? 0
      assert.ok(kept <= 17 * 1024, `who keeps a record keeps ${kept} bytes`)
    }
  })

  it('keeps many small batches together', () => {
    const log = new LogWriter(0)
    for (let index = 0; index < 200; index++) log.write(null, 1, 0, new Set())
    const bytes = Buffer.concat(log.batches.map((batch) => batch.bytes))
    const { batches } = readBatches(bytes, reading(0))
    assert.equal(batches.length, 1)
    assert.equal(batches[0]?.count, 200)
  })

  it('headers come in order, with repeated names and null values', () => {
    const headers: [string, Buffer | null][] = [
      ['a', Buffer.from('1')],
      ['a', null],
      ['ü', Buffer.alloc(0)],
    ]
    const { batches } = readBatches(
      encodeBatch({ records: [{ key: null, value: null, timestampMs: 1, headers }] }),
      reading(0),
    )
    assert.deepEqual(
      batches[0]?.record(0).headers,
      headers.map(([key, value]) => ({ key, value })),
    )
  })

  it('L4 · a batch that does not match its checksum is refused, and nothing of it is left in the next answer', () => {
    const good = encodeBatch({ records: [{ key: Buffer.from('k'), value: Buffer.from('v'), timestampMs: 1 }] })
    const bad = Buffer.from(good)
    bad[bad.length - 2] = (bad[bad.length - 2] ?? 0) ^ 1
    assert.throws(
      () => readBatches(Buffer.concat([good, bad]), reading(0)),
      (error: FanlaneError) => error.code === 'BATCH_DAMAGED' && /t-0/.test(error.message),
    )
    assert.equal(readBatches(good, reading(0)).batches[0]?.count, 1)
  })
})

/** What crosses the wall arrives as it left: records, results, errors, whatever the pieces in which it travels. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { FrameReader } from '../../../src/engines/workers/frames.ts'
import { packPlain, readFromWorker, readToWorker } from '../../../src/engines/workers/messages.ts'
import { packError, packValue, unpackError } from '../../../src/engines/workers/portable-error.ts'
import { ReportWriter, type Result, readReport } from '../../../src/engines/workers/report-message.ts'
import { packRun, RunReader, type TopicNumbers } from '../../../src/engines/workers/run-message.ts'
import { FanlaneError, PermanentError, RetryableError } from '../../../src/errors.ts'
import { asEpoch, asOffset } from '../../../src/kernel/ids.ts'
import type { Completion, Work } from '../../../src/ports/engine.ts'
import type { RawRecord } from '../../../src/ports/log-client.ts'

const bytes = fc.option(fc.uint8Array({ maxLength: 300 }).map((each) => Buffer.from(each)))
const plain = { noNullPrototype: true }
const header = fc.record({ key: fc.string({ unit: 'grapheme' }), value: bytes }, plain)
const record: fc.Arbitrary<RawRecord> = fc.record(
  {
    topic: fc.constantFrom('a', 'b', 'ünïcode'),
    partition: fc.nat(),
    offset: fc.maxSafeNat(),
    timestamp: fc.maxSafeNat(),
    size: fc.nat(),
    key: bytes,
    value: bytes,
    headers: fc.array(header, { maxLength: 3 }),
  },
  plain,
)

function workOf(raw: RawRecord, attempt: number): Work {
  const batch = { record: () => raw } as unknown as Work['batch']
  const { topic, partition, offset } = raw
  return {
    topic,
    partition,
    offset: asOffset(offset),
    epoch: asEpoch(1),
    attempt,
    run: 1,
    record: raw,
    batch,
    index: 0,
  }
}

function reread(message: Buffer, topics: string[]): RunReader {
  const read = readToWorker(message)
  assert.equal(read.kind, 'run')
  return new RunReader((read as Extract<typeof read, { kind: 'run' }>).reader, topics)
}

describe('messages between engines and workers', () => {
  test('P1 · records arrive byte by byte as they were, over several messages and as batches', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(record, { minLength: 1, maxLength: 4 })),
        fc.boolean(),
        fc.nat(9),
        (lists, isBatch, n) => {
          const numbers: TopicNumbers = new Map()
          const topics: string[] = []
          let seq = 0
          for (const list of lists) {
            const calls = isBatch ? [list] : list.map((each) => [each])
            const packed = packRun(
              calls.map((works) => ({ works: works.map((each) => workOf(each, n + 1)), isBatch })),
              seq,
              numbers,
              ({ topic }) => (topic === 'a' ? null : `lane ${topic}`),
              0,
            )
            const reader = reread(packed, topics)
            for (const call of calls) {
              const read = reader.next()
              assert.ok(read)
              assert.equal(read.seq, seq)
              assert.deepEqual(
                read.works.map((work) => work.record),
                call,
              )
              assert.deepEqual(
                read.works.map((work) => work.batch.record(0)),
                call,
              )
              assert.deepEqual(
                read.works.map(({ run, attempt }) => [run, attempt]),
                call.map((_, at) => [seq + at, n + 1]),
              )
              if (isBatch) {
                const lanes = call.map(({ topic }) => (topic === 'a' ? null : `lane ${topic}`))
                assert.deepEqual(
                  read.works.map(({ lane }) => lane),
                  lanes,
                )
              }
              seq += call.length
            }
            assert.equal(reader.next(), null)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  test('P1 · results arrive as they were, each with its number', () => {
    const sends = fc.array(
      fc.record(
        {
          topic: fc.string(),
          size: fc.nat(),
          key: bytes,
          value: bytes,
          headers: fc.array(header, { maxLength: 2 }),
        },
        plain,
      ),
      { minLength: 1, maxLength: 3 },
    )
    const result: fc.Arbitrary<Result> = fc.oneof(
      fc.constant<Result>({ status: 'done' }),
      sends.map(
        (each): Result => ({ status: 'done', sends: each.map((send) => ({ ...send, partition: 3, timestamp: 5 })) }),
      ),
      sends.map((each): Result => ({ status: 'done', sends: each })),
      fc.string().map((error): Result => ({ status: 'failed', error })),
      fc.constant<Result>({ status: 'deferred' }),
      fc.constant<Result>({ status: 'returned' }),
    )
    fc.assert(
      fc.property(fc.array(result), fc.maxSafeNat(), (results, nextSeq) => {
        const writer = new ReportWriter()
        for (const [run, each] of results.entries()) writer.add({ run, ...each } as Completion)
        const message = readFromWorker(writer.take({ nextSeq, calls: 3, busyUs: 1.5 }))
        assert.equal(message.kind, 'report')
        const read: Result[] = []
        const head = readReport((message as Extract<typeof message, { kind: 'report' }>).reader, (seq, each) => {
          assert.equal(seq, read.push(each) - 1)
        })
        assert.deepEqual(head, { nextSeq, calls: 3, busyUs: 1.5 })
        assert.deepEqual(read, results)
        assert.equal(writer.count, 0)
      }),
      { numRuns: 200 },
    )
  })

  test('R3 · what cannot be sent fails its record, and no other result is lost', () => {
    const writer = new ReportWriter()
    const bad = [{ topic: 't', key: null, value: null, size: 1, headers: [{ key: 'h', value: 7 }] }]
    writer.add({ run: 1, status: 'done' } as Completion)
    writer.add({ run: 2, status: 'done', sends: bad } as unknown as Completion)
    writer.add({ run: 3, status: 'done' } as Completion)
    const message = readFromWorker(writer.take({ nextSeq: 0, calls: 0, busyUs: 0 }))
    const read: unknown[] = []
    readReport((message as Extract<typeof message, { kind: 'report' }>).reader, (seq, result) =>
      read.push([seq, result.status, result.status === 'failed' ? (result.error as FanlaneError).code : '']),
    )
    assert.deepEqual(read, [
      [1, 'done', ''],
      [2, 'failed', 'SEND_NOT_PORTABLE'],
      [3, 'done', ''],
    ])
  })

  test('a stream cut anywhere gives the same messages', () => {
    const messages = ['a', 'b'.repeat(70_000), '', 'c'].map((message) =>
      packPlain({ kind: 'log', level: 'info', bound: null, fields: packValue({}), message }),
    )
    const all = Buffer.concat(messages)
    fc.assert(
      fc.property(fc.array(fc.nat(all.length), { maxLength: 20 }), (cuts) => {
        const frames: Buffer[] = []
        const reader = new FrameReader((frame) => frames.push(frame))
        const edges = [0, ...cuts.toSorted((a, b) => a - b), all.length]
        for (const [at, edge] of edges.entries()) if (at > 0) reader.push(all.subarray(edges[at - 1], edge))
        assert.deepEqual(frames, messages)
      }),
      { numRuns: 100 },
    )
  })
})

describe('errors across the wall', () => {
  const roundTrip = (error: unknown): unknown => unpackError(packError(error))

  test('R4 · what decides about retries survives: class, code, retryAfterMs', () => {
    const permanent = roundTrip(new PermanentError('no', { code: 'E_NO', cause: new TypeError('why') }))
    assert.ok(permanent instanceof PermanentError)
    assert.deepEqual([permanent.code, permanent.message, permanent.retriable], ['E_NO', 'no', false])
    assert.ok(permanent.cause instanceof TypeError)
    const retryable = roundTrip(new RetryableError('later', { retryAfterMs: 5 }))
    assert.ok(retryable instanceof RetryableError)
    assert.equal(retryable.retryAfterMs, 5)
    const ours = roundTrip(new FanlaneError('E', 'm', { retriable: true }))
    assert.ok(ours instanceof FanlaneError && !(ours instanceof PermanentError) && ours.retriable)
    for (const Class of [TypeError, RangeError, SyntaxError]) assert.ok(roundTrip(new Class('x')) instanceof Class)
  })

  test('anything may be thrown', () => {
    for (const value of ['text', undefined, null, 7, 7n, { a: [1] }]) assert.deepEqual(roundTrip(value), value)
    assert.match(String(roundTrip(() => 1)), /Function/)
    assert.match(String(roundTrip(Symbol('s'))), /Symbol\(s\)/)
    const ring: Record<string, unknown> = {}
    ring.self = ring
    assert.ok((roundTrip(ring) as Record<string, unknown>).self)
    const odd = Object.assign(new Error('odd'), { run: () => 1, big: 2n })
    const read = roundTrip(odd) as Error & Record<string, unknown>
    assert.deepEqual([read.message, typeof read.run, read.big], ['odd', 'string', 2n])
    const own = roundTrip(Object.defineProperty(new Error('x'), '__proto__', { value: { evil: 1 }, enumerable: true }))
    assert.ok(own instanceof Error)
    let chain = new Error('0')
    for (let depth = 1; depth < 50; depth++) chain = new Error(String(depth), { cause: chain })
    assert.equal((roundTrip(chain) as Error).message, '49')
  })
})

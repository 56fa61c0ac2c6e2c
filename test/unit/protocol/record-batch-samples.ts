/** What the tests of record batches share: fixtures, a way to read a batch as plain objects, arbitrary records. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { FanlaneError } from '../../../src/errors.ts'
import { RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import type { BatchRecord } from '../../../src/protocol/record-batch/writer.ts'

export const codecs: readonly [name: string, type: number][] = [
  ['none', 0],
  ['gzip', 1],
  ['snappy', 2],
  ['lz4', 3],
  ['zstd', 4],
]

export interface PlainRecord {
  offset: number
  timestamp: number
  key: string | null
  value: string | null
  headers: [string, string | null][]
}

/** Bytes as latin1, so that nothing is lost. */
export function readAll(batch: Buffer, at = 0, maxDecompressedBytes: number = 2 ** 20): PlainRecord[] {
  const cursor = new RecordCursor().reset(batch, at, maxDecompressedBytes)
  const records: PlainRecord[] = []
  while (cursor.next()) {
    records.push({
      offset: cursor.offset,
      timestamp: cursor.timestamp,
      key: latin1(cursor.key()),
      value: latin1(cursor.value()),
      headers: cursor.headers().map(([name, value]) => [name, latin1(value)]),
    })
  }
  return records
}

export function latin1(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('latin1')
}

/** Runs it; true when it went through, false when it was refused in the way that is promised. */
export function passes(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (error instanceof FanlaneError && /^(BATCH|DECOMPRESS|COMPRESSION)/.test(error.code)) return false
    throw error
  }
}

/** Five records with everything that a record can have; short enough to try every bit of it. */
export const sampleRecords: readonly BatchRecord[] = [
  { key: Buffer.from('a'), value: Buffer.from('one one one one one one one'), timestampMs: 1_700_000_000_000 },
  { key: null, value: Buffer.from('two two two two two'), timestampMs: 1_700_000_000_300 },
  { key: Buffer.from('b'), value: null, timestampMs: 1_699_999_999_000 },
  { key: Buffer.alloc(0), value: Buffer.alloc(0), timestampMs: 1_700_000_000_001, headers: [] },
  {
    key: Buffer.from('c'),
    value: Buffer.from('x'),
    timestampMs: 1_700_000_100_000,
    headers: [
      ['h', Buffer.from('v')],
      ['größe', null],
    ],
  },
]

const bytes = fc.option(fc.uint8Array({ maxLength: 200 }), { nil: null })
export const arbitraryRecord: fc.Arbitrary<BatchRecord> = fc.record(
  {
    key: bytes,
    value: fc.oneof(
      bytes,
      fc.nat({ max: 300 }).map((length) => Buffer.alloc(length, 'repeats ')),
    ),
    headers: fc.array(fc.tuple(fc.string({ maxLength: 8, unit: 'grapheme' }), bytes), { maxLength: 4 }),
    timestampMs: fc.oneof(
      fc.integer({ min: 1_699_999_990_000, max: 1_700_000_010_000 }),
      fc.constant(-1),
      fc.integer({ min: 0, max: 4_000_000_000_000 }),
    ),
  },
  { requiredKeys: ['key', 'value', 'timestampMs'] },
)

interface Golden {
  readonly writer: string
  readonly what: string
  readonly batch: string
}

interface Answer {
  readonly defect: string
  readonly compacted?: true
  readonly kafka: number
  readonly kafkaRecord?: number
  readonly ours?: number
  readonly batch: string
}

export function goldenBatches(): readonly Golden[] {
  return (fixture('record-batches.json') as { batches: Golden[] }).batches
}

export function kafkaAnswers(): readonly Answer[] {
  return (fixture('record-batch-answers.json') as { cases: Answer[] }).cases
}

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8'))
}

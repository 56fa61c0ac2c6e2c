/**
 * Record batches alone: walking, writing, judging, checksums, codecs (`--json`: the last line is one JSON object).
 * One process, one core. Ratios matter more than numbers: these machines are noisy.
 */
import { Bench } from 'tinybench'
import { crc32c } from '../src/protocol/crc32c.ts'
import {
  type CompressionName,
  compress,
  compressionTypes,
  decompress,
} from '../src/protocol/record-batch/compression.ts'
import { RecordCursor } from '../src/protocol/record-batch/reader.ts'
import { validateBatch } from '../src/protocol/record-batch/validate.ts'
import { type BatchRecord, encodeBatch } from '../src/protocol/record-batch/writer.ts'

const RECORDS = 1000
const VALUE_BYTES = 100
const CODEC_BYTES = 65_536
const LIMIT = 2 ** 24

interface Row {
  readonly name: string
  readonly unit: 'M records/s' | 'MB/s'
  readonly rate: number
  readonly spreadPercent: number
}

/** Lines of JSON as applications send them: about 3 : 1. */
function jsonBytes(length: number): Buffer {
  let state = 12_345
  const random = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let text = ''
  for (let id = 0; text.length < length; id++) {
    const order = { id, user: `user-${random(1000)}`, amount: random(1e8) / 100, at: 1_700_000_000_000 + id * 37 }
    text += `${JSON.stringify({ ...order, currency: ['EUR', 'USD', 'GBP'][random(3)], note: random(1e9).toString(36) })}\n`
  }
  return Buffer.from(text.slice(0, length))
}

function walk(cursor: RecordCursor, batch: Buffer, each: (cursor: RecordCursor) => number): void {
  let sum = 0
  cursor.reset(batch, 0, LIMIT)
  while (cursor.next()) sum += each(cursor)
  if (sum === 0) throw new Error('nothing was read')
}

async function rates(): Promise<readonly Row[]> {
  const bench = new Bench({ time: 500, warmupTime: 200 })
  const work = new Map<string, { unit: Row['unit']; amount: number }>()
  const perRecord = (name: string, task: () => void): void => {
    work.set(name, { unit: 'M records/s', amount: RECORDS })
    bench.add(name, task)
  }
  const perByte = (name: string, bytes: number, task: () => void): void => {
    work.set(name, { unit: 'MB/s', amount: bytes })
    bench.add(name, task)
  }

  const source = jsonBytes(RECORDS * VALUE_BYTES)
  const records: BatchRecord[] = Array.from({ length: RECORDS }, (_, at) => ({
    key: Buffer.from(`key-${at % 100}`),
    value: source.subarray(at * VALUE_BYTES, (at + 1) * VALUE_BYTES),
    timestampMs: 1_700_000_000_000 + at,
  }))
  const batch = encodeBatch({ records })
  const packed = encodeBatch({ records, compression: compressionTypes.lz4 })
  const cursor = new RecordCursor()
  const limits = { maxDecompressedBytes: LIMIT, needKeys: false }
  perRecord('walk, positions only', () => walk(cursor, batch, (at) => at.keyStart + at.valueLength))
  perRecord('walk, key as string', () => walk(cursor, batch, keyLength))
  perRecord('walk, key and value views', () => walk(cursor, batch, viewLengths))
  perRecord('walk lz4, positions only', () => walk(cursor, packed, (at) => at.keyStart + at.valueLength))
  perRecord('encode', () => void encodeBatch({ records }))
  perRecord('encode lz4', () => void encodeBatch({ records, compression: compressionTypes.lz4 }))
  perRecord('validate', () => void validateBatch(batch, limits))
  perRecord('validate lz4', () => void validateBatch(packed, limits))

  for (const size of [100, 1024, 16_384, 2 ** 20]) {
    const bytes = jsonBytes(size)
    perByte(`crc32c ${size} B`, size, () => void crc32c(bytes))
  }
  const content = jsonBytes(CODEC_BYTES)
  for (const [name, type] of Object.entries(compressionTypes) as [CompressionName, number][]) {
    if (name === 'none') continue
    const compressed = compress(type, content)
    const ratio = (CODEC_BYTES / compressed.length).toFixed(1)
    perByte(`${name} compress 64 KB JSON (${ratio} : 1)`, CODEC_BYTES, () => void compress(type, content))
    perByte(`${name} decompress`, CODEC_BYTES, () => void decompress(type, compressed, LIMIT))
  }

  await bench.run()
  return bench.tasks.map((task) => {
    const { unit, amount } = work.get(task.name) ?? { unit: 'MB/s', amount: 0 }
    if (!('latency' in task.result)) throw new Error(`${task.name} did not finish`)
    const { p50, rme } = task.result.latency
    return { name: task.name, unit, rate: amount / p50 / 1000, spreadPercent: rme }
  })
}

function keyLength(cursor: RecordCursor): number {
  return cursor.bytes.toString('latin1', cursor.keyStart, cursor.keyStart + cursor.keyLength).length
}

function viewLengths(cursor: RecordCursor): number {
  return (cursor.key()?.length ?? 0) + (cursor.value()?.length ?? 0)
}

const rows = await rates()
for (const { name, unit, rate, spreadPercent } of rows) {
  const text = rate < 100 ? rate.toFixed(1) : rate.toFixed(0)
  process.stdout.write(`${name.padEnd(40)} ${text.padStart(8)} ${unit} ± ${spreadPercent.toFixed(1)} %\n`)
}
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ bench: 'record-batch', rows })}\n`)

/**
 * The offset map in numbers: characters and time for six shapes at three sizes, and how many records fit into 4,000
 * characters, next to two plain implementations. `node bench/offset-map.ts [--json]`
 */
import { pathToFileURL } from 'node:url'
import { Bench } from 'tinybench'
import { decodeMap, encodeMap } from '../src/kernel/offset-map/index.ts'
import { type Baseline, bitsetBase64, runLengthBase64 } from './offset-map-baselines.ts'
import { SHAPES, type Shape } from './offset-map-shapes.ts'

const BASE = 1_000_000
const SIZES = [1_000, 10_000, 100_000]
const LIMIT_CHARS = 4_000
/** Far enough: one straggler fits into any limit. */
const RECORDS_MAX = 10_000_000

const ours: Baseline = {
  name: 'fanlane',
  encode: (runs) => encoded(runs, Number.POSITIVE_INFINITY) ?? '',
  decode: (text) => {
    const decoded = decodeMap(BASE, text)
    return decoded.kind === 'map' ? decoded.runs : []
  },
}
const RIVALS = [ours, bitsetBase64, runLengthBase64]

interface Row {
  readonly shape: string
  readonly records: number
  readonly codec: string
  readonly encoding: string
  readonly chars: number
  readonly encodeUs: number
  readonly decodeUs: number
}

interface FitRow {
  readonly shape: string
  /** Records that fit into 4,000 characters, for each codec; RECORDS_MAX means "at least". */
  readonly records: Readonly<Record<string, number>>
  /** Ours against the better of the two others. */
  readonly gain: number
}

export async function offsetMapBench(): Promise<{ sizes: Row[]; fits: FitRow[] }> {
  const sizes: Row[] = []
  for (const [shape, make] of Object.entries(SHAPES)) {
    for (const records of SIZES) sizes.push(...(await measure(shape, records, make(records))))
  }
  const fits = Object.entries(SHAPES).map(([shape, make]) => fitRow(shape, make))
  return { sizes, fits }
}

async function measure(shape: string, records: number, runs: number[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const codec of RIVALS) {
    const text = codec.encode(runs)
    const bench = new Bench({ time: 60, iterations: 10, warmupTime: 20, warmupIterations: 5 })
    bench.add('encode', () => void codec.encode(runs)).add('decode', () => void codec.decode(text))
    const [encode, decode] = await bench.run()
    const encoding = codec === ours ? encodingOf(runs) : codec.name
    rows.push({
      shape,
      records,
      codec: codec.name,
      encoding,
      chars: text.length,
      encodeUs: medianUs(encode),
      decodeUs: medianUs(decode),
    })
  }
  return rows
}

function medianUs(task: Bench['tasks'][number] | undefined): number {
  const result = task?.result
  if (result === undefined || !('latency' in result))
    throw new Error('the benchmark task failed; run it alone to see why')
  return Math.round(result.latency.p50 * 1e4) / 10
}

function encoded(runs: number[] | readonly number[], maxChars: number): string | null {
  return encodeMap(BASE, runs, { maxChars, alphabet: 'wide', truncate: false })?.text ?? null
}

function encodingOf(runs: readonly number[]): string {
  return (
    encodeMap(BASE, runs, { maxChars: Number.POSITIVE_INFINITY, alphabet: 'wide', truncate: false })?.encoding ?? 'none'
  )
}

function fitRow(shape: string, make: Shape): FitRow {
  const records: Record<string, number> = {}
  records[ours.name] = mostThat((count) => encoded(make(count), LIMIT_CHARS) !== null)
  for (const codec of [bitsetBase64, runLengthBase64]) {
    records[codec.name] = mostThat((count) => codec.encode(make(count)).length <= LIMIT_CHARS)
  }
  const best = Math.max(records[bitsetBase64.name] ?? 0, records[runLengthBase64.name] ?? 0)
  return { shape, records, gain: Math.round(((records[ours.name] ?? 0) / best) * 100) / 100 }
}

/** Doubling, then halving the gap: the largest count that fits. */
function mostThat(fits: (records: number) => boolean): number {
  let yes = 2
  while (yes * 2 <= RECORDS_MAX && fits(yes * 2)) yes *= 2
  if (yes * 2 > RECORDS_MAX && fits(RECORDS_MAX)) return RECORDS_MAX
  let no = Math.min(yes * 2, RECORDS_MAX)
  while (no - yes > 1) {
    const middle = Math.floor((yes + no) / 2)
    if (fits(middle)) yes = middle
    else no = middle
  }
  return yes
}

function print(report: Awaited<ReturnType<typeof offsetMapBench>>): void {
  const line = (...cells: (string | number)[]) =>
    console.log(
      cells.map((cell, i) => (i < 1 ? String(cell).padEnd(14) : String(cell).padStart(i === 2 ? 17 : 13))).join(''),
    )
  line('shape', 'records', 'encoding', 'chars', 'encode µs', 'decode µs')
  for (const row of report.sizes) line(row.shape, row.records, row.encoding, row.chars, row.encodeUs, row.decodeUs)
  console.log(`\nrecords that fit into ${LIMIT_CHARS} characters (${RECORDS_MAX} = at least)`)
  line('shape', 'fanlane', 'bitset+base64', 'RLE+base64', 'gain')
  for (const { shape, records, gain } of report.fits) {
    line(shape, ...RIVALS.map(({ name }) => records[name] ?? 0), `${gain}×`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const report = await offsetMapBench()
  print(report)
  if (process.argv.includes('--json')) console.log(JSON.stringify(report))
}

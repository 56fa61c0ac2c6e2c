/**
 * The records of a topic, before they are written: which key the n-th one has, where it lands, and the number that it bears in
 * its value. What always holds: a record's id is the first id of its partition plus its offset, so that a reader may name it
 * either by what is in the value or by where it was read, and both say the same.
 */
import { partitionOfKey } from '../../src/producer/murmur2.ts'
import { randomOf, zipfOf } from './random.ts'

/** `even`: all keys equally often. `zipf`: few hot ones, a long tail. `distinct`: a key of its own for each record. */
export type Distribution = 'even' | 'zipf' | 'distinct'

export interface Shape {
  readonly records: number
  readonly partitions: number
  readonly keys: number
  readonly distribution: Distribution
  readonly valueBytes: number
}

export interface Plan {
  readonly shape: Shape
  /** Of the n-th record that is written. */
  readonly keyOf: Uint32Array
  readonly idOf: Uint32Array
  readonly partitionOfKey: Uint16Array
  /** By partition: how many records, and the id of its first. */
  readonly ends: readonly number[]
  readonly bases: readonly number[]
  /** By id: its key, and how many of that key come before it. */
  readonly keyOfId: Uint32Array
  readonly seqOfId: Uint32Array
}

export const zipfExponent = 1
const seed = 20_261_116

/** About ten bytes, as ids of customers or devices are. */
export const keyText = (key: number): string => `key-${String(key).padStart(6, '0')}`

export function makePlan(shape: Shape): Plan {
  const { records, partitions, distribution } = shape
  const keys = distribution === 'distinct' ? records : shape.keys
  const next = drawOf(distribution, keys)
  const keyOf = Uint32Array.from({ length: records }, (_, n) => next(n))
  const partitionOf = Uint16Array.from({ length: keys }, (_, key) =>
    partitions === 1 ? 0 : partitionOfKey(Buffer.from(keyText(key)), partitions),
  )
  const ends = Array.from({ length: partitions }, () => 0)
  for (const key of keyOf) add(ends, partitionOf[key] ?? 0)
  const bases = basesOf(ends)
  const filled = ends.map(() => 0)
  const seen = new Uint32Array(keys)
  const idOf = new Uint32Array(records)
  const keyOfId = new Uint32Array(records)
  const seqOfId = new Uint32Array(records)
  for (let n = 0; n < records; n++) {
    const key = keyOf[n] ?? 0
    const partition = partitionOf[key] ?? 0
    const id = (bases[partition] ?? 0) + add(filled, partition)
    idOf[n] = id
    keyOfId[id] = key
    seqOfId[id] = seen[key] ?? 0
    seen[key] = (seen[key] ?? 0) + 1
  }
  return { shape, keyOf, idOf, partitionOfKey: partitionOf, ends, bases, keyOfId, seqOfId }
}

function drawOf(distribution: Distribution, keys: number): (n: number) => number {
  if (distribution === 'zipf') return zipfOf(keys, zipfExponent, randomOf(seed))
  // Keys come in no order, and each equally often: the step shares no factor with a count of keys below it.
  return distribution === 'even' ? (n) => (n * 7_919) % keys : (n) => n
}

function add(counts: number[], at: number): number {
  const before = counts[at] ?? 0
  counts[at] = before + 1
  return before
}

/** The id of the first record of each partition. */
export function basesOf(ends: readonly number[]): number[] {
  let sum = 0
  return ends.map((end) => {
    const base = sum
    sum += end
    return base
  })
}

/** How many records the longest line has that must go one after the other. */
export function longestLane(plan: Plan, order: 'key' | 'partition' | 'none'): number {
  if (order === 'none') return 1
  if (order === 'partition') return Math.max(...plan.ends)
  let longest = 0
  for (const seq of plan.seqOfId) if (seq >= longest) longest = seq + 1
  return longest
}

/** No schedule is faster: so many at once, and lanes one after the other. In milliseconds. */
export function idealMs(
  plan: Plan,
  order: 'key' | 'partition' | 'none',
  concurrency: number,
  handlerMs: number,
): number {
  return handlerMs * Math.max(plan.shape.records / concurrency, longestLane(plan, order))
}

/** id, key and sequence within the key, then filling. */
export function writeValue(value: Buffer, plan: Plan, id: number): void {
  value.writeUInt32LE(id, 0)
  value.writeUInt32LE(plan.keyOfId[id] ?? 0, 4)
  value.writeUInt32LE(plan.seqOfId[id] ?? 0, 8)
}

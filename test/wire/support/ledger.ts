/**
 * Every start and every end of every handler, of any process, and what must be true of them. Independent of the consumer: it
 * knows what was written to the log and what handlers saw, nothing else.
 */
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync } from 'node:fs'
import { decodeMap } from '../../../src/kernel/offset-map/index.ts'
import type { Stored } from './raw-kafka.ts'

export interface Entry {
  readonly kind: 'start' | 'end'
  readonly member: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly value: string | null
  /** Of the machine's monotonic clock, which is the same one in every process. */
  readonly atNs: string
}

interface Seen {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
}

const valueCharsMax = 40

export class Ledger {
  readonly #entries: Entry[] = []
  readonly #files: string[] = []

  /** Lines that another process appends with `appendTo`. */
  include(file: string): void {
    this.#files.push(file)
  }

  start(member: string, record: Seen): void {
    this.#entries.push(entryOf('start', member, record))
  }

  end(member: string, record: Seen): void {
    this.#entries.push(entryOf('end', member, record))
  }

  /** In the order of time. */
  get entries(): readonly Entry[] {
    const theirs = this.#files.flatMap((file) => linesOf(file))
    if (theirs.length === 0) return this.#entries
    const at = ({ atNs }: Entry): bigint => BigInt(atNs)
    return [...this.#entries, ...theirs].sort((a, b) => (at(a) < at(b) ? -1 : 1))
  }

  of(kind: Entry['kind'], where: { readonly topic?: string; readonly member?: string } = {}): readonly Entry[] {
    return this.entries.filter(
      (entry) =>
        entry.kind === kind &&
        (where.topic === undefined || entry.topic === where.topic) &&
        (where.member === undefined || entry.member === where.member),
    )
  }

  ended(topic: string, partition: number): ReadonlySet<number> {
    return new Set(
      this.of('end', { topic })
        .filter((entry) => entry.partition === partition)
        .map(({ offset }) => offset),
    )
  }

  /** All of these have ended. */
  hasAll(topic: string, counts: readonly number[]): boolean {
    return counts.every((count, partition) => this.ended(topic, partition).size >= count)
  }

  /** I1 · offsets 0 … count-1 of every partition ended at least once; with `once`, exactly once. */
  assertComplete(topic: string, counts: readonly number[], how: 'once' | 'at-least-once' = 'at-least-once'): void {
    for (const [partition, count] of counts.entries()) {
      const ends = this.of('end', { topic }).filter((entry) => entry.partition === partition)
      const offsets = new Set(ends.map(({ offset }) => offset))
      for (let offset = 0; offset < count; offset++) {
        assert.ok(offsets.has(offset), `${topic}-${partition}@${offset} was lost`)
      }
      assert.equal(offsets.size, count, `${topic}-${partition} has ${count} records`)
      if (how === 'once') assert.equal(ends.length, count, `${topic}-${partition}: every record once`)
    }
  }

  /**
   * I3 I8 · a key's record starts when all of its earlier ones have ended, and one at a time. `fallen`: members that were
   * killed or lost their session; what they had running says nothing about others.
   */
  assertKeyOrder(fallen: readonly string[] = []): void {
    const lanes = new Map<string, { readonly done: Set<number>; readonly known: Set<number>; running: string | null }>()
    const laneOf = ({ topic, partition, key }: Entry) => {
      const name = `${topic}-${partition}-${key}`
      const lane = lanes.get(name) ?? { done: new Set(), known: new Set(), running: null }
      lanes.set(name, lane)
      return lane
    }
    const { entries } = this
    for (const entry of entries) if (entry.key !== null) laneOf(entry).known.add(entry.offset)
    for (const entry of entries) {
      if (entry.key === null) continue
      const lane = laneOf(entry)
      const who = `${entry.topic}-${entry.partition}@${entry.offset} (${entry.key}) at ${entry.member}`
      if (entry.kind === 'end') {
        lane.done.add(entry.offset)
        if (lane.running === who) lane.running = null
        continue
      }
      for (const offset of lane.known) {
        if (offset < entry.offset && !lane.done.has(offset)) assert.fail(`${who} started before ${offset} had ended`)
      }
      if (fallen.includes(entry.member)) continue
      assert.equal(lane.running, null, `${who} started while ${lane.running} was running`)
      lane.running = who
    }
  }

  /**
   * I2 I2b · nothing that is stored claims a record that has not ended. With `hasHoles` (markers, aborted records), an offset
   * that no handler ever saw may be claimed.
   */
  assertHonest(stored: readonly Stored[], hasHoles = false): void {
    for (const { topic, partition, position, metadata } of stored) {
      const ended = this.ended(topic, partition)
      const known = new Set(
        this.entries.filter((each) => each.topic === topic && each.partition === partition).map(({ offset }) => offset),
      )
      for (const offset of known) {
        if (offset >= position) continue
        assert.ok(ended.has(offset), `${topic}-${partition}: ${position} is committed, ${offset} has not ended`)
      }
      for (const offset of mapOf(position, metadata)) {
        if (hasHoles && !known.has(offset)) continue
        assert.ok(ended.has(offset), `${topic}-${partition}: the map claims ${offset}, which has not ended`)
      }
    }
  }
}

/** Offsets behind the position that the metadata claims to be finished. */
export function mapOf(position: number, metadata: string | null): readonly number[] {
  const map = decodeMap(position, metadata)
  if (map.kind !== 'map') return []
  const claimed: number[] = []
  let offset = position
  for (const [index, length] of map.runs.entries()) {
    if (index % 2 === 1) for (let each = 0; each < length; each++) claimed.push(offset + each)
    offset += length
  }
  return claimed
}

/** Written before the call returns: a process that is killed after it has left its line. */
export function appendTo(file: string, kind: Entry['kind'], member: string, record: Seen): void {
  appendFileSync(file, `${JSON.stringify(entryOf(kind, member, record))}\n`)
}

function linesOf(file: string): Entry[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  // What stands behind the last line end is being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Entry)
}

function entryOf(kind: Entry['kind'], member: string, { topic, partition, offset, key, value }: Seen): Entry {
  const text = value === null ? null : value.toString('utf8', 0, valueCharsMax)
  const atNs = String(process.hrtime.bigint())
  return { kind, member, topic, partition, offset, key: key === null ? null : key.toString(), value: text, atNs }
}

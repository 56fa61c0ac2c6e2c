/**
 * What really happened, kept apart from everything that is tested: which records exist, which handlers started and
 * ended where, and who owned what. The oracles ask the ledger, never the kernel.
 */
import { laneKeyOf } from '../../../consumer/lane-key.ts'
import type { Scenario } from './scenario.ts'

/** A broken promise. Its invariant's number, and a story. */
export class Violation extends Error {
  readonly invariant: string

  constructor(invariant: string, detail: string) {
    super(`${invariant}: ${detail}`)
    this.name = 'Violation'
    this.invariant = invariant
  }
}

export interface Entry {
  /** With its value: another record may have the same offset after a truncation. */
  readonly name: string
  /** Compaction or truncation took it away: it need not be handled, and holds nobody back. */
  gone: boolean
  readonly offset: number
  readonly key: string | null
  /** Handlers that started, over all processes and attempts. */
  starts: number
  startedBy: string | null
  /** The handler succeeded at least once; its outputs, if any, may still be on their way. */
  handled: boolean
  handledAtMs: number
  /** Nothing is left to do: outputs or dead letter are written, or there are none. */
  finished: boolean
  finishedAtMs: number
  /** It was skipped, at least once: it may end without output. */
  givenUp: boolean
  /** The process whose handler succeeded first, and when that handler had started. */
  handledBy: string | null
  handledFromMs: number
  /** Outputs that a finished record must have. */
  readonly outputs: number
}

interface Lane {
  readonly entries: Entry[]
  /** All before this one are finished. */
  firstOpen: number
}

/** What the commit says from which a lease starts. */
export interface Claims {
  readonly sinceMs: number
  readonly position: number
  readonly finished: ReadonlySet<number>
}

export interface Run {
  readonly process: string
  readonly partition: number
  readonly entry: Entry
  readonly lane: string | null
  readonly startedMs: number
}

/** `value` null: not known. */
export interface Started {
  readonly partition: number
  readonly offset: number
  readonly value: string | null
}

function nameOf(partition: number, offset: number, value: string): string {
  return `${partition}:${offset}:${value}`
}

export class Ledger {
  readonly #scenario: Scenario
  readonly #partitions: Map<number, Map<number, Entry>> = new Map()
  readonly #lanes: Map<string, Lane> = new Map()
  readonly #running: Map<string, Run> = new Map()
  /** By name: records that an unclean election took away. */
  readonly #truncated: Map<string, Entry> = new Map()
  /** process/partition → is it allowed to start handlers there? */
  readonly #owned: Set<string> = new Set()
  /** process/partition → offsets that the commit claims which the lease started from. */
  readonly #claims: Map<string, Claims> = new Map()
  /** process → partition or '*', and perhaps a lane key: what its user has paused. */
  readonly #paused: Map<
    string,
    { readonly partition?: number | undefined; readonly key?: string | null | undefined }[]
  > = new Map()
  /** process/partition/offset → the lease in which the user gave it up, by its start. */
  readonly #skips: Map<string, number> = new Map()
  /** Counts resumes, so that a pause that is overtaken by one is not believed. */
  wishes = 0
  readonly #fail: (violation: Violation) => void
  /** Look whether outputs have been written meanwhile. */
  refresh: () => void = () => undefined

  constructor(scenario: Scenario, fail: (violation: Violation) => void) {
    this.#scenario = scenario
    this.#fail = fail
  }

  exists(partition: number, offset: number, key: string | null, outputs: number, value: string): void {
    const entry: Entry = {
      name: nameOf(partition, offset, value),
      gone: false,
      offset,
      key,
      starts: 0,
      startedBy: null,
      handled: false,
      handledAtMs: 0,
      finished: false,
      finishedAtMs: 0,
      givenUp: false,
      handledBy: null,
      handledFromMs: 0,
      outputs,
    }
    const entries = this.#partitions.get(partition) ?? new Map<number, Entry>()
    this.#partitions.set(partition, entries)
    entries.set(offset, entry)
    const name = this.laneOf(partition, key)
    if (name === null) return
    const lane = this.#lanes.get(name) ?? { entries: [], firstOpen: 0 }
    this.#lanes.set(name, lane)
    lane.entries.push(entry)
  }

  entry(partition: number, offset: number): Entry | undefined {
    return this.#partitions.get(partition)?.get(offset)
  }

  entries(partition: number): Iterable<Entry> {
    return this.#partitions.get(partition)?.values() ?? []
  }

  /** Compaction: these need not be handled any more. */
  vanished(partition: number, offsets: Iterable<number>): void {
    for (const offset of offsets) {
      const entry = this.entry(partition, offset)
      if (entry === undefined) continue
      entry.gone = true
      entry.finished = true
    }
  }

  /** The log lost its end: these records never were, and others may come at their offsets. */
  truncated(partition: number, offset: number): void {
    const entries = this.#partitions.get(partition)
    for (const entry of [...(entries?.values() ?? [])]) {
      if (entry.offset < offset) continue
      this.vanished(partition, [entry.offset])
      this.#truncated.set(entry.name, entry)
      entries?.delete(entry.offset)
    }
    for (const lane of this.#lanes.values()) {
      const kept = lane.entries.filter(({ gone }) => !gone)
      lane.entries.length = 0
      lane.entries.push(...kept)
      lane.firstOpen = 0
    }
  }

  claimsOf(process: string, partition: number): Claims | undefined {
    return this.#claims.get(`${process}/${partition}`)
  }

  laneOf(partition: number, key: string | null): string | null {
    if (this.#scenario.order === 'none') return null
    if (this.#scenario.order === 'partition') return `${partition}`
    if (key === null) return this.#scenario.nullKeys === 'ordered' ? `${partition}/` : null
    return `${partition}/=${key}`
  }

  owns(process: string, partition: number, owned: boolean): void {
    if (owned) this.#owned.add(`${process}/${partition}`)
    else this.#owned.delete(`${process}/${partition}`)
  }

  leaseStarts(process: string, partition: number, claims: Claims): void {
    this.#claims.set(`${process}/${partition}`, claims)
  }

  /** Lost or given up: what its handlers still finish counts for nobody. */
  leaseEnds(process: string, partition: number): void {
    this.#claims.delete(`${process}/${partition}`)
  }

  /** I6 · only a lease that is open commits, and nothing below where it started. Asked when the request leaves the process. */
  checkSent(process: string, partition: number, offset: number): void {
    const claims = this.#claims.get(`${process}/${partition}`)
    if (claims !== undefined && offset >= claims.position) return
    const why = claims === undefined ? 'has no lease of it' : `its lease started at ${claims.position}`
    this.#broken('I6', `${process} sends a commit of ${partition}:${offset}, but ${why}`)
  }

  leaseSinceMs(process: string, partition: number): number {
    return this.#claims.get(`${process}/${partition}`)?.sinceMs ?? Number.POSITIVE_INFINITY
  }

  paused(process: string, partition?: number, key?: string | null): void {
    const selections = this.#paused.get(process) ?? []
    selections.push({ partition, key })
    this.#paused.set(process, selections)
  }

  /** Something was resumed: what exactly is left is not worth the book-keeping. */
  resumed(process: string): void {
    this.wishes++
    this.#paused.delete(process)
  }

  skipTaken(process: string, partition: number, offset: number): void {
    this.#skips.set(`${process}/${partition}/${offset}`, this.leaseSinceMs(process, partition))
  }

  #checkWishes(process: string, partition: number, entry: Entry): void {
    const key = entry.key === null ? null : laneKeyOf(entry.key)
    for (const selection of this.#paused.get(process) ?? []) {
      if (selection.partition !== undefined && selection.partition !== partition) continue
      if (selection.key !== undefined && selection.key !== key) continue
      this.#broken('P8', `${process} started ${partition}:${entry.offset} although it is paused`)
    }
    const skippedIn = this.#skips.get(`${process}/${partition}/${entry.offset}`)
    if (skippedIn !== undefined && skippedIn === this.leaseSinceMs(process, partition))
      this.#broken('R3', `${process} started ${partition}:${entry.offset} although it was skipped`)
  }

  /** A handler starts. `together`: earlier records of the same batch call. */
  started(process: string, { partition, offset, value }: Started, together: ReadonlySet<number>, nowMs: number): Run {
    const entry = this.entry(partition, offset)
    if (value !== null && entry?.name !== nameOf(partition, offset, value)) {
      // Read before an unclean election took it away. What becomes of it counts for nobody.
      const gone = this.#truncated.get(nameOf(partition, offset, value))
      if (gone !== undefined) return { process, partition, entry: gone, lane: null, startedMs: nowMs }
    }
    if (entry === undefined) throw this.#broken('I1', `a handler got ${partition}:${offset}, which does not exist`)
    entry.starts++
    entry.startedBy = process
    const name = `${process} ${partition}:${offset}`
    if (this.#scenario.delivery === 'at-most-once' && entry.starts > 1)
      this.#broken('I1', `${name} started twice (at-most-once)`)
    if (!this.#owned.has(`${process}/${partition}`))
      this.#broken('I11', `${name} started although the partition was given up`)
    const claims = this.#claims.get(`${process}/${partition}`)
    if (claims !== undefined && (offset < claims.position || claims.finished.has(offset))) {
      this.#broken('I15', `${name} started although the commit of its lease says that it is finished`)
    }
    this.#checkWishes(process, partition, entry)
    const lane = this.laneOf(partition, entry.key)
    if (lane !== null) this.#checkLane(process, lane, entry, together)
    const run: Run = { process, partition, entry, lane, startedMs: nowMs }
    this.#running.set(`${process}/${partition}/${offset}`, run)
    return run
  }

  #checkLane(process: string, name: string, entry: Entry, together: ReadonlySet<number>): void {
    for (const other of this.#running.values()) {
      if (other.process === process && other.lane === name && !together.has(other.entry.offset)) {
        this.#broken('I8', `${process} runs ${entry.offset} of lane ${name} while ${other.entry.offset} still runs`)
      }
    }
    const lane = this.#lanes.get(name)
    if (lane === undefined) return
    const atMostOnce = this.#scenario.delivery === 'at-most-once'
    this.refresh()
    while (lane.firstOpen < lane.entries.length && lane.entries[lane.firstOpen]?.finished) lane.firstOpen++
    for (let at = atMostOnce ? 0 : lane.firstOpen; at < lane.entries.length; at++) {
      const other = lane.entries[at] as Entry
      if (atMostOnce) {
        // Records may be dropped there, but never start after a later one in the same process. A process that slept
        // while another took over cannot know better when it wakes up.
        if (other.offset > entry.offset && other.startedBy === process) {
          this.#broken('I3', `lane ${name}: ${entry.offset} starts after ${other.offset} had started`)
        }
        continue
      }
      if (other.offset >= entry.offset) return
      if (!other.finished && !together.has(other.offset)) {
        this.#broken('I3', `lane ${name}: ${entry.offset} starts although ${other.offset} was never finished`)
      }
    }
  }

  /** The handler is over, one way or the other. */
  ended(run: Run): void {
    this.#running.delete(`${run.process}/${run.partition}/${run.entry.offset}`)
  }

  handled({ entry, process, startedMs }: Run, nowMs: number): void {
    if (entry.handled) return
    entry.handled = true
    entry.handledBy = process
    entry.handledFromMs = startedMs
    entry.handledAtMs = nowMs
    if (entry.outputs === 0 || this.#scenario.delivery === 'exactly-once') this.finished(entry, nowMs)
  }

  finished(entry: Entry, nowMs: number): void {
    if (entry.finished) return
    entry.finished = true
    entry.finishedAtMs = nowMs
  }

  /** A process is dead: nothing of it runs or owns any more. */
  died(process: string): void {
    for (const [name, run] of this.#running) if (run.process === process) this.#running.delete(name)
    for (const name of this.#owned) if (name.startsWith(`${process}/`)) this.#owned.delete(name)
  }

  #broken(invariant: string, detail: string): Violation {
    const violation = new Violation(invariant, detail)
    this.#fail(violation)
    return violation
  }
}

/**
 * Says whether a run kept what its delivery promises. It knows what is in the topics and what the ledger says; nothing of the
 * consumer is asked. A pure function, so that tests can show it a run that did not.
 *
 * - lost (I1): a record that never came to an end, or whose output or dead letter is missing. At-most-once: counted, allowed.
 * - reordered (I3, I8): a record that started before all earlier ones of its key had come to an end, or while the same process
 *   ran another one of its key. At-most-once: one that started after a later one.
 * - duplicated (I15): at-least-once: starts beyond the first, retries aside. Exactly-once: outputs and letters beyond the
 *   first. At-most-once: starts beyond the first.
 * - bound: how many duplicates the faults explain. At-least-once, for every lease: the records that had started before and
 *   that no acknowledged commit covered (in flight, finished since the last commit, dropped from the map); and for every
 *   process that went on for a while with what it had lost, as much as it may have admitted, or what it read meanwhile if that
 *   is more. Otherwise 0.
 * - Each single start is judged as well: one that an acknowledged commit covered is wrong, however large the bound.
 * - I11: no start after the process has said that the partition is gone.
 * - I2, I2b: every acknowledged commit is decoded: nothing it claims may be unfinished at that moment.
 * - L1, X1: what the producer was told is in the log, once, in the order of its key.
 */

import { Coverage, type Lease, leasesOf } from './leases.ts'
import type { Entry, RunEntry } from './ledger.ts'
import type { Mode } from './plan.ts'
import type { Found } from './topics.ts'
import { meaningOf } from './workload.ts'

export interface Evidence {
  readonly mode: Mode
  readonly input: readonly Found[]
  /** What the producer was told: value and place. */
  readonly acknowledged: readonly { readonly value: string; readonly partition: number; readonly offset: number }[]
  /** In the order of time. */
  readonly entries: readonly Entry[]
  /** Null: handlers sent nothing. */
  readonly outputs: readonly Found[] | null
  readonly letters: readonly Found[]
  /** How many records a process may have admitted. */
  readonly limitRecords: number
  /** Workers die with what they run, and their process goes on: then a lease may start again what has not ended in it. */
  readonly mayDieInside: boolean
}

export interface Broken {
  readonly promise: string
  readonly text: string
  /** The record it is about: its history is shown. */
  readonly partition?: number
  readonly offset?: number
}

export interface Verdict {
  readonly records: number
  readonly lost: number
  readonly reordered: number
  readonly duplicated: number
  readonly bound: number
  /** Handlers that ran again, in any mode. */
  readonly reruns: number
  /** Starts of processes that did not know yet that they had lost the partition. */
  readonly late: number
  readonly poisoned: number
  readonly commits: number
  readonly leases: number
  readonly broken: readonly Broken[]
}

/**
 * What was lost is noticed with the next heartbeat; until then a process may read on. So many times what it may hold at once
 * is more than a slow machine explains.
 */
const lateFactorMax = 10

interface Known {
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly seq: number
  readonly isPoison: boolean
  starts: number
  firstStartNs: number
  /** When it first came to an end. */
  endNs: number
}

export function judge(evidence: Evidence): Verdict {
  const { mode, entries, limitRecords, mayDieInside } = evidence
  const broken: Broken[] = []
  const known = new Records(evidence.input)
  checkLog(evidence, known, broken)
  read(entries, known)
  const isLossAllowed = mode === 'at-most-once'

  const lost = new Set<Known>()
  for (const record of known.all) {
    if (record.endNs !== Number.POSITIVE_INFINITY) continue
    lost.add(record)
    if (!isLossAllowed) broken.push(about('I1', 'never came to an end', record))
  }
  const outputs = isLossAllowed ? null : evidence.outputs
  const extraOutputs = countOutputs(known, outputs, evidence.letters, isLossAllowed, mode, lost, broken)

  /** Starts that ended with their worker, and had to be made again. */
  let died = 0
  const leases = leasesOf(entries, {
    onRepeat({ started, ended, read: { position } }, start) {
      if (mode === 'at-most-once') return
      const isTwice = started.has(start.offset)
      if (isTwice && mayDieInside && !ended.has(start.offset)) {
        died++
        return
      }
      const why = isTwice ? 'twice in one lease' : `${position} and its map were committed`
      broken.push(about('I15', `started again by ${start.member}: ${why}`, start))
    },
    onLate({ member }, start) {
      // A worker may have it in its hands already when its process loses the partition.
      if (mayDieInside) return
      broken.push(about('I11', `was started by ${member} after it had given the partition up`, start))
    },
  })
  const reordered =
    mode === 'at-most-once'
      ? checkStarts(entries, leases, known, broken)
      : checkOrder(entries, known, broken, mayDieInside)
  if (!isLossAllowed) checkCommits(entries, known, broken)

  let reruns = 0
  for (const record of known.all) reruns += Math.max(0, record.starts - 1)
  if (mode === 'at-most-once') {
    for (const record of known.all)
      if (record.starts > 1) broken.push(about('I1', `started ${record.starts} times`, record))
  }
  const late = leases.reduce((sum, lease) => sum + lease.late, 0)
  let bound = 0
  if (mode === 'at-least-once') {
    bound = died
    for (const { mayRepeat } of leases) bound += mayRepeat.size
    for (const [name, starts] of lateByLoss(leases)) {
      bound += Math.max(limitRecords, starts)
      if (starts <= limitRecords * lateFactorMax) continue
      broken.push({ promise: 'I15', text: `${name} started ${starts} records of partitions that it had lost` })
    }
    if (reruns > bound) broken.push({ promise: 'I15', text: `${reruns} ran again, the faults explain ${bound}` })
  }
  return {
    records: known.all.length,
    lost: lost.size,
    reordered,
    duplicated: mode === 'exactly-once' ? extraOutputs : reruns,
    bound,
    reruns,
    late,
    poisoned: known.all.filter(({ isPoison }) => isPoison).length,
    commits: entries.filter(({ kind }) => kind === 'committed').length,
    leases: leases.length,
    broken,
  }
}

/** What a process started of partitions that others had already, by the moment when it found out. */
function lateByLoss(leases: readonly Lease[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { member, givenUpNs, late } of leases) {
    const name = `${member} until ${givenUpNs ?? 'its end'}`
    if (late > 0) counts.set(name, (counts.get(name) ?? 0) + late)
  }
  return counts
}

/** The input topic, by place and by key. */
class Records {
  readonly all: readonly Known[]
  readonly #places: Map<string, Known> = new Map()
  readonly byKey: Map<string, Known[]> = new Map()

  constructor(input: readonly Found[]) {
    this.all = input.map(({ partition, offset, value }) => {
      const { key, seq, poison } = meaningOf(value)
      const isPoison = poison !== null
      return { partition, offset, key, seq, isPoison, starts: 0, firstStartNs: 0, endNs: Number.POSITIVE_INFINITY }
    })
    for (const record of this.all) {
      this.#places.set(`${record.partition}/${record.offset}`, record)
      const lane = this.byKey.get(record.key)
      if (lane === undefined) this.byKey.set(record.key, [record])
      else lane.push(record)
    }
    for (const lane of this.byKey.values()) lane.sort((a, b) => a.offset - b.offset)
  }

  at(partition: number | string, offset: number | string): Known | undefined {
    return this.#places.get(`${partition}/${offset}`)
  }
}

function read(entries: readonly Entry[], known: Records): void {
  for (const entry of entries) {
    if (entry.kind !== 'start' && entry.kind !== 'end' && entry.kind !== 'letter') continue
    const record = known.at(entry.partition, entry.offset)
    if (record === undefined)
      throw new Error(`a handler saw ${entry.partition}@${entry.offset}, which is not in the log`)
    if (entry.kind !== 'start') record.endNs = Math.min(record.endNs, entry.atNs)
    else if (entry.attempt === 1) {
      if (record.starts === 0) record.firstStartNs = entry.atNs
      record.starts++
    }
  }
}

/** L1 X1 · what was acknowledged is there, and every key counts 0, 1, 2 … */
function checkLog({ input, acknowledged }: Evidence, known: Records, broken: Broken[]): void {
  const values = new Map(input.map((each) => [`${each.partition}/${each.offset}`, each.value]))
  const places = new Map(input.map((each) => [each.value, each.partition]))
  for (const { value, partition, offset } of acknowledged) {
    // -1: an answer was lost, and the second one said only that the record is there.
    if (offset === -1 ? places.get(value) === partition : values.get(`${partition}/${offset}`) === value) continue
    broken.push({ promise: 'L1', text: `${value} was acknowledged at ${partition}@${offset} and is not there` })
  }
  for (const lane of known.byKey.values()) {
    const wrong = lane.find(({ seq }, index) => seq !== index)
    if (wrong === undefined) continue
    broken.push(about('X1', 'is in the log twice, too early, or after one that is missing', wrong))
  }
}

/** Adds records without output or letter to `lost`; gives the number of outputs and letters beyond the first. */
function countOutputs(
  known: Records,
  outputs: readonly Found[] | null,
  letters: readonly Found[],
  isLossAllowed: boolean,
  mode: Mode,
  lost: Set<Known>,
  broken: Broken[],
): number {
  const counts = new Map<Known, number>()
  const count = (record: Known | undefined, what: string): void => {
    if (record === undefined) throw new Error(`${what} of a record that is not in the log`)
    counts.set(record, (counts.get(record) ?? 0) + 1)
  }
  for (const { headers } of letters) {
    const partition = headers['fanlane-source-partition'] ?? ''
    count(known.at(partition, headers['fanlane-source-offset'] ?? ''), 'a dead letter')
  }
  const last = new Map<string, number>()
  for (const { value } of outputs ?? []) {
    const [partition = '', offset = '', rest = ''] = value.split('/')
    const record = known.at(partition, offset)
    count(record, `an output, ${value},`)
    if (mode !== 'exactly-once' || record === undefined) continue
    // In the output topic, too, a key is in order. Outputs come partition by partition, by offset.
    const { key, seq } = meaningOf(rest)
    if (seq < (last.get(key) ?? -1)) broken.push(about('I3', 'has its output behind that of a later one', record))
    last.set(key, seq)
  }
  let extra = 0
  for (const record of known.all) {
    const found = counts.get(record) ?? 0
    const isDue = record.isPoison || outputs !== null
    // Of one that never came to an end that is said already.
    if (found === 0 && isDue && !isLossAllowed && record.endNs !== Number.POSITIVE_INFINITY) {
      lost.add(record)
      broken.push(
        about(mode === 'exactly-once' ? 'I9' : 'I1', `has no ${record.isPoison ? 'letter' : 'output'}`, record),
      )
    }
    if (found <= 1) continue
    extra += found - 1
    if (mode === 'exactly-once') broken.push(about('I9', `came out ${found} times`, record))
  }
  return extra
}

/** I3 I8 · at-least-once and exactly-once. */
function checkOrder(entries: readonly Entry[], known: Records, broken: Broken[], mayDieInside: boolean): number {
  /** When the last of all earlier records of the key had come to an end. */
  const readyNs = new Map<Known, number>()
  for (const lane of known.byKey.values()) {
    let latest = 0
    for (const record of lane) {
      readyNs.set(record, latest)
      latest = Math.max(latest, record.endNs)
    }
  }
  let reordered = 0
  const running = new Map<string, RunEntry>()
  for (const entry of entries) {
    if (entry.kind !== 'start' && entry.kind !== 'end' && entry.kind !== 'failed') continue
    const record = known.at(entry.partition, entry.offset)
    const lane = `${entry.member} ${entry.key}`
    if (entry.kind !== 'start') {
      if (running.get(lane)?.offset === entry.offset) running.delete(lane)
      continue
    }
    const other = running.get(lane)
    running.set(lane, entry)
    if (record !== undefined && entry.atNs < (readyNs.get(record) ?? 0)) {
      reordered++
      broken.push(about('I3', `was started by ${entry.member} before an earlier one of ${entry.key} had ended`, entry))
    } else if (other !== undefined && !(mayDieInside && other.offset === entry.offset)) {
      reordered++
      broken.push(about('I8', `was started by ${entry.member} while ${other.offset} of ${entry.key} ran there`, entry))
    }
  }
  return reordered
}

/** At-most-once · a key's records start in order; a process that has lost the partition unawares is late, not wrong. */
function checkStarts(entries: readonly Entry[], leases: readonly Lease[], known: Records, broken: Broken[]): number {
  const held = new Map<string, Lease[]>()
  for (const lease of leases) {
    const name = `${lease.member} ${lease.partition}`
    held.set(name, [...(held.get(name) ?? []), lease])
  }
  const isLate = ({ member, partition, atNs }: RunEntry): boolean =>
    !(held.get(`${member} ${partition}`) ?? []).some(({ fromNs, untilNs }) => fromNs <= atNs && atNs < untilNs)
  const last = new Map<string, number>()
  let reordered = 0
  for (const entry of entries) {
    if (entry.kind !== 'start' || isLate(entry)) continue
    if (known.at(entry.partition, entry.offset) === undefined) continue
    if (entry.offset < (last.get(entry.key) ?? -1)) {
      reordered++
      broken.push(about('I3', `was started by ${entry.member} after a later one of ${entry.key}`, entry))
    }
    last.set(entry.key, Math.max(entry.offset, last.get(entry.key) ?? -1))
  }
  return reordered
}

/** I2 I2b · what a commit says was finished when it was acknowledged. */
function checkCommits(entries: readonly Entry[], known: Records, broken: Broken[]): void {
  const checked = new Map<number, number>()
  for (const entry of entries) {
    if (entry.kind !== 'committed') continue
    const { partition, position, metadata, atNs, member } = entry
    const claim = (offset: number, how: string): void => {
      const record = known.at(partition, offset)
      if (record === undefined || record.endNs <= atNs) return
      broken.push(about('I2', `was not finished when ${member} committed ${position} ${how}`, { partition, offset }))
    }
    const from = checked.get(partition) ?? 0
    for (let offset = from; offset < position; offset++) claim(offset, 'behind it')
    checked.set(partition, Math.max(from, position))
    for (const offset of new Coverage(position, metadata).ahead) claim(offset, 'with it in the map')
  }
}

function about(promise: string, text: string, where: { readonly partition: number; readonly offset: number }): Broken {
  const { partition, offset } = where
  return { promise, text: `${partition}@${offset} ${text}`, partition, offset }
}

/** Everything that the ledger says of a record. */
export function historyOf(entries: readonly Entry[], partition: number, offset: number): Entry[] {
  const leases = ['assigned', 'revoked', 'renewed', 'stopped', 'closed']
  const mentions = (entry: Entry): boolean => {
    if ('offset' in entry) return entry.partition === partition && entry.offset === offset
    if (entry.kind === 'committed') {
      if (entry.partition !== partition) return false
      return new Coverage(entry.position, entry.metadata).has(offset)
    }
    return leases.includes(entry.kind) && (!('partitions' in entry) || entry.partitions.includes(partition))
  }
  // Of the commits that cover it, the first of each process is enough.
  const seen = new Set<string>()
  return entries.filter((entry) => {
    if (!mentions(entry)) return false
    if (entry.kind !== 'committed') return true
    return seen.has(entry.member) ? false : Boolean(seen.add(entry.member))
  })
}

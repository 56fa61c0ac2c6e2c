/**
 * Says what a run was worth, from the words that handlers wrote and from the plan of the topic; the contender has no say. A record
 * is lost if it never ended, doubled if it started more than once, out of order if it started before every earlier record of its
 * lane (its key, or its partition) had ended once.
 */
import { type Events, endBit } from './events.ts'
import type { Plan } from './plan.ts'

export interface Verdict {
  readonly lost: number
  readonly reordered: number
  readonly duplicated: number
}

/** Runs one after the other, as with a restart: the second begins where the first one's words end. */
export function judge(plan: Plan, order: 'key' | 'partition' | 'none', runs: readonly Events[]): Verdict {
  const { records } = plan.shape
  const lanes = lanesOf(plan, order)
  const started = new Uint8Array(records)
  const ended = new Uint8Array(records)
  const finished = new Uint32Array(lanes.count)
  let [reordered, duplicated, foreign] = [0, 0, 0]
  const end = (id: number): void => {
    if (ended[id] === 1) return
    ended[id] = 1
    if (order === 'none') return
    const lane = lanes.laneOf(id)
    // As far as everything in the lane has ended without a gap.
    for (let next = lanes.idAt(lane, finished[lane] ?? 0); next !== undefined && ended[next] === 1; ) {
      finished[lane] = (finished[lane] ?? 0) + 1
      next = lanes.idAt(lane, finished[lane] ?? 0)
    }
  }
  for (const { kind, words } of runs) {
    for (const word of words) {
      const id = (word & 0x7fff_ffff) >>> 0
      if (id >= records) {
        foreign++
        continue
      }
      if ((word & endBit) !== 0) {
        end(id)
        continue
      }
      if (started[id] === 1) duplicated++
      else started[id] = 1
      if (order !== 'none' && (finished[lanes.laneOf(id)] ?? 0) < lanes.seqOf(id)) reordered++
      if (kind === 'seen') end(id)
    }
  }
  if (foreign > 0) throw new Error(`${foreign} events of records that do not exist: the ledger is broken`)
  let lost = records
  for (const one of ended) lost -= one
  return { lost, reordered, duplicated }
}

interface Lanes {
  readonly count: number
  laneOf(id: number): number
  seqOf(id: number): number
  /** Undefined: the lane is shorter. */
  idAt(lane: number, seq: number): number | undefined
}

function lanesOf(plan: Plan, order: 'key' | 'partition' | 'none'): Lanes {
  const { bases, ends, keyOfId, seqOfId, shape } = plan
  if (order === 'none') return { count: 0, laneOf: () => 0, seqOf: () => 0, idAt: () => undefined }
  if (order === 'partition') {
    const partitionOf = (id: number): number => bases.findLastIndex((base, at) => base <= id && (ends[at] ?? 0) > 0)
    const seqOf = (id: number): number => id - (bases[partitionOf(id)] ?? 0)
    const idAt = (lane: number, seq: number): number | undefined =>
      seq < (ends[lane] ?? 0) ? (bases[lane] ?? 0) + seq : undefined
    return { count: ends.length, laneOf: partitionOf, seqOf, idAt }
  }
  const keys = plan.partitionOfKey.length
  const counts = new Uint32Array(keys + 1)
  for (const key of keyOfId) counts[key + 1] = (counts[key + 1] ?? 0) + 1
  for (let key = 0; key < keys; key++) counts[key + 1] = (counts[key + 1] ?? 0) + (counts[key] ?? 0)
  const ids = new Uint32Array(shape.records)
  for (let id = 0; id < shape.records; id++) ids[(counts[keyOfId[id] ?? 0] ?? 0) + (seqOfId[id] ?? 0)] = id
  return {
    count: keys,
    laneOf: (id) => keyOfId[id] ?? 0,
    seqOf: (id) => seqOfId[id] ?? 0,
    idAt: (lane, seq) => {
      const at = (counts[lane] ?? 0) + seq
      return at < (counts[lane + 1] ?? 0) ? ids[at] : undefined
    },
  }
}

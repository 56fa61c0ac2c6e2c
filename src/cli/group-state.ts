/**
 * A consumer group as its brokers know it: committed positions, the maps in their metadata, and where the logs begin and end.
 * What is read here was written by anybody: a map that does not hold together counts as none, and says so.
 */
import type { Admin } from '../admin/admin.ts'
import { FanlaneError } from '../errors.ts'
import { decodeMap } from '../kernel/offset-map/index.ts'

export interface GroupPartition {
  readonly topic: string
  readonly partition: number
  /** null: nothing is committed. */
  readonly position: number | null
  readonly logStart: number
  readonly logEnd: number
  /** Log end − position. */
  readonly lag: number
  /** Finished records after the position, by the map. */
  readonly ahead: number
  /** What is left to do: the lag without what is finished ahead. */
  readonly left: number
  readonly map: MapState
}

export type MapState =
  | { readonly kind: 'none' }
  | { readonly kind: 'map'; readonly encoding: string; readonly chars: number; readonly runs: readonly number[] }
  | { readonly kind: 'ignored'; readonly reason: string; readonly chars: number }

export async function groupState(
  admin: Admin,
  group: string,
  isAbsenceFine = false,
): Promise<readonly GroupPartition[]> {
  const committed = await admin.committed(group)
  if (committed.length === 0 && !isAbsenceFine) {
    throw new FanlaneError(
      'GROUP_UNKNOWN',
      `Group '${group}' has committed nothing: see 'fanlane groups' for the others.`,
    )
  }
  const existing = new Set((await admin.listTopics({ internal: true })).map(({ name }) => name))
  const alive = committed.filter(({ topic }) => existing.has(topic))
  const [starts, ends] = await Promise.all([boundsOf(admin, alive, 'earliest'), boundsOf(admin, alive, 'latest')])
  return alive
    .map(({ topic, partition, offset, metadata }): GroupPartition => {
      const logStart = starts.get(`${topic}-${partition}`) ?? 0
      const logEnd = ends.get(`${topic}-${partition}`) ?? 0
      const map = mapOf(offset ?? 0, metadata)
      const ahead = map.kind === 'map' ? map.runs.reduce((sum, run, at) => sum + (at % 2 === 1 ? run : 0), 0) : 0
      const lag = Math.max(0, logEnd - Math.max(offset ?? logStart, logStart))
      return { topic, partition, position: offset, logStart, logEnd, lag, ahead, left: Math.max(0, lag - ahead), map }
    })
    .sort((a, b) => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1))
}

export async function boundsOf(
  admin: Admin,
  partitions: readonly { readonly topic: string; readonly partition: number }[],
  at: 'earliest' | 'latest',
): Promise<Map<string, number>> {
  if (partitions.length === 0) return new Map()
  const found = await admin.listOffsets(partitions.map(({ topic, partition }) => ({ topic, partition, at })))
  return new Map(found.map(({ topic, partition, offset }) => [`${topic}-${partition}`, offset ?? 0]))
}

function mapOf(position: number, metadata: string): MapState {
  const decoded = decodeMap(position, metadata)
  if (decoded.kind === 'empty') return { kind: 'none' }
  if (decoded.kind === 'ignored') return { kind: 'ignored', reason: decoded.reason, chars: metadata.length }
  return { kind: 'map', encoding: decoded.encoding, chars: metadata.length, runs: decoded.runs }
}

/** The map for programs: runs as they follow each other, from the position on. */
export function plainMap(map: MapState): object | null {
  if (map.kind === 'none') return null
  if (map.kind === 'ignored') return { ignored: map.reason, chars: map.chars }
  return { encoding: map.encoding, chars: map.chars, runs: map.runs }
}

/** Which segments are too old or too many, by the rules of Apache Kafka: whole segments, oldest first. */
import type { LogConfig } from './config.ts'
import type { Segment } from './segment.ts'

export interface RetentionState {
  readonly segments: readonly Segment[]
  readonly config: LogConfig
  readonly highWatermark: number
  readonly logStartOffset: number
  readonly nowMs: number
  /** Its highest timestamp; the time it was made, or found, if its records have none. */
  readonly timeOf: (segment: Segment) => Promise<number>
}

/** How many segments from the front have to go. All of them is possible: then an empty one takes their place. */
export async function deletable(state: RetentionState): Promise<number> {
  const { config } = state
  let count = countBelowStart(state)
  if (!config.deletes) return count
  if (config.retentionMs >= 0) count = Math.max(count, await countExpired(state))
  if (config.retentionBytes >= 0) count = countBeyondSize(state, count)
  return count
}

function countBelowStart({ segments, logStartOffset }: RetentionState): number {
  const first = segments.findIndex((_, index) => {
    const next = segments[index + 1]
    return next === undefined || next.baseOffset > logStartOffset
  })
  return Math.max(0, first)
}

async function countExpired({ segments, config, highWatermark, nowMs, timeOf }: RetentionState): Promise<number> {
  let count = 0
  for (const segment of [...segments]) {
    if (segment.nextOffset > highWatermark || segment.size === 0) break
    if (nowMs - (await timeOf(segment)) <= config.retentionMs) break
    count++
  }
  return count
}

/** Beyond those that go anyway. */
function countBeyondSize({ segments, config, highWatermark }: RetentionState, gone: number): number {
  let excess = -config.retentionBytes
  for (const segment of segments.slice(gone)) excess += segment.size
  let count = gone
  for (const segment of segments.slice(gone)) {
    if (segment.nextOffset > highWatermark || segment.size === 0 || excess < segment.size) break
    excess -= segment.size
    count++
  }
  return count
}

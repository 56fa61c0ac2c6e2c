/** What the dashboard needs of a consumer in this process: to look, and to steer by the same controls that users have. */
import type { Glance } from '../kernel/glance.ts'
import type { TopicPartition } from '../kernel/ids.ts'
import type { Lease } from '../kernel/lease.ts'
import type { LaneSnapshot, PartitionSnapshot } from '../kernel/snapshot.ts'
import type { Strip } from '../kernel/strip.ts'
import type { WaitingRecords } from '../kernel/waiting.ts'
import type { Clock } from '../ports/clock.ts'
import type { Standing } from '../telemetry/health.ts'
import type { TelemetryView } from '../telemetry/view.ts'
import type { ConfigAnswer, ErrorFrame, RebalanceFrame } from './frames.ts'

export interface WatchedListener {
  trouble(tell: () => Omit<ErrorFrame, 'at' | 'instance'>): void
  rebalance(change: RebalanceFrame['change'], partitions: readonly TopicPartition[]): void
}

export interface Watched {
  readonly id: string
  readonly name: string
  readonly group: string
  /** In words: async, threads × 4. */
  readonly engine: string
  readonly clock: Clock
  readonly mapMaxChars: number
  readonly stalledAfterMs: number
  /** All partitions in one pass. */
  glance(): Glance
  /** One of them. Keys as text, errors as text. Null: it is not held any more. */
  partition(lease: Lease): PartitionSnapshot | null
  strip(lease: Lease, cells: number): Strip
  hottest(): readonly LaneSnapshot[]
  waiting(max: number): WaitingRecords
  holds(partition: TopicPartition): boolean
  isClosed(): boolean
  standing(): Standing
  view(): TelemetryView
  readonly times: {
    handlers(nowMs: number): readonly number[]
    commits(nowMs: number): readonly number[]
    eventLoopMs(nowMs: number): number | null
  }
  listen(listener: WatchedListener): void
  readonly controls: {
    pause(selection: Selected): void
    resume(selection: Selected): void
    setConcurrency(limit: number): void
    skip(target: { readonly topic: string; readonly partition: number; readonly offset: number }): Promise<void>
  }
  config(): ConfigAnswer
}

interface Selected {
  readonly topic: string
  readonly partition?: number
  readonly key?: string | Buffer
}

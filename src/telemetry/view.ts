/** What metrics, health and the dashboard are made from: one picture of one consumer, plain data. */
import type { KernelSnapshot } from '../kernel/snapshot.ts'
import type { HistogramValue } from './histogram.ts'

export interface TelemetryView {
  readonly group: string
  readonly snapshot: KernelSnapshot
  /** Figures that an engine has of its own. */
  readonly engine: Readonly<Record<string, number>>
  /** Commits of one partition since start, by outcome. */
  readonly commits: Readonly<Record<string, number>>
  readonly transactions: Readonly<Record<string, number>>
  readonly rebalances: Readonly<Record<string, number>>
  readonly handlerSeconds: readonly { readonly status: 'ok' | 'failed'; readonly value: HistogramValue }[]
  readonly commitSeconds: HistogramValue
  /** Seconds: p50, p99, max. */
  readonly eventLoop: Readonly<Record<string, number>>
}

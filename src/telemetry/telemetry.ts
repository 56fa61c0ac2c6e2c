/**
 * What watches a consumer: metrics where they were asked for, and stalls always. Nothing here is on the way of a record but
 * one call when a handler ends, and that only with metrics.
 */
import { FanlaneError } from '../errors.ts'
import type { KernelSnapshot } from '../kernel/snapshot.ts'
import type { Watch } from '../kernel/state.ts'
import type { Clock } from '../ports/clock.ts'
import type { Observation } from '../ports/observer.ts'
import type { Conventions } from './conventions.ts'
import { exportTo, type OtelExport, type OtelMeterProvider } from './open-telemetry.ts'
import { type PrometheusRegistry, registerIn } from './prom-registry.ts'
import { RecentTimes } from './recent-times.ts'
import { Recorder } from './recorder.ts'
import { type Stall, StallWatch } from './stalls.ts'
import type { TelemetryView } from './view.ts'

export type MetricsTarget = PrometheusRegistry | OtelMeterProvider

export interface TelemetryParts {
  readonly group: string
  readonly version: string
  readonly clock: Clock
  readonly snapshot: () => KernelSnapshot
  /** Of the partitions alone that have been held back for `stalledAfterMs`. */
  readonly held: () => Pick<KernelSnapshot, 'partitions'>
  readonly engine: () => Readonly<Record<string, number>>
  readonly metrics: MetricsTarget | undefined
  readonly conventions: Conventions
  /** Somebody will look at it here: a dashboard, or health and metrics over HTTP. */
  readonly isWatched: boolean
  readonly stalledAfterMs: number
  readonly stalled: (stall: Stall) => void
}

export class Telemetry {
  readonly #stalls: StallWatch
  readonly #recorder: Recorder | null
  readonly #otel: OtelExport | null = null
  readonly #unregister: (() => void) | null = null
  /** For the dashboard. */
  readonly times: RecentTimes | null

  constructor(parts: TelemetryParts) {
    const { group, version, clock, snapshot, held, metrics, conventions, isWatched, stalledAfterMs, stalled } = parts
    this.times = isWatched ? new RecentTimes() : null
    this.#recorder = isWatched || metrics !== undefined ? new Recorder({ group, snapshot, engine: parts.engine }) : null
    if (metrics !== undefined) {
      const view = () => this.view()
      if ('getMeter' in metrics) this.#otel = exportTo(metrics, version, group, view, conventions)
      else this.#unregister = registered(metrics, view)
    }
    this.#stalls = new StallWatch({ clock, snapshot: held, afterMs: stalledAfterMs, stalled })
  }

  /** For the control plane; null: nobody measures. */
  get watch(): Watch | null {
    const recorder = this.#recorder
    if (recorder === null) return null
    const otel = this.#otel
    const times = this.times
    if (otel === null && times === null) return recorder
    return {
      handled: (durationMs, isFailed) => {
        recorder.handled(durationMs, isFailed)
        otel?.handled(durationMs, isFailed)
        times?.handled(durationMs)
      },
    }
  }

  view(): TelemetryView {
    if (this.#recorder === null) throw new FanlaneError('INTERNAL', 'Nothing is recorded: nobody asked for metrics.')
    return this.#recorder.view()
  }

  observe(observation: Observation): void {
    this.#recorder?.observe(observation)
    if (observation.kind !== 'commit' && observation.kind !== 'transaction') return
    this.#otel?.committed(observation.durationMs)
    this.times?.committed(observation.durationMs)
  }

  close(): void {
    this.#stalls.close()
    this.#unregister?.()
    this.#otel?.close()
    this.#recorder?.close()
    this.times?.close()
  }
}

function registered(registry: PrometheusRegistry, view: () => TelemetryView): () => void {
  try {
    return registerIn(registry, view)
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause)
    throw new FanlaneError(
      'METRICS_REFUSED',
      `The registry of option 'metrics' did not take fanlane's metrics: ${said} Give one that has no metrics of these names.`,
      { cause },
    )
  }
}

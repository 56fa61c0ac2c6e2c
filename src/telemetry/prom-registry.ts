/**
 * The metric table in a Registry of prom-client, next to what the application has there. Only what is used of prom-client is
 * named here, so that nobody has to install it who does not use it.
 *
 * Several consumers of a process share the metrics of one registry, told apart by the label `group`.
 */
import { type HistogramSample, METRICS, type Metric, type Sample } from './metric-table.ts'
import type { TelemetryView } from './view.ts'

export interface PrometheusRegistry {
  registerMetric(metric: never): void
  removeSingleMetric(name: string): void
}

interface Value {
  readonly value: number
  readonly labels: Readonly<Record<string, string | number>>
  readonly metricName?: string
}

type Views = Set<() => TelemetryView>

const viewsOf: WeakMap<PrometheusRegistry, Views> = new WeakMap()

/** Returns what takes this consumer out again. */
export function registerIn(registry: PrometheusRegistry, view: () => TelemetryView): () => void {
  const views = viewsOf.get(registry) ?? new Set()
  if (views.size === 0) for (const metric of METRICS) registry.registerMetric(entryOf(metric, views) as never)
  views.add(view)
  viewsOf.set(registry, views)
  return () => {
    views.delete(view)
    if (views.size === 0) for (const { name } of METRICS) registry.removeSingleMetric(name)
  }
}

/** What a registry asks of a metric. */
function entryOf(metric: Metric, views: Views): object {
  const { name, help, kind } = metric
  const get = async (): Promise<object> => ({
    name,
    help,
    type: kind,
    aggregator: 'sum',
    values: valuesOf(metric, views),
  })
  return { name, help, type: kind, aggregator: 'sum', get, reset: nothing }
}

function valuesOf(metric: Metric, views: Views): readonly Value[] {
  return [...views].flatMap((view) => {
    const now = view()
    if (metric.kind !== 'histogram') return metric.read(now).map(({ labels, value }: Sample) => ({ labels, value }))
    return metric.read(now).flatMap((sample) => histogramValues(metric.name, sample))
  })
}

function histogramValues(name: string, { labels, value: { bounds, counts, sum, count } }: HistogramSample): Value[] {
  let below = 0
  const buckets = bounds.map((bound, at): Value => {
    below += counts[at] ?? 0
    return { labels: { ...labels, le: bound }, value: below, metricName: `${name}_bucket` }
  })
  return [
    ...buckets,
    { labels: { ...labels, le: '+Inf' }, value: count, metricName: `${name}_bucket` },
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}

function nothing(): void {
  // Counters of a consumer are its totals: they are not reset by others.
}

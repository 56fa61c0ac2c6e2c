/** The metric table as Prometheus reads it (text format 0.0.4). */
import { type HistogramSample, METRICS, type Sample } from './metric-table.ts'
import type { TelemetryView } from './view.ts'

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function prometheusText(views: readonly TelemetryView[]): string {
  const lines: string[] = []
  for (const metric of METRICS) {
    lines.push(`# HELP ${metric.name} ${escapedHelp(metric.help)}`, `# TYPE ${metric.name} ${metric.kind}`)
    for (const view of views) {
      if (metric.kind === 'histogram')
        for (const sample of metric.read(view)) lines.push(...histogramLines(metric.name, sample))
      else for (const sample of metric.read(view)) lines.push(line(metric.name, sample))
    }
  }
  return `${lines.join('\n')}\n`
}

function line(name: string, { labels, value }: Sample): string {
  const inside = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${inside.length === 0 ? '' : `{${inside.join(',')}}`} ${shown(value)}`
}

function histogramLines(name: string, { labels, value: { bounds, counts, sum, count } }: HistogramSample): string[] {
  let below = 0
  const buckets = bounds.map((bound, at) => {
    below += counts[at] ?? 0
    return line(`${name}_bucket`, { labels: { ...labels, le: String(bound) }, value: below })
  })
  return [
    ...buckets,
    line(`${name}_bucket`, { labels: { ...labels, le: '+Inf' }, value: count }),
    line(`${name}_sum`, { labels, value: sum }),
    line(`${name}_count`, { labels, value: count }),
  ]
}

function shown(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

/** A topic may be called whatever Kafka allows, a group anything at all. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

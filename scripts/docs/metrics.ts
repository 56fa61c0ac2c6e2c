/** The metric table as a page shows it. */
import { METRICS } from '../../src/telemetry/metric-table.ts'

export function metricsTable(): string {
  const rows = METRICS.map(
    ({ name, otel, kind, unit, help }) =>
      `| \`${name}\` | \`${otel}\` | ${kind} | ${unit} | ${help.replaceAll('|', '\\|')} |`,
  )
  return ['| Prometheus | OpenTelemetry | kind | unit | what it tells |', '|---|---|---|---|---|', ...rows].join('\n')
}

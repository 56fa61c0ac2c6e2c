/** Every part of docs/ that is made from code. */
import { metricsTable } from './metrics.ts'
import type { Section } from './sections.ts'

export const sections: readonly Section[] = [
  { page: 'docs/guide/metrics.md', from: 'src/telemetry/metric-table.ts', text: metricsTable },
]

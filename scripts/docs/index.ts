/** Every part of docs/ that is made from code. */
import { errorsPage } from './errors/index.ts'
import { guideSections } from './guide.ts'
import { metricsTable } from './metrics.ts'
import { referenceText } from './reference.ts'
import type { Section } from './sections.ts'
import { settingsTable } from './settings.ts'

export const sections: readonly Section[] = [
  { page: 'docs/errors.md', from: 'scripts/docs/errors', text: errorsPage },
  { page: 'docs/guide/metrics.md', from: 'src/telemetry/metric-table.ts', text: metricsTable },
  { page: 'docs/guide/configuration.md', from: 'src/config/schema.ts', text: settingsTable },
  { page: 'docs/guide/reference.md', from: 'scripts/docs/reference.ts', text: referenceText },
  ...guideSections(),
]

/** What examples/observability asks for is what we export. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../../../scripts/files.ts'
import { METRICS } from '../../../src/telemetry/metric-table.ts'

const names = new Set(
  METRICS.flatMap(({ name, kind }) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
)

function used(text: string): readonly string[] {
  return text.match(/\b(?:fanlane|kafka_consumergroup)_[a-z_]+/g) ?? []
}

describe('examples of dashboards and alerts', () => {
  for (const file of ['grafana-dashboard.json', 'prometheus-alerts.yml']) {
    test(`P9 · every metric in ${file} exists`, () => {
      const found = used(readFileSync(join(root, 'examples/observability', file), 'utf8'))
      assert.ok(found.length > 5)
      assert.deepEqual(
        found.filter((name) => !names.has(name)),
        [],
      )
    })
  }

  test('P9 · Grafana shows every metric but those that a page of ours shows better', () => {
    const dashboard = readFileSync(join(root, 'examples/observability/grafana-dashboard.json'), 'utf8')
    const shown = new Set(used(dashboard).map((name) => name.replace(/_(bucket|sum|count)$/, '')))
    const missing = METRICS.map(({ name }) => name).filter((name) => !shown.has(name))
    assert.deepEqual(missing, [
      'fanlane_position',
      'fanlane_committed_position',
      'fanlane_blocking_offset',
      'fanlane_engine',
      'fanlane_consumed_messages_total',
      'fanlane_transactions_total',
    ])
    const ids = (JSON.parse(dashboard) as { panels: { id: number }[] }).panels.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })
})

/**
 * The configuration keys of a subscription to the metrics of clients. Subscriptions are kept and shown; no client is asked for
 * its metrics, as by an Apache Kafka without a plug-in that would take them.
 */
import type { ConfigValues } from './broker-configs.ts'
import { type ConfigTable, configProblem, listOf, longOf } from './definition.ts'

export const clientMetricsConfigs: ConfigTable = {
  'interval.ms': { type: 'int', default: '300000', doc: 'How often a client is asked.' },
  match: { type: 'list', default: '', doc: 'Which clients are asked: patterns of what is known of a client.' },
  metrics: { type: 'list', default: '', doc: 'Which metrics are asked for, by the beginning of their names.' },
}

const selectors: ReadonlySet<string> = new Set([
  'client_id',
  'client_instance_id',
  'client_software_name',
  'client_software_version',
  'client_source_address',
  'client_source_port',
])

const intervalMs = { least: 100, most: 3_600_000 } as const

export type ClientMetricsProblem = { readonly error: 'INVALID_REQUEST' | 'INVALID_CONFIG'; readonly message: string }

/** What is wrong with the values of one subscription. */
export function clientMetricsProblem(own: ConfigValues): ClientMetricsProblem | undefined {
  for (const [key, value] of Object.entries(own)) {
    if (!Object.hasOwn(clientMetricsConfigs, key)) {
      return { error: 'INVALID_REQUEST', message: `Unknown client metrics configuration: ${key}` }
    }
    const problem = configProblem(clientMetricsConfigs, key, value)
    if (problem !== undefined) return { error: 'INVALID_CONFIG', message: problem }
  }
  return intervalProblem(own['interval.ms']) ?? matchProblem(own.match)
}

function intervalProblem(value: string | undefined): ClientMetricsProblem | undefined {
  const interval = value === undefined ? intervalMs.least : longOf(value)
  if (interval >= intervalMs.least && interval <= intervalMs.most) return undefined
  const range = `interval must be between ${intervalMs.least} and ${intervalMs.most} (1 hour)`
  return { error: 'INVALID_REQUEST', message: `Invalid value ${interval} for interval.ms, ${range}` }
}

function matchProblem(value: string | undefined): ClientMetricsProblem | undefined {
  const bad = listOf(value ?? '').find((pattern) => !isMatch(pattern))
  return bad === undefined ? undefined : { error: 'INVALID_CONFIG', message: `Illegal client matching pattern: ${bad}` }
}

function isMatch(pattern: string): boolean {
  const at = pattern.indexOf('=')
  if (!selectors.has(pattern.slice(0, at).trim())) return false
  try {
    return new RegExp(pattern.slice(at + 1).trim(), 'u') !== undefined
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Entries of a configuration, as plain data. */
import type { DescribeConfigsResourceResult } from '../protocol/generated/32-describe-configs.ts'

/** Where a value comes from; the first of its synonyms that is set wins. */
export type ConfigSource =
  | 'unknown'
  | 'topic'
  | 'broker'
  | 'broker-default'
  | 'static'
  | 'default'
  | 'broker-logger'
  | 'client-metrics'
  | 'group'

export interface ConfigSynonym {
  readonly name: string
  readonly value: string | null
  readonly source: ConfigSource
}

export interface ConfigDescription {
  readonly name: string
  /** null: not set, or a secret. */
  readonly value: string | null
  readonly source: ConfigSource
  /** Nobody has set it. */
  readonly isDefault: boolean
  readonly isSensitive: boolean
  readonly isReadOnly: boolean
  readonly synonyms: readonly ConfigSynonym[]
  /** In the broker's words; null: not asked for. */
  readonly documentation: string | null
}

const sources: readonly ConfigSource[] = [
  'unknown',
  'topic',
  'broker',
  'broker-default',
  'static',
  'default',
  'broker-logger',
  'client-metrics',
  'group',
]

/** By name, without a prototype: a name is whatever the broker says. */
export function describedConfigs(
  entries: readonly DescribeConfigsResourceResult[],
): Readonly<Record<string, ConfigDescription>> {
  const configs: Record<string, ConfigDescription> = Object.create(null)
  for (const { name, value, configSource, isSensitive, readOnly, synonyms, documentation } of entries) {
    const source = sourceOf(configSource)
    configs[name] = {
      name,
      value,
      source,
      isDefault: source === 'default',
      isSensitive,
      isReadOnly: readOnly,
      synonyms: synonyms.map((each) => ({ name: each.name, value: each.value, source: sourceOf(each.source) })),
      documentation,
    }
  }
  return configs
}

function sourceOf(code: number): ConfigSource {
  return sources[code] ?? 'unknown'
}

/**
 * Configuration as it is shown: every key with its value, where the value comes from, and every other place that has one.
 */
import {
  type BrokerConfig,
  brokerConfigs,
  brokerDefinition,
  type ConfigLayer,
  type ConfigValues,
  inMilliseconds,
  type LayeredValue,
} from './broker-configs.ts'
import { clientMetricsConfigs } from './client-metrics-configs.ts'
import { type ConfigDefinition, canonical, configTypeNumbers, definitionOf } from './definition.ts'
import { groupConfig, groupConfigs } from './group-configs.ts'
import { type TopicConfigValues, topicConfigs } from './topic-configs.ts'

/** The numbers of DescribeConfigs. */
export const configSources = {
  topic: 1,
  broker: 2,
  cluster: 3,
  static: 4,
  default: 5,
  logger: 6,
  clientMetrics: 7,
  group: 8,
} as const

export interface ConfigSynonym {
  readonly name: string
  readonly value: string | null
  readonly source: number
}

export interface ConfigEntry {
  readonly name: string
  readonly value: string | null
  readonly configSource: number
  readonly readOnly: boolean
  readonly isSensitive: boolean
  readonly synonyms: readonly ConfigSynonym[]
  readonly configType: number
  readonly documentation: string | null
}

const unknownType = 0
const keptDoc = 'Kept for tools; it means nothing to this broker.'
const layerSources: Readonly<Record<ConfigLayer, number>> = configSources

function entry(
  name: string,
  definition: ConfigDefinition,
  value: string | null,
  synonyms: readonly ConfigSynonym[],
): ConfigEntry {
  return {
    name,
    value,
    configSource: synonyms[0]?.source ?? configSources.default,
    readOnly: false,
    isSensitive: false,
    synonyms,
    configType: configTypeNumbers[definition.type],
    documentation: definition.doc ?? keptDoc,
  }
}

/** Keys that only tests use are shown only where they are set. */
function isShown(key: string, own: TopicConfigValues): boolean {
  return !key.startsWith('internal.') || own.has(key)
}

export function topicEntries(own: TopicConfigValues, config: BrokerConfig): ConfigEntry[] {
  const defaults = config.topicDefaults()
  return Object.entries(topicConfigs).flatMap(([name, definition]) => {
    if (!isShown(name, own)) return []
    const value = canonical(definition, own.get(name) ?? defaults[name] ?? definition.default ?? '')
    const theirs =
      definition.brokerKey === undefined ? [] : synonymsOf(config.layers(definition.brokerKey), definition.brokerKey)
    const mine = own.has(name) ? [{ name, value, source: configSources.topic }] : []
    return [entry(name, definition, value, [...mine, ...theirs])]
  })
}

/** What CreateTopics answers with: values as they were given, no synonyms. */
export function creationEntries(own: TopicConfigValues, config: BrokerConfig): ConfigEntry[] {
  const names = Object.keys(topicConfigs).filter((key) => isShown(key, own))
  return names.sort().map((name) => {
    const definition = topicConfigs[name] as ConfigDefinition
    const mine = own.get(name)
    const theirs = definition.brokerKey === undefined ? undefined : config.layers(definition.brokerKey)[0]
    const [value, source] =
      mine !== undefined
        ? [mine, configSources.topic]
        : theirs === undefined || theirs.layer === 'default'
          ? [definition.default, configSources.default]
          : [inMilliseconds(theirs), layerSources[theirs.layer]]
    return { ...entry(name, definition, value, []), configSource: source }
  })
}

/** Nothing is told of what stands in for a key that has no value of its own. */
function synonymsOf(layers: readonly LayeredValue[], key: string, isSensitive = false): ConfigSynonym[] {
  const first = layers.findIndex((layered) => layered.key === key)
  if (first < 0) return []
  return layers.slice(first).map(({ key: name, value, layer }) => ({
    name,
    value: isSensitive ? null : value,
    source: layerSources[layer],
  }))
}

/** Everything that counts for this broker. `inherent` follows from its options: addresses, data directory. */
export function brokerEntries(config: BrokerConfig, inherent: ConfigValues): ConfigEntry[] {
  const keys = new Set([...config.keys(), ...Object.keys(inherent)])
  return [...keys].sort().map((name) => {
    const given = inherent[name]
    const layers = config.layers(name)
    if (given === undefined) return brokerEntry(name, config.text(name), layers)
    const own: LayeredValue = { key: name, value: given, layer: 'static', unitMs: 1 }
    return brokerEntry(name, given, [own, ...layers.filter(({ layer }) => layer === 'default')])
  })
}

/** Only what was changed for the whole cluster. */
export function clusterEntries(config: BrokerConfig): ConfigEntry[] {
  return Object.entries(config.dynamic.cluster ?? {}).map(([name, value]) => {
    const layers = config.layers(name).filter(({ layer }) => layer === 'cluster')
    return { ...brokerEntry(name, value, layers), value: isSensitive(name) ? null : value }
  })
}

/** What nobody here knows may be a secret of a plug-in. */
function isSensitive(name: string): boolean {
  return (brokerDefinition(name)?.type ?? 'password') === 'password'
}

function brokerEntry(name: string, value: string | null, layers: readonly LayeredValue[]): ConfigEntry {
  const definition = brokerDefinition(name)
  const isSecret = isSensitive(name)
  const synonyms = synonymsOf(layers, name, isSecret)
  const isChangeable = definitionOf(brokerConfigs, name)?.change !== undefined
  const shown = isSecret || value === null || definition === undefined ? null : canonical(definition, value)
  return {
    name,
    value: shown,
    configSource: synonyms[0]?.source ?? configSources.default,
    readOnly: !isChangeable,
    isSensitive: isSecret,
    synonyms,
    configType: definition === undefined ? unknownType : configTypeNumbers[definition.type],
    documentation: definition === undefined ? null : (definition.doc ?? keptDoc),
  }
}

export function groupEntries(own: ConfigValues, config: BrokerConfig): ConfigEntry[] {
  return Object.entries(groupConfigs).map(([name, definition]) => {
    const value = canonical(definition, groupConfig(own, config, name))
    const source = Object.hasOwn(own, name) ? configSources.group : configSources.default
    return entry(name, definition, value, [{ name, value, source }])
  })
}

export function clientMetricsEntries(own: ConfigValues): ConfigEntry[] {
  return Object.entries(clientMetricsConfigs).map(([name, definition]) => {
    const isOwn = Object.hasOwn(own, name)
    const value = canonical(definition, (isOwn ? own[name] : definition.default) ?? '')
    return entry(name, definition, value, isOwn ? [{ name, value, source: configSources.clientMetrics }] : [])
  })
}

export function loggerEntries(config: BrokerConfig): ConfigEntry[] {
  return [...config.loggers].map(([name, value]) => ({
    name,
    value,
    configSource: configSources.logger,
    readOnly: false,
    isSensitive: false,
    synonyms: [],
    configType: unknownType,
    documentation: '',
  }))
}

/**
 * The configuration of the broker as it stands, in layers. A key's value comes from the first layer that has one: changed for
 * this broker while it runs, changed for the whole cluster, given by the options, the default. The first two are durable
 * (AlterConfigs, IncrementalAlterConfigs); here they are the same broker, but tools tell them apart.
 */
import { OptionError } from '../../errors.ts'
import { standIns, usedBrokerConfigs } from './broker-table.ts'
import { type ConfigDefinition, type ConfigTable, canonical, definitionOf, longOf, valueProblem } from './definition.ts'
import { keptBrokerConfigs } from './kept-broker-configs.ts'
import { topicConfigs } from './topic-configs.ts'

export const brokerConfigs: ConfigTable = { ...usedBrokerConfigs, ...keptBrokerConfigs }

/** Keys that exist only while the broker runs: shown where they are set, never in its options. Kept for tools. */
const throttleRates: ConfigTable = {
  'follower.replication.throttled.rate': { type: 'long', default: null, min: 0, change: 'cluster' },
  'leader.replication.throttled.rate': { type: 'long', default: null, min: 0, change: 'cluster' },
  'replica.alter.log.dirs.io.max.bytes.per.second': { type: 'long', default: null, min: 0, change: 'cluster' },
}

export type ConfigValues = Readonly<Record<string, string>>

/** What was changed while the broker runs. */
export interface DynamicConfigs {
  readonly cluster?: ConfigValues
  readonly broker?: ConfigValues
}

export type DynamicLevel = keyof DynamicConfigs
export type ConfigLayer = DynamicLevel | 'static' | 'default'

/** A value with the key and the layer that it comes from. */
export interface LayeredValue {
  readonly key: string
  readonly value: string
  readonly layer: ConfigLayer
  /** What the key's unit is in milliseconds, where keys with different units stand in for one another; else 1. */
  readonly unitMs: number
}

/**
 * With eligible leader replicas, which Kafka has since 4.1, this key has a value for the whole cluster always, at first that
 * of the options, and never one for a single broker.
 */
export const clusterWideKey = 'min.insync.replicas'

const nothing: ConfigValues = {}
const listenerKey = /^listener\.name\.[^.]*\.(.*)$/

/** A key for one listener (`listener.name.x.ssl.keystore.type`) means the same as the key without it. */
export function brokerDefinition(key: string): ConfigDefinition | undefined {
  const base = listenerKey.exec(key)?.[1]
  if (base === undefined) return definitionOf(brokerConfigs, key) ?? definitionOf(throttleRates, key)
  // Some have the mechanism in between.
  return definitionOf(brokerConfigs, base) ?? definitionOf(brokerConfigs, base.slice(base.indexOf('.') + 1))
}

export class BrokerConfig {
  /** Log levels by logger. Tools can set and read them; what is printed, the broker's `logger` option decides. Not durable. */
  readonly loggers: Map<string, string> = new Map([['root', 'INFO']])
  readonly #given: ConfigValues
  #dynamic: DynamicConfigs

  constructor(given: ConfigValues, dynamic: DynamicConfigs) {
    check(given)
    this.#given = given
    const { [clusterWideKey]: _forOneBroker, ...broker } = dynamic.broker ?? nothing
    const atFirst = given[clusterWideKey] ?? definitionOf(brokerConfigs, clusterWideKey)?.default ?? '1'
    this.#dynamic = { ...dynamic, broker, cluster: { [clusterWideKey]: atFirst, ...dynamic.cluster } }
  }

  get dynamic(): DynamicConfigs {
    return this.#dynamic
  }

  /** The values of one level, replaced. */
  setDynamic(level: DynamicLevel, values: ConfigValues): void {
    this.#dynamic = { ...this.#dynamic, [level]: values }
  }

  /** Every value that the key has somewhere, the one that counts first. */
  layers(key: string): LayeredValue[] {
    const base = listenerKey.exec(key)?.[1]
    const keys = base === undefined ? standIns(key) : [[key, 1] as const, [base, 1] as const]
    const found = (layer: ConfigLayer): LayeredValue[] =>
      keys.flatMap(([name, unitMs]) => {
        const value = this.#at(layer, name)
        return value === undefined ? [] : [{ key: name, value, layer, unitMs }]
      })
    return [...found('broker'), ...found('cluster'), ...found('static'), ...found('default')]
  }

  #at(layer: ConfigLayer, key: string): string | undefined {
    if (layer === 'default') return definitionOf(brokerConfigs, key)?.default ?? undefined
    const values = layer === 'static' ? this.#given : (this.#dynamic[layer] ?? nothing)
    return Object.hasOwn(values, key) ? values[key] : undefined
  }

  /** The key's own value; what stands in for it does not count. */
  text(key: string): string | null {
    const layers: readonly ConfigLayer[] = ['broker', 'cluster', 'static', 'default']
    for (const layer of layers) {
      const value = this.#at(layer, key)
      if (value !== undefined) return value.trim()
    }
    return null
  }

  number(key: string): number {
    return longOf(this.text(key) ?? '0')
  }

  boolean(key: string): boolean {
    return this.text(key)?.toLowerCase() === 'true'
  }

  /** Every key that has a value here, known to Kafka or not. */
  keys(): Set<string> {
    const { broker, cluster } = this.#dynamic
    return new Set([brokerConfigs, this.#given, cluster ?? nothing, broker ?? nothing].flatMap(Object.keys))
  }

  /** What topics without a value of their own get, by the topics' keys; a key without a value has its default. */
  topicDefaults(): Record<string, string> {
    const defaults: Record<string, string> = {}
    for (const [key, definition] of Object.entries(topicConfigs)) {
      const set = definition.brokerKey === undefined ? undefined : this.layers(definition.brokerKey)[0]
      if (set !== undefined && set.layer !== 'default') defaults[key] = canonical(definition, inMilliseconds(set))
    }
    return defaults
  }
}

/** Less than nothing means no limit in every unit. */
export function inMilliseconds({ value, unitMs }: LayeredValue): string {
  if (unitMs === 1) return value
  const count = longOf(value)
  return String(count < 0 ? -1 : count * unitMs)
}

function check(given: ConfigValues): void {
  for (const [key, value] of Object.entries(given)) {
    const definition = brokerDefinition(key)
    if (definition === undefined) {
      throw new OptionError(
        'OPTION_UNKNOWN',
        `config.${key}`,
        `Apache Kafka's brokers have no setting '${key}': check its name.`,
      )
    }
    const problem = valueProblem(definition, key, value)
    if (problem !== undefined)
      throw new OptionError('OPTION_INVALID', `config.${key}`, `A setting of the broker cannot be used. ${problem}.`)
  }
}

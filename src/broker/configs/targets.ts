/**
 * What can be configured while the broker runs: topics, the broker itself, groups, subscriptions to metrics. Each says what
 * its values are now, whether new ones would be right, and keeps them; how a change is put together is the same for all
 * (altering.ts).
 */
import { type Broker, nodeId } from '../broker.ts'
import { Refused } from '../refused.ts'
import { topicNameRefusal } from '../topics/name-refusal.ts'
import { brokerDefinition, type ConfigValues, clusterWideKey, type DynamicLevel } from './broker-configs.ts'
import { clientMetricsProblem } from './client-metrics-configs.ts'
import { type ConfigDefinition, definitionOf, valueProblem } from './definition.ts'
import { groupConfigsProblem } from './group-configs.ts'
import type { ResourceTypeName } from './resource-types.ts'
import { topicConfigs, topicConfigsProblem } from './topic-configs.ts'

export type Configured = Pick<Broker, 'config' | 'metadata' | 'topics'>

export interface ConfigTarget {
  readonly current: ConfigValues
  readonly definition: (key: string) => ConfigDefinition | undefined
  /** Words for an operation on lists, used on a key that is none. */
  readonly notAList: (operation: 'append' | 'subtract', key: string) => string
  /** Throws what is wrong with these values, or with naming these keys. */
  readonly check: (next: ConfigValues, named: readonly string[]) => void
  /** Counts at once; resolves when it is durable. */
  readonly save: (next: ConfigValues) => Promise<void>
}

const notAList = (operation: string, key: string): string =>
  `Can't ${operation.toUpperCase()} to key ${key} because its type is not LIST.`

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new Refused('INVALID_CONFIG', problem)
}

export const configTargets: Readonly<
  Record<Exclude<ResourceTypeName, 'brokerLogger'>, (around: Configured, name: string) => ConfigTarget>
> = {
  topic: ({ topics, config }, name) => {
    const topic = topics.get(name)
    return {
      current: Object.fromEntries(topic?.configs ?? []),
      definition: (key) => definitionOf(topicConfigs, key),
      notAList,
      check: (next) => {
        if (name === '') throw new Refused('INVALID_REQUEST', 'Default topic resources are not allowed.')
        const badName = topicNameRefusal(name)
        if (badName !== undefined) throw badName
        refuseIf(topicConfigsProblem(next, config.topicDefaults()))
        if (topic === undefined) throw new Refused('UNKNOWN_TOPIC_OR_PARTITION', `The topic '${name}' does not exist.`)
      },
      save: (next) => topics.configure(name, next),
    }
  },

  broker: ({ config, metadata, topics }, name) => {
    if (name !== '') checkNodeId(name)
    const level: DynamicLevel = name === '' ? 'cluster' : 'broker'
    return {
      current: config.dynamic[level] ?? {},
      definition: brokerDefinition,
      notAList: (operation, key) => `Config value ${operation} is not allowed for config key: ${key}`,
      check: (next, named) => {
        checkClusterWide(next, named, level)
        checkBrokerConfigs(next, level)
      },
      save: async (next) => {
        config.setDynamic(level, next)
        topics.defaultsChanged()
        await metadata.put('broker-configs', '', config.dynamic)
      },
    }
  },

  group: ({ config, metadata }, name) => {
    if (name === '') throw new Refused('INVALID_REQUEST', 'Default group resources are not allowed.')
    return {
      current: metadata.get('group-configs', name) ?? {},
      definition: () => undefined,
      notAList,
      check: (next) => refuseIf(groupConfigsProblem(next, config)),
      save: (next) => metadata.put('group-configs', name, unlessEmpty(next)),
    }
  },

  clientMetrics: ({ metadata }, name) => {
    if (name === '') throw new Refused('INVALID_REQUEST', "Subscription name can't be empty")
    return {
      current: metadata.get('client-metrics', name) ?? {},
      definition: () => undefined,
      notAList,
      check: (next) => {
        const problem = clientMetricsProblem(next)
        if (problem !== undefined) throw new Refused(problem.error, problem.message)
      },
      save: (next) => metadata.put('client-metrics', name, unlessEmpty(next)),
    }
  },
}

function unlessEmpty(values: ConfigValues): ConfigValues | undefined {
  return Object.keys(values).length === 0 ? undefined : values
}

function checkNodeId(name: string): void {
  if (!/^-?\d+$/.test(name)) throw new Refused('INVALID_REQUEST', `Node id must be an integer, but it is: ${name}`)
  if (Number(name) !== nodeId) {
    throw new Refused('INVALID_REQUEST', `Unexpected broker id, expected ${nodeId}, but received ${name}`)
  }
}

function checkClusterWide(next: ConfigValues, named: readonly string[], level: DynamicLevel): void {
  if (level === 'broker' && named.includes(clusterWideKey)) {
    throw new Refused('INVALID_CONFIG', `Broker-level ${clusterWideKey} cannot be altered while ELR is enabled.`)
  }
  if (level === 'cluster' && !Object.hasOwn(next, clusterWideKey)) {
    throw new Refused('INVALID_CONFIG', `Cluster-level ${clusterWideKey} cannot be removed while ELR is enabled.`)
  }
}

function checkBrokerConfigs(next: ConfigValues, level: DynamicLevel): void {
  const keys = Object.keys(next)
  const plain = keys.filter((key) => !key.startsWith('listener.name.'))
  const refuse = (bad: readonly string[], why: string, set = 'Set'): void => {
    if (bad.length > 0) throw new Refused('INVALID_REQUEST', `${why}: ${set}(${bad.join(', ')})`)
  }
  const scope = (key: string): string => {
    const definition = brokerDefinition(key)
    return definition === undefined ? 'unknown' : (definition.change ?? 'none')
  }
  refuse(
    plain.filter((key) => scope(key) === 'none'),
    'Cannot update these configs dynamically',
  )
  refuse(
    plain.filter((key) => scope(key) === 'listener'),
    'These security configs can be dynamically updated only per-listener using the listener prefix',
    'HashSet',
  )
  for (const key of keys) {
    const definition = brokerDefinition(key)
    // A key that nobody here knows could be a plug-in's: Kafka keeps it too.
    const problem = definition && valueProblem(definition, key, next[key] ?? '')
    if (problem !== undefined) throw new Refused('INVALID_REQUEST', problem)
  }
  if (level === 'cluster') {
    refuse(
      keys.filter((key) => scope(key) === 'broker' || key.startsWith('listener.name.')),
      'Cannot update these configs at default cluster level, broker id must be specified',
    )
  }
}

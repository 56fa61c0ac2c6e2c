/**
 * The configuration keys of a group. What a group does not say, the broker's `group.*` settings say; they also bound what a
 * group may ask for. The keys for share and streams groups, which this broker does not have, are kept for tools.
 */
import type { BrokerConfig, ConfigValues } from './broker-configs.ts'
import { type ConfigTable, configProblem, longOf } from './definition.ts'

function offsetResetRule(value: string): string | undefined {
  if (/^(earliest|latest|by_duration:P\S+)$/.test(value)) return undefined
  const key = 'share.auto.offset.reset'
  return `Invalid value \`${value}\` for configuration ${key}. The value must be either 'earliest', 'latest' or of the format 'by_duration:<PnDTnHnMn.nS>'.`
}

// biome-ignore format: a table is read by its columns
export const groupConfigs: ConfigTable = {
  'consumer.heartbeat.interval.ms': { type: 'int', default: '5000', min: 1, brokerKey: 'group.consumer.heartbeat.interval.ms', doc: 'How often members of the group send a heartbeat.' },
  'consumer.session.timeout.ms': { type: 'int', default: '45000', min: 1, brokerKey: 'group.consumer.session.timeout.ms', doc: 'After so long without a heartbeat a member of the group is gone.' },
  'share.auto.offset.reset': { type: 'string', default: 'latest', rule: offsetResetRule },
  'share.heartbeat.interval.ms': { type: 'int', default: '5000', min: 1, brokerKey: 'group.share.heartbeat.interval.ms' },
  'share.isolation.level': { type: 'string', default: 'read_uncommitted', oneOf: ['read_committed', 'read_uncommitted'] },
  'share.record.lock.duration.ms': { type: 'int', default: '30000', min: 1000, brokerKey: 'group.share.record.lock.duration.ms' },
  'share.session.timeout.ms': { type: 'int', default: '45000', min: 1, brokerKey: 'group.share.session.timeout.ms' },
  'streams.heartbeat.interval.ms': { type: 'int', default: '5000', min: 1, brokerKey: 'group.streams.heartbeat.interval.ms' },
  'streams.num.standby.replicas': { type: 'int', default: '0', min: 0, brokerKey: 'group.streams.num.standby.replicas' },
  'streams.session.timeout.ms': { type: 'int', default: '45000', min: 1, brokerKey: 'group.streams.session.timeout.ms' },
}

export function groupConfig(own: ConfigValues, config: BrokerConfig, key: string): string {
  const definition = groupConfigs[key]
  if (Object.hasOwn(own, key)) return own[key] ?? ''
  return (definition?.brokerKey && config.text(definition.brokerKey)) || definition?.default || ''
}

/** What the consumer protocol needs of a group's configuration. */
export interface GroupSettings {
  readonly heartbeatIntervalMs: number
  readonly sessionTimeoutMs: number
}

export function groupSettings(own: ConfigValues | undefined, config: BrokerConfig): GroupSettings {
  const long = (key: string): number => longOf(groupConfig(own ?? {}, config, key))
  return {
    heartbeatIntervalMs: long('consumer.heartbeat.interval.ms'),
    sessionTimeoutMs: long('consumer.session.timeout.ms'),
  }
}

/** What is wrong with the values of one group. */
export function groupConfigsProblem(own: ConfigValues, config: BrokerConfig): string | undefined {
  for (const [key, value] of Object.entries(own)) {
    const problem = configProblem(groupConfigs, key, value, 'group')
    if (problem !== undefined) return problem
  }
  for (const kind of ['consumer', 'share', 'streams']) {
    const problem = kindProblem(kind, own, config)
    if (problem !== undefined) return problem
  }
  return undefined
}

function kindProblem(kind: string, own: ConfigValues, config: BrokerConfig): string | undefined {
  for (const name of ['heartbeat.interval.ms', 'session.timeout.ms', 'record.lock.duration.ms', 'standby.replicas']) {
    const key = name === 'standby.replicas' ? `${kind}.num.${name}` : `${kind}.${name}`
    if (!Object.hasOwn(own, key)) continue
    const value = longOf(own[key] ?? '')
    const [least, most] = [`group.${kind}.min.${name}`, `group.${kind}.max.${name}`]
    if (config.text(least) !== null && value < config.number(least))
      return `${key} must be greater than or equal to ${least}`
    if (config.text(most) !== null && value > config.number(most)) return `${key} must be less than or equal to ${most}`
  }
  const long = (key: string): number => longOf(groupConfig(own, config, `${kind}.${key}`))
  if (long('heartbeat.interval.ms') >= long('session.timeout.ms')) {
    return `${kind}.session.timeout.ms must be greater than ${kind}.heartbeat.interval.ms`
  }
  return undefined
}

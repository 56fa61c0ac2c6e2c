/**
 * The settings of groups, read from the broker's configuration at every use: a change counts from the next request on.
 */
import type { BrokerConfig } from './configs/broker-configs.ts'
import { groupSettings } from './configs/group-configs.ts'
import { type ConsumerGroupOptions, defaultConsumerGroupOptions } from './groups/consumer/options.ts'
import { migrationPolicyOf } from './groups/migration/policy.ts'
import { defaultGroupOptions, type GroupOptions } from './groups/options.ts'
import type { MetadataStore } from './state/metadata-store.ts'

const minuteMs = 60_000

export function groupOptions(config: BrokerConfig): GroupOptions {
  return {
    ...defaultGroupOptions,
    get groupInitialRebalanceDelayMs() {
      return config.number('group.initial.rebalance.delay.ms')
    },
    get groupMinSessionTimeoutMs() {
      return config.number('group.min.session.timeout.ms')
    },
    get groupMaxSessionTimeoutMs() {
      return config.number('group.max.session.timeout.ms')
    },
    get groupMaxSize() {
      return Math.min(config.number('group.max.size'), defaultGroupOptions.groupMaxSize)
    },
    offsetMetadataMaxChars: config.number('offset.metadata.max.bytes'),
    offsetsRetentionMs: config.number('offsets.retention.minutes') * minuteMs,
    offsetsRetentionCheckIntervalMs: config.number('offsets.retention.check.interval.ms'),
  }
}

export function consumerGroupOptions(config: BrokerConfig, metadata: MetadataStore): ConsumerGroupOptions {
  return {
    ...defaultConsumerGroupOptions,
    get sessionTimeoutMs() {
      return config.number('group.consumer.session.timeout.ms')
    },
    get heartbeatIntervalMs() {
      return config.number('group.consumer.heartbeat.interval.ms')
    },
    ownSettings: (groupId) => groupSettings(metadata.get('group-configs', groupId), config),
    get maxSize() {
      return config.number('group.consumer.max.size')
    },
    get migrationPolicy() {
      return migrationPolicyOf(config.text('group.consumer.migration.policy'))
    },
  }
}

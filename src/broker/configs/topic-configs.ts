/**
 * The configuration keys of a topic, as Apache Kafka 4.1 knows them. Keys that mean nothing to a single broker (throttling of
 * replication, remote storage) are accepted and kept, so that tools which set them work unchanged.
 */
import { type ConfigTable, listOf, longOf } from './definition.ts'

// biome-ignore format: a table is read by its columns
export const topicConfigs: ConfigTable = {
  'segment.bytes': { type: 'int', default: '1073741824', min: 1_048_576, brokerKey: 'log.segment.bytes' },
  'segment.ms': { type: 'long', default: '604800000', min: 1, brokerKey: 'log.roll.ms' },
  'segment.jitter.ms': { type: 'long', default: '0', min: 0, brokerKey: 'log.roll.jitter.ms' },
  'segment.index.bytes': { type: 'int', default: '10485760', min: 4, brokerKey: 'log.index.size.max.bytes' },
  'flush.messages': { type: 'long', default: '9223372036854775807', min: 1, brokerKey: 'log.flush.interval.messages' },
  'flush.ms': { type: 'long', default: '9223372036854775807', min: 0, brokerKey: 'log.flush.interval.ms' },
  'retention.bytes': { type: 'long', default: '-1', brokerKey: 'log.retention.bytes' },
  'retention.ms': { type: 'long', default: '604800000', min: -1, brokerKey: 'log.retention.ms' },
  'max.message.bytes': { type: 'int', default: '1048588', min: 0, brokerKey: 'message.max.bytes' },
  'index.interval.bytes': { type: 'int', default: '4096', min: 0, brokerKey: 'log.index.interval.bytes' },
  'delete.retention.ms': { type: 'long', default: '86400000', min: 0, brokerKey: 'log.cleaner.delete.retention.ms' },
  'min.compaction.lag.ms': { type: 'long', default: '0', min: 0, brokerKey: 'log.cleaner.min.compaction.lag.ms' },
  'max.compaction.lag.ms': { type: 'long', default: '9223372036854775807', min: 1, brokerKey: 'log.cleaner.max.compaction.lag.ms' },
  'file.delete.delay.ms': { type: 'long', default: '60000', min: 0, brokerKey: 'log.segment.delete.delay.ms' },
  'min.cleanable.dirty.ratio': { type: 'double', default: '0.5', min: 0, max: 1, brokerKey: 'log.cleaner.min.cleanable.ratio' },
  'cleanup.policy': { type: 'list', default: 'delete', oneOf: ['compact', 'delete'], brokerKey: 'log.cleanup.policy' },
  'unclean.leader.election.enable': { type: 'boolean', default: 'false', brokerKey: 'unclean.leader.election.enable' },
  'min.insync.replicas': { type: 'int', default: '1', min: 1, brokerKey: 'min.insync.replicas' },
  'compression.type': { type: 'string', default: 'producer', oneOf: ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'], brokerKey: 'compression.type' },
  'compression.gzip.level': { type: 'int', default: '-1', min: -1, max: 9, brokerKey: 'compression.gzip.level' },
  'compression.lz4.level': { type: 'int', default: '9', min: 1, max: 17, brokerKey: 'compression.lz4.level' },
  'compression.zstd.level': { type: 'int', default: '3', min: -131_072, max: 22, brokerKey: 'compression.zstd.level' },
  'preallocate': { type: 'boolean', default: 'false', brokerKey: 'log.preallocate' },
  'message.timestamp.type': { type: 'string', default: 'CreateTime', oneOf: ['CreateTime', 'LogAppendTime'], brokerKey: 'log.message.timestamp.type' },
  'message.timestamp.before.max.ms': { type: 'long', default: '9223372036854775807', min: 0, brokerKey: 'log.message.timestamp.before.max.ms' },
  'message.timestamp.after.max.ms': { type: 'long', default: '3600000', min: 0, brokerKey: 'log.message.timestamp.after.max.ms' },
  'leader.replication.throttled.replicas': { type: 'list', default: '' },
  'follower.replication.throttled.replicas': { type: 'list', default: '' },
  'remote.storage.enable': { type: 'boolean', default: 'false' },
  'local.retention.ms': { type: 'long', default: '-2', min: -2, brokerKey: 'log.local.retention.ms' },
  'local.retention.bytes': { type: 'long', default: '-2', min: -2, brokerKey: 'log.local.retention.bytes' },
  'remote.log.copy.disable': { type: 'boolean', default: 'false' },
  'remote.log.delete.on.disable': { type: 'boolean', default: 'false' },
  // For tests: segments smaller than Kafka allows.
  'internal.segment.bytes': { type: 'int', default: null, min: 1 },
}

export type TopicConfigValues = ReadonlyMap<string, string>

/** The value that counts: the topic's own, else the broker's default. */
export function topicConfig(values: TopicConfigValues, key: string): string {
  return values.get(key) ?? topicConfigs[key]?.default ?? ''
}

export interface TopicSettings {
  readonly segmentBytes: number
  readonly segmentMs: number
  readonly indexIntervalBytes: number
  readonly retentionMs: number
  readonly retentionBytes: number
  readonly cleanupPolicies: ReadonlySet<string>
  readonly deleteRetentionMs: number
  readonly minCompactionLagMs: number
  readonly maxCompactionLagMs: number
  readonly minCleanableDirtyRatio: number
  readonly maxMessageBytes: number
  readonly timestampType: 'CreateTime' | 'LogAppendTime'
  readonly timestampBeforeMaxMs: number
  readonly timestampAfterMaxMs: number
  readonly compressionType: string
  readonly minInsyncReplicas: number
}

/** The values of a topic as numbers. Values were validated when they were set. */
export function topicSettings(values: TopicConfigValues): TopicSettings {
  const long = (key: string): number => longOf(topicConfig(values, key))
  const own = values.get('internal.segment.bytes')
  return {
    segmentBytes: own === undefined ? long('segment.bytes') : Number(own),
    segmentMs: long('segment.ms'),
    indexIntervalBytes: long('index.interval.bytes'),
    retentionMs: long('retention.ms'),
    retentionBytes: long('retention.bytes'),
    cleanupPolicies: new Set(listOf(topicConfig(values, 'cleanup.policy'))),
    deleteRetentionMs: long('delete.retention.ms'),
    minCompactionLagMs: long('min.compaction.lag.ms'),
    maxCompactionLagMs: long('max.compaction.lag.ms'),
    minCleanableDirtyRatio: Number(topicConfig(values, 'min.cleanable.dirty.ratio')),
    maxMessageBytes: long('max.message.bytes'),
    timestampType: topicConfig(values, 'message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: long('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: long('message.timestamp.after.max.ms'),
    compressionType: topicConfig(values, 'compression.type'),
    minInsyncReplicas: long('min.insync.replicas'),
  }
}

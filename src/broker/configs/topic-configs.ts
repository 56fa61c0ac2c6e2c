/**
 * The configuration keys of a topic, as Apache Kafka 4.1 knows them. Keys that mean nothing to a single broker (throttling of
 * replication, remote storage) are accepted and kept, so that tools which set them work unchanged.
 */
import { type ConfigTable, configProblem, doubleOf, listOf, longOf } from './definition.ts'

const compressionTypes = ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'] as const

export function gzipLevelRule(value: string): string | undefined {
  const level = longOf(value)
  return level === -1 || (level >= 1 && level <= 9) ? undefined : 'Value must be between 1 and 9 or equal to -1'
}

function throttledReplicasRule(key: string): (value: string) => string | undefined {
  const format = '[partitionId]:[brokerId],[partitionId]:[brokerId],...'
  return (value) =>
    /^(\*|(\d+:\d+)(,\d+:\d+)*)?$/.test(value)
      ? undefined
      : `${key} must be the literal '*' or a list of replicas in the following format: ${format}`
}

// biome-ignore format: a table is read by its columns
export const topicConfigs: ConfigTable = {
  'cleanup.policy': { type: 'list', default: 'delete', oneOf: ['compact', 'delete'], brokerKey: 'log.cleanup.policy', doc: 'What happens to old records: delete removes segments by age and size, compact keeps the last record of every key. Both may be named, or none.' },
  'compression.gzip.level': { type: 'int', default: '-1', rule: gzipLevelRule, brokerKey: 'compression.gzip.level' },
  'compression.lz4.level': { type: 'int', default: '9', min: 1, max: 17, brokerKey: 'compression.lz4.level' },
  'compression.type': { type: 'string', default: 'producer', oneOf: compressionTypes, brokerKey: 'compression.type', doc: 'Kept for tools. Batches stay as their producer compressed them.' },
  'compression.zstd.level': { type: 'int', default: '3', min: -131_072, max: 22, brokerKey: 'compression.zstd.level' },
  'delete.retention.ms': { type: 'long', default: '86400000', min: 0, brokerKey: 'log.cleaner.delete.retention.ms', doc: 'How long compaction keeps a record that says that its key was deleted.' },
  'file.delete.delay.ms': { type: 'long', default: '60000', min: 0, brokerKey: 'log.segment.delete.delay.ms' },
  'flush.messages': { type: 'long', default: '9223372036854775807', min: 1, brokerKey: 'log.flush.interval.messages', doc: "Kept for tools. The broker's sync policy decides when records are on the disk." },
  'flush.ms': { type: 'long', default: '9223372036854775807', min: 0, brokerKey: 'log.flush.interval.ms', doc: "Kept for tools. The broker's sync policy decides when records are on the disk." },
  'follower.replication.throttled.replicas': { type: 'list', default: '', rule: throttledReplicasRule('follower.replication.throttled.replicas') },
  'index.interval.bytes': { type: 'int', default: '4096', min: 0, brokerKey: 'log.index.interval.bytes', doc: 'About how many bytes of a segment lie between two entries of its index.' },
  'leader.replication.throttled.replicas': { type: 'list', default: '', rule: throttledReplicasRule('leader.replication.throttled.replicas') },
  'local.retention.bytes': { type: 'long', default: '-2', min: -2, brokerKey: 'log.local.retention.bytes' },
  'local.retention.ms': { type: 'long', default: '-2', min: -2, brokerKey: 'log.local.retention.ms' },
  'max.compaction.lag.ms': { type: 'long', default: '9223372036854775807', min: 1, brokerKey: 'log.cleaner.max.compaction.lag.ms', doc: 'The longest time for which a record may wait for compaction.' },
  'max.message.bytes': { type: 'int', default: '1048588', min: 0, brokerKey: 'message.max.bytes', doc: 'The largest batch, as compressed, that the topic takes.' },
  'message.timestamp.after.max.ms': { type: 'long', default: '3600000', min: 0, brokerKey: 'log.message.timestamp.after.max.ms', doc: "How far a record's own time may lie in the broker's future." },
  'message.timestamp.before.max.ms': { type: 'long', default: '9223372036854775807', min: 0, brokerKey: 'log.message.timestamp.before.max.ms', doc: "How far a record's own time may lie in the broker's past." },
  'message.timestamp.type': { type: 'string', default: 'CreateTime', oneOf: ['CreateTime', 'LogAppendTime'], brokerKey: 'log.message.timestamp.type', doc: "Whether a record keeps its producer's time or gets the broker's." },
  'min.cleanable.dirty.ratio': { type: 'double', default: '0.5', min: 0, max: 1, brokerKey: 'log.cleaner.min.cleanable.ratio', doc: 'The share of a log that was never compacted at which it is compacted again.' },
  'min.compaction.lag.ms': { type: 'long', default: '0', min: 0, brokerKey: 'log.cleaner.min.compaction.lag.ms', doc: 'The shortest time for which a record stays before compaction may remove it.' },
  'min.insync.replicas': { type: 'int', default: '1', min: 1, brokerKey: 'min.insync.replicas', doc: 'How many replicas must have a record that is produced with acks=all. There is one.' },
  'preallocate': { type: 'boolean', default: 'false', brokerKey: 'log.preallocate' },
  'remote.log.copy.disable': { type: 'boolean', default: 'false' },
  'remote.log.delete.on.disable': { type: 'boolean', default: 'false' },
  'remote.storage.enable': { type: 'boolean', default: 'false' },
  'retention.bytes': { type: 'long', default: '-1', brokerKey: 'log.retention.bytes', doc: 'How large a partition may grow before its oldest segments are deleted; -1: no limit.' },
  'retention.ms': { type: 'long', default: '604800000', min: -1, brokerKey: 'log.retention.ms', doc: 'How old records may grow before their segment is deleted; -1: no limit.' },
  'segment.bytes': { type: 'int', default: '1073741824', min: 1_048_576, brokerKey: 'log.segment.bytes', doc: 'The size at which a new segment is begun.' },
  'segment.index.bytes': { type: 'int', default: '10485760', min: 4, brokerKey: 'log.index.size.max.bytes' },
  'segment.jitter.ms': { type: 'long', default: '0', min: 0, brokerKey: 'log.roll.jitter.ms' },
  'segment.ms': { type: 'long', default: '604800000', min: 1, brokerKey: 'log.roll.ms', doc: 'The age at which a new segment is begun.' },
  'unclean.leader.election.enable': { type: 'boolean', default: 'false', brokerKey: 'unclean.leader.election.enable' },
  // For tests: segments smaller than Kafka allows. Shown only where it is set.
  'internal.segment.bytes': { type: 'int', default: null, min: 1, doc: 'For tests: the size at which a new segment is begun, without a lower limit.' },
}

export type TopicConfigValues = ReadonlyMap<string, string>

/** The value that counts: the topic's own, else the broker's default. */
export function topicConfig(values: TopicConfigValues, key: string): string {
  return values.get(key) ?? topicConfigs[key]?.default ?? ''
}

/** What is wrong with the values of one topic, each alone and all together. `defaults` are the broker's. */
export function topicConfigsProblem(
  own: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): string | undefined {
  const keys = Object.keys(own)
  const unknown = keys.find((key) => !Object.hasOwn(topicConfigs, key))
  const problems = (unknown === undefined ? keys : [unknown]).map((key) =>
    configProblem(topicConfigs, key, own[key] ?? null),
  )
  return (
    problems.find((problem) => problem !== undefined) ??
    conflict(new Map([...Object.entries(defaults), ...Object.entries(own)]))
  )
}

function conflict(values: TopicConfigValues): string | undefined {
  const lag = (key: string): number => longOf(topicConfig(values, key))
  const [least, most] = ['min.compaction.lag.ms', 'max.compaction.lag.ms'] as const
  if (lag(least) > lag(most)) {
    return `conflict topic config setting ${least} (${topicConfig(values, least)}) > ${most} (${topicConfig(values, most)})`
  }
  if (topicConfig(values, 'remote.storage.enable').trim().toLowerCase() === 'true') {
    return 'Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.'
  }
  return undefined
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
}

/** The values of a topic as numbers. Values were validated when they were set. */
export function topicSettings(values: TopicConfigValues): TopicSettings {
  const text = (key: string): string => topicConfig(values, key).trim()
  const long = (key: string): number => longOf(text(key))
  return {
    segmentBytes: long(values.has('internal.segment.bytes') ? 'internal.segment.bytes' : 'segment.bytes'),
    segmentMs: long('segment.ms'),
    indexIntervalBytes: long('index.interval.bytes'),
    retentionMs: long('retention.ms'),
    retentionBytes: long('retention.bytes'),
    cleanupPolicies: new Set(listOf(text('cleanup.policy'))),
    deleteRetentionMs: long('delete.retention.ms'),
    minCompactionLagMs: long('min.compaction.lag.ms'),
    maxCompactionLagMs: long('max.compaction.lag.ms'),
    minCleanableDirtyRatio: doubleOf(text('min.cleanable.dirty.ratio')),
    maxMessageBytes: long('max.message.bytes'),
    timestampType: text('message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: long('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: long('message.timestamp.after.max.ms'),
    compressionType: text('compression.type'),
  }
}

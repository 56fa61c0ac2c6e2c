/**
 * The broker's settings that mean something here, by Kafka's names. A default differs from Kafka's only where Kafka's is made
 * for a cluster of several machines: fewer partitions of internal topics, one replica, no delay before a first rebalance.
 */
import { type ConfigTable, longOf } from './definition.ts'
import { gzipLevelRule } from './topic-configs.ts'

const compressionTypes = ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'] as const
const minute = 60_000
const hour = 60 * minute

/** Host, port, data directory and users are no settings by name: two places for one truth would contradict each other. */
const fixed = (): string => 'it follows from the options that the broker was started with and cannot be set by its name'

const theOnlyNode = (value: string): string | undefined =>
  longOf(value) === 1 ? undefined : 'there is one broker here, and its number is 1'

const unlimitedOrMore = (value: string): string | undefined =>
  longOf(value) === 0 ? 'it must be unlimited (-1), or at least 1' : undefined

// biome-ignore format: a table is read by its columns
export const usedBrokerConfigs: ConfigTable = {
  'advertised.listeners': { type: 'string', default: null, rule: fixed, doc: 'What clients are told to connect to; set by the options of the broker.' },
  'auto.create.topics.enable': { type: 'boolean', default: 'true', doc: 'Whether a topic that a client mentions is created.' },
  'broker.id': { type: 'int', default: '-1', rule: theOnlyNode, doc: 'The number of this broker.' },
  'compression.gzip.level': { type: 'int', default: '-1', rule: gzipLevelRule, change: 'cluster', doc: 'The default of topics; kept for tools.' },
  'compression.lz4.level': { type: 'int', default: '9', min: 1, max: 17, change: 'cluster', doc: 'The default of topics; kept for tools.' },
  'compression.type': { type: 'string', default: 'producer', oneOf: compressionTypes, change: 'cluster', doc: 'The default of topics; kept for tools.' },
  'compression.zstd.level': { type: 'int', default: '3', min: -131_072, max: 22, change: 'cluster', doc: 'The default of topics; kept for tools.' },
  'connections.max.idle.ms': { type: 'long', default: '600000', doc: 'After so long without a request a connection is closed.' },
  'connections.max.reauth.ms': { type: 'long', default: '0', doc: 'After so long a client has to authenticate again; 0: never.' },
  'default.replication.factor': { type: 'int', default: '1', min: 1, doc: 'How many replicas a topic gets that does not say. More than 1 cannot be had.' },
  'delete.topic.enable': { type: 'boolean', default: 'true', doc: 'Whether topics can be deleted.' },
  'fetch.max.bytes': { type: 'int', default: '57671680', min: 1024, doc: 'The most that one fetch answers with.' },
  'group.consumer.assignors': { type: 'list', default: 'uniform,range', doc: 'The assignors that members of consumer groups can ask for, the default first.' },
  'group.consumer.heartbeat.interval.ms': { type: 'int', default: '5000', min: 1, doc: 'How often members of consumer groups send a heartbeat.' },
  'group.consumer.max.heartbeat.interval.ms': { type: 'int', default: '15000', min: 1, doc: 'The longest heartbeat interval that a group may be given.' },
  'group.consumer.max.session.timeout.ms': { type: 'int', default: '60000', min: 1, doc: 'The longest session that a consumer group may be given.' },
  'group.consumer.max.size': { type: 'int', default: '2147483647', min: 1, doc: 'How many members a consumer group may have.' },
  'group.consumer.migration.policy': { type: 'string', default: 'bidirectional', oneOf: ['disabled', 'downgrade', 'upgrade', 'bidirectional'], doc: 'Which way a group may change its protocol while members are there.' },
  'group.consumer.min.heartbeat.interval.ms': { type: 'int', default: '5000', min: 1, doc: 'The shortest heartbeat interval that a group may be given.' },
  'group.consumer.min.session.timeout.ms': { type: 'int', default: '45000', min: 1, doc: 'The shortest session that a consumer group may be given.' },
  'group.consumer.session.timeout.ms': { type: 'int', default: '45000', min: 1, doc: 'After so long without a heartbeat a member of a consumer group is gone.' },
  'group.initial.rebalance.delay.ms': { type: 'int', default: '0', doc: 'How long an empty classic group waits for more members.' },
  'group.max.session.timeout.ms': { type: 'int', default: '1800000', doc: 'The longest session that a member of a classic group may ask for.' },
  'group.max.size': { type: 'int', default: '2147483647', min: 1, doc: 'How many members a classic group may have.' },
  'group.min.session.timeout.ms': { type: 'int', default: '6000', doc: 'The shortest session that a member of a classic group may ask for.' },
  'listeners': { type: 'string', default: 'PLAINTEXT://:9092', rule: fixed, change: 'broker', doc: 'Where the broker listens; set by its options.' },
  'log.cleaner.backoff.ms': { type: 'long', default: '15000', min: 0, change: 'cluster', doc: 'How often logs are looked at for compaction.' },
  'log.cleaner.delete.retention.ms': { type: 'long', default: '86400000', min: 0, change: 'cluster', doc: 'The default of delete.retention.ms of topics.' },
  'log.cleaner.enable': { type: 'boolean', default: 'true', doc: 'Whether logs are compacted.' },
  'log.cleaner.max.compaction.lag.ms': { type: 'long', default: '9223372036854775807', min: 1, change: 'cluster', doc: 'The default of max.compaction.lag.ms of topics.' },
  'log.cleaner.min.cleanable.ratio': { type: 'double', default: '0.5', min: 0, max: 1, change: 'cluster', doc: 'The default of min.cleanable.dirty.ratio of topics.' },
  'log.cleaner.min.compaction.lag.ms': { type: 'long', default: '0', min: 0, change: 'cluster', doc: 'The default of min.compaction.lag.ms of topics.' },
  'log.cleanup.policy': { type: 'list', default: 'delete', oneOf: ['compact', 'delete'], change: 'cluster', doc: 'The default of cleanup.policy of topics.' },
  'log.dir': { type: 'string', default: '/tmp/kafka-logs', doc: 'Not used: see log.dirs.' },
  'log.dirs': { type: 'string', default: null, rule: fixed, doc: 'The data directory; nothing: everything is in memory. Set by the options of the broker.' },
  'log.flush.interval.messages': { type: 'long', default: '9223372036854775807', min: 1, change: 'cluster', doc: 'The default of flush.messages of topics; kept for tools.' },
  'log.flush.interval.ms': { type: 'long', default: null, change: 'cluster', doc: 'The default of flush.ms of topics; kept for tools.' },
  'log.flush.scheduler.interval.ms': { type: 'long', default: '9223372036854775807', doc: 'Stands in for log.flush.interval.ms.' },
  'log.index.interval.bytes': { type: 'int', default: '4096', min: 0, change: 'cluster', doc: 'The default of index.interval.bytes of topics.' },
  'log.index.size.max.bytes': { type: 'int', default: '10485760', min: 4, change: 'cluster', doc: 'The default of segment.index.bytes of topics; kept for tools.' },
  'log.local.retention.bytes': { type: 'long', default: '-2', min: -2, change: 'cluster', doc: 'The default of local.retention.bytes of topics; kept for tools.' },
  'log.local.retention.ms': { type: 'long', default: '-2', min: -2, change: 'cluster', doc: 'The default of local.retention.ms of topics; kept for tools.' },
  'log.message.timestamp.after.max.ms': { type: 'long', default: '3600000', min: 0, change: 'cluster', doc: 'The default of message.timestamp.after.max.ms of topics.' },
  'log.message.timestamp.before.max.ms': { type: 'long', default: '9223372036854775807', min: 0, change: 'cluster', doc: 'The default of message.timestamp.before.max.ms of topics.' },
  'log.message.timestamp.type': { type: 'string', default: 'CreateTime', oneOf: ['CreateTime', 'LogAppendTime'], change: 'cluster', doc: 'The default of message.timestamp.type of topics.' },
  'log.preallocate': { type: 'boolean', default: 'false', change: 'cluster', doc: 'The default of preallocate of topics; kept for tools.' },
  'log.retention.bytes': { type: 'long', default: '-1', change: 'cluster', doc: 'The default of retention.bytes of topics.' },
  'log.retention.check.interval.ms': { type: 'long', default: '300000', min: 1, doc: 'How often logs are looked at for what is too old or too much.' },
  'log.retention.hours': { type: 'int', default: '168', doc: 'Stands in for log.retention.minutes.' },
  'log.retention.minutes': { type: 'int', default: null, doc: 'Stands in for log.retention.ms.' },
  'log.retention.ms': { type: 'long', default: null, rule: unlimitedOrMore, change: 'cluster', doc: 'The default of retention.ms of topics.' },
  'log.roll.hours': { type: 'int', default: '168', min: 1, doc: 'Stands in for log.roll.ms.' },
  'log.roll.jitter.hours': { type: 'int', default: '0', min: 0, doc: 'Stands in for log.roll.jitter.ms.' },
  'log.roll.jitter.ms': { type: 'long', default: null, min: 0, change: 'cluster', doc: 'The default of segment.jitter.ms of topics; kept for tools.' },
  'log.roll.ms': { type: 'long', default: null, min: 1, change: 'cluster', doc: 'The default of segment.ms of topics.' },
  'log.segment.bytes': { type: 'int', default: '1073741824', min: 1_048_576, change: 'cluster', doc: 'The default of segment.bytes of topics.' },
  'log.segment.delete.delay.ms': { type: 'long', default: '60000', min: 0, change: 'cluster', doc: 'The default of file.delete.delay.ms of topics; kept for tools.' },
  'max.request.partition.size.limit': { type: 'int', default: '2000', min: 1, doc: 'The most partitions that one DescribeTopicPartitions answers with.' },
  'message.max.bytes': { type: 'int', default: '1048588', min: 0, change: 'cluster', doc: 'The default of max.message.bytes of topics.' },
  'min.insync.replicas': { type: 'int', default: '1', min: 1, change: 'cluster', doc: 'The default of min.insync.replicas of topics.' },
  'node.id': { type: 'int', default: null, rule: theOnlyNode, doc: 'The number of this broker.' },
  'num.partitions': { type: 'int', default: '1', min: 1, doc: 'How many partitions a topic gets that does not say.' },
  'offset.metadata.max.bytes': { type: 'int', default: '4096', doc: 'How many UTF-16 units may go with a committed offset.' },
  'offsets.retention.check.interval.ms': { type: 'long', default: '600000', min: 1, doc: 'How often committed offsets are looked at for expired ones.' },
  'offsets.retention.minutes': { type: 'int', default: '10080', min: 1, doc: 'How long the offsets of a group without members are kept.' },
  'offsets.topic.num.partitions': { type: 'int', default: '1', min: 1, doc: 'Always 1 here.' },
  'offsets.topic.replication.factor': { type: 'short', default: '1', min: 1, doc: 'Always 1 here.' },
  'process.roles': { type: 'list', default: null, doc: 'One process is both.' },
  'producer.id.expiration.ms': { type: 'int', default: '86400000', min: 1, change: 'cluster', doc: 'How long a partition remembers an idle producer.' },
  'sasl.enabled.mechanisms': { type: 'list', default: 'GSSAPI', rule: fixed, change: 'broker', doc: 'How clients can authenticate; set by the options of the broker.' },
  'transaction.max.timeout.ms': { type: 'int', default: '900000', min: 1, doc: 'The longest time-out that a transactional producer may ask for.' },
  'transaction.state.log.min.isr': { type: 'int', default: '1', min: 1, doc: 'Always 1 here.' },
  'transaction.state.log.num.partitions': { type: 'int', default: '1', min: 1, doc: 'Always 1 here.' },
  'transaction.state.log.replication.factor': { type: 'short', default: '1', min: 1, doc: 'Always 1 here.' },
  'transactional.id.expiration.ms': { type: 'int', default: '604800000', min: 1, doc: 'How long an idle transactional id is remembered.' },
  'unclean.leader.election.enable': { type: 'boolean', default: 'false', change: 'cluster', doc: 'The default of topics; kept for tools.' },
}

/** Keys that stand in for one another, first choice first, with what their unit is in milliseconds. */
const chains: readonly (readonly (readonly [key: string, unitMs: number])[])[] = [
  [
    ['log.retention.ms', 1],
    ['log.retention.minutes', minute],
    ['log.retention.hours', hour],
  ],
  [
    ['log.roll.ms', 1],
    ['log.roll.hours', hour],
  ],
  [
    ['log.roll.jitter.ms', 1],
    ['log.roll.jitter.hours', hour],
  ],
  [
    ['log.flush.interval.ms', 1],
    ['log.flush.scheduler.interval.ms', 1],
  ],
]

/** All keys that can give `key` its value, itself included. */
export function standIns(key: string): readonly (readonly [key: string, unitMs: number])[] {
  return chains.find((chain) => chain.some(([name]) => name === key)) ?? [[key, 1]]
}

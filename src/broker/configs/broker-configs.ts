/**
 * The settings of the broker by Kafka's names: what `config` of the options may set, what AlterConfigs may change, what
 * DescribeConfigs shows. Only what means something here is listed.
 */
import { type ConfigTable, longOf } from './definition.ts'
import { topicConfigs } from './topic-configs.ts'

// biome-ignore format: a table is read by its columns
export const brokerConfigs: ConfigTable = {
  'advertised.listeners':                    { type: 'string', default: null, readOnly: true },
  'auto.create.topics.enable':               { type: 'boolean', default: 'true' },
  'broker.id':                               { type: 'int', default: '1', readOnly: true },
  'compression.type':                        { type: 'string', default: 'producer', oneOf: ['uncompressed', 'zstd', 'lz4', 'snappy', 'gzip', 'producer'] },
  'connections.max.idle.ms':                 { type: 'long', default: '600000' },
  'default.replication.factor':              { type: 'int', default: '1', readOnly: true },
  'delete.topic.enable':                     { type: 'boolean', default: 'true', readOnly: true },
  'fetch.max.bytes':                         { type: 'int', default: '57671680', min: 1024 },
  'group.consumer.assignors':                { type: 'list', default: 'uniform,range', oneOf: ['uniform', 'range'], readOnly: true },
  'group.consumer.heartbeat.interval.ms':    { type: 'int', default: '5000', min: 1 },
  'group.consumer.max.size':                 { type: 'int', default: '2147483647', min: 1 },
  'group.consumer.migration.policy':         { type: 'string', default: 'bidirectional', oneOf: ['disabled', 'downgrade', 'upgrade', 'bidirectional'], readOnly: true },
  'group.consumer.session.timeout.ms':       { type: 'int', default: '45000', min: 1 },
  'group.initial.rebalance.delay.ms':        { type: 'int', default: '0', min: 0 },
  'group.max.session.timeout.ms':            { type: 'int', default: '1800000', min: 1 },
  'group.max.size':                          { type: 'int', default: '2147483647', min: 1 },
  'group.min.session.timeout.ms':            { type: 'int', default: '6000', min: 1 },
  'listeners':                               { type: 'string', default: null, readOnly: true },
  'log.cleaner.backoff.ms':                  { type: 'long', default: '15000', min: 0 },
  'log.cleaner.delete.retention.ms':         { type: 'long', default: '86400000', min: 0 },
  'log.cleaner.enable':                      { type: 'boolean', default: 'true' },
  'log.cleaner.max.compaction.lag.ms':       { type: 'long', default: '9223372036854775807', min: 1 },
  'log.cleaner.min.cleanable.ratio':         { type: 'double', default: '0.5', min: 0, max: 1 },
  'log.cleaner.min.compaction.lag.ms':       { type: 'long', default: '0', min: 0 },
  'log.cleanup.policy':                      { type: 'list', default: 'delete', oneOf: ['compact', 'delete'] },
  'log.dirs':                                { type: 'string', default: null, readOnly: true },
  'log.flush.interval.messages':             { type: 'long', default: '9223372036854775807', min: 1 },
  'log.flush.interval.ms':                   { type: 'long', default: null },
  'log.index.interval.bytes':                { type: 'int', default: '4096', min: 0 },
  'log.index.size.max.bytes':                { type: 'int', default: '10485760', min: 4 },
  'log.message.timestamp.after.max.ms':      { type: 'long', default: '3600000', min: 0 },
  'log.message.timestamp.before.max.ms':     { type: 'long', default: '9223372036854775807', min: 0 },
  'log.message.timestamp.type':              { type: 'string', default: 'CreateTime', oneOf: ['CreateTime', 'LogAppendTime'] },
  'log.preallocate':                         { type: 'boolean', default: 'false' },
  'log.retention.bytes':                     { type: 'long', default: '-1' },
  'log.retention.check.interval.ms':         { type: 'long', default: '300000', min: 1, readOnly: true },
  'log.retention.ms':                        { type: 'long', default: '604800000', min: -1 },
  'log.roll.jitter.ms':                      { type: 'long', default: '0', min: 0 },
  'log.roll.ms':                             { type: 'long', default: '604800000', min: 1 },
  'log.segment.bytes':                       { type: 'int', default: '1073741824', min: 1_048_576 },
  'log.segment.delete.delay.ms':             { type: 'long', default: '60000', min: 0 },
  'max.incremental.fetch.session.cache.slots': { type: 'int', default: '1000', min: 0, readOnly: true },
  'message.max.bytes':                       { type: 'int', default: '1048588', min: 0 },
  'min.insync.replicas':                     { type: 'int', default: '1', min: 1 },
  'node.id':                                 { type: 'int', default: '1', readOnly: true },
  'num.partitions':                          { type: 'int', default: '1', min: 1 },
  'offset.metadata.max.bytes':               { type: 'int', default: '4096', min: 0, readOnly: true },
  'offsets.retention.check.interval.ms':     { type: 'long', default: '600000', min: 1, readOnly: true },
  'offsets.retention.minutes':               { type: 'int', default: '10080', min: 1, readOnly: true },
  'offsets.topic.num.partitions':            { type: 'int', default: '1', min: 1, readOnly: true },
  'producer.id.expiration.ms':               { type: 'int', default: '86400000', min: 1 },
  'socket.request.max.bytes':                { type: 'int', default: '104857600', min: 1, readOnly: true },
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': { type: 'int', default: '10000', min: 1, readOnly: true },
  'transaction.max.timeout.ms':              { type: 'int', default: '900000', min: 1, readOnly: true },
  'transaction.state.log.num.partitions':    { type: 'int', default: '1', min: 1, readOnly: true },
  'transactional.id.expiration.ms':          { type: 'int', default: '604800000', min: 1, readOnly: true },
  'unclean.leader.election.enable':          { type: 'boolean', default: 'false' },
}

/** The broker's configuration as it stands: what was changed while it runs, else its options, else the default. */
export class BrokerConfig {
  readonly #given: Readonly<Record<string, string>>
  #dynamic: Readonly<Record<string, string>>

  constructor(given: Readonly<Record<string, string>>, dynamic: Readonly<Record<string, string>>) {
    this.#given = given
    this.#dynamic = dynamic
  }

  get dynamic(): Readonly<Record<string, string>> {
    return this.#dynamic
  }

  setDynamic(values: Readonly<Record<string, string>>): void {
    this.#dynamic = values
  }

  /** Where a value comes from, for DescribeConfigs. */
  source(key: string): 'dynamic' | 'static' | 'default' {
    if (Object.hasOwn(this.#dynamic, key)) return 'dynamic'
    return Object.hasOwn(this.#given, key) ? 'static' : 'default'
  }

  text(key: string): string | null {
    if (Object.hasOwn(this.#dynamic, key)) return this.#dynamic[key] ?? null
    if (Object.hasOwn(this.#given, key)) return this.#given[key] ?? null
    return brokerConfigs[key]?.default ?? null
  }

  number(key: string): number {
    return longOf(this.text(key) ?? '0')
  }

  /** What topics without a value of their own get, by the topics' keys. */
  topicDefaults(): Record<string, string> {
    const defaults: Record<string, string> = {}
    for (const [key, { brokerKey }] of Object.entries(topicConfigs)) {
      const value = brokerKey === undefined || this.source(brokerKey) === 'default' ? null : this.text(brokerKey)
      if (value !== null) defaults[key] = value
    }
    return defaults
  }

  boolean(key: string): boolean {
    return this.text(key)?.toLowerCase() === 'true'
  }
}

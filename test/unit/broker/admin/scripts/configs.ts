/** Configuration, described and altered: DescribeConfigs, AlterConfigs, IncrementalAlterConfigs, ListConfigResources. */
import { createTopicsApi } from '../../../../../src/protocol/generated/19-create-topics.ts'
import {
  type DescribeConfigsResponse,
  describeConfigsApi,
} from '../../../../../src/protocol/generated/32-describe-configs.ts'
import { alterConfigsApi } from '../../../../../src/protocol/generated/33-alter-configs.ts'
import { incrementalAlterConfigsApi } from '../../../../../src/protocol/generated/44-incremental-alter-configs.ts'
import { listConfigResourcesApi } from '../../../../../src/protocol/generated/74-list-config-resources.ts'
import type { Conversation, Script } from '../transcript.ts'
import { newTopic } from './topics.ts'

const types = { unknown: 0, any: 1, topic: 2, broker: 4, logger: 8, metrics: 16, group: 32, none: 99 } as const
const ops = { set: 0, delete: 1, append: 2, subtract: 3 } as const

type Op = readonly [name: string, op: keyof typeof ops, value?: string | null]

function describe(
  to: Conversation,
  say: string,
  type: number,
  name: string,
  keys: string[] | null,
  more = {},
  version = 4,
) {
  const resources = [{ resourceType: type, resourceName: name, configurationKeys: keys }]
  return to.ask(say, describeConfigsApi, version, { resources, includeSynonyms: true, ...more })
}

function change(to: Conversation, say: string, type: number, name: string, list: readonly Op[], more = {}) {
  const configs = list.map(([key, op, value = null]) => ({ name: key, configOperation: ops[op], value }))
  const resources = [{ resourceType: type, resourceName: name, configs }]
  return to.ask(say, incrementalAlterConfigsApi, 1, { resources, ...more })
}

function replace(
  to: Conversation,
  say: string,
  type: number,
  name: string,
  values: [string, string | null][],
  more = {},
) {
  const configs = values.map(([key, value]) => ({ name: key, value }))
  return to.ask(say, alterConfigsApi, 2, { resources: [{ resourceType: type, resourceName: name, configs }], ...more })
}

/** Only keys that somebody has set. */
async function setKeys(to: Conversation, type: number, name: string): Promise<void> {
  await to.settle()
  const resources = [{ resourceType: type, resourceName: name, configurationKeys: null }]
  const isSet = (source: number): boolean => source !== 4 && source !== 5
  const pick = ({ results }: DescribeConfigsResponse): unknown =>
    results[0]!.configs.filter(({ configSource }) => isSet(configSource))
  await to.ask('what is set now', describeConfigsApi, 4, { resources, includeSynonyms: true }, pick)
}

export const described: Script = async (to) => {
  await newTopic(to, 'described', 1, { 'retention.ms': '5000', 'min.cleanable.dirty.ratio': ' 5e-1' })
  await to.settle()
  for (const version of [1, 2, 3, 4]) {
    await describe(to, 'two keys', types.topic, 'described', ['retention.ms', 'segment.bytes', 'foo'], {}, version)
  }
  await describe(to, 'no synonyms', types.topic, 'described', ['retention.ms'], { includeSynonyms: false })
  await describe(to, 'documented', types.topic, 'described', null, { includeDocumentation: true })
  await describe(to, 'no keys', types.topic, 'described', [])
  await describe(to, 'no such key', types.topic, 'described', ['foo'])
  await describe(to, 'unknown topic', types.topic, 'nope', null)
  await describe(to, 'illegal topic', types.topic, 'bad name', null)
  await describe(to, 'topic without a name', types.topic, '', null)
  await describe(to, 'another broker', types.broker, '2', null)
  await describe(to, 'no number of a broker', types.broker, 'x', null)
  await describe(to, 'the default of brokers', types.broker, '', null)
  await describe(to, 'a group', types.group, 'any', null, { includeDocumentation: true })
  await describe(to, 'a group without a name', types.group, '', null)
  await describe(to, 'a subscription', types.metrics, 'any', null, { includeDocumentation: true })
  await describe(to, 'a subscription without a name', types.metrics, '', null)
  const resources = ['retention.ms', 'segment.ms'].map((key) => ({
    resourceType: types.topic,
    resourceName: 'described',
    configurationKeys: [key, key],
  }))
  await to.ask('the same topic twice', describeConfigsApi, 4, { resources })
}

/** Every key of the broker: its type, whether it can be changed, whether it is a secret, and its default. */
export const brokerTable: Script = async (to) => {
  const resources = [{ resourceType: types.broker, resourceName: '1', configurationKeys: null }]
  const request = { resources, includeSynonyms: true, includeDocumentation: true }
  await to.ask('everything about the broker', describeConfigsApi, 4, request, ({ results }) =>
    results[0]!.configs.map(({ name, configType, readOnly, isSensitive, synonyms, documentation }) => ({
      name,
      configType,
      readOnly,
      isSensitive,
      documentation,
      default: synonyms.find((synonym) => synonym.source === 5 && synonym.name === name)?.value ?? null,
    })),
  )
}

export const topicChanges: Script = async (to) => {
  const topic = 'changed'
  await newTopic(to, topic, 1, { 'retention.ms': '5000' })
  const alter = (say: string, list: readonly Op[], more = {}) => change(to, say, types.topic, topic, list, more)
  const now = () => setKeys(to, types.topic, topic)
  await alter('set', [['retention.bytes', 'set', '77']])
  await now()
  await alter('delete', [['retention.bytes', 'delete']])
  await alter('delete what is not set', [['retention.bytes', 'delete', 'x']])
  await now()
  await alter('append to the default', [['cleanup.policy', 'append', 'compact']])
  await now()
  await alter('append again', [['cleanup.policy', 'append', 'compact']])
  await alter('subtract', [['cleanup.policy', 'subtract', 'delete']])
  await now()
  await alter('subtract the last', [['cleanup.policy', 'subtract', 'compact']])
  await now()
  await alter('subtract what is not there', [['cleanup.policy', 'subtract', 'compact']])
  await alter('append two', [['cleanup.policy', 'append', 'compact,delete']])
  await now()
  await alter('append what is not allowed', [['cleanup.policy', 'append', 'foo']])
  await alter('append to a number', [['retention.ms', 'append', '1']])
  await alter('subtract from a number', [['retention.ms', 'subtract', '1']])
  await alter('set an unknown key', [['foo', 'set', '1']])
  await alter('append to an unknown key', [['foo', 'append', '1']])
  await alter('delete an unknown key', [['foo', 'delete']])
  await alter('set to nothing', [['retention.ms', 'set', null]])
  await alter('append nothing', [['cleanup.policy', 'append', null]])
  await alter('a key twice', [
    ['retention.ms', 'set', '1'],
    ['retention.ms', 'delete'],
  ])
  await alter('a wrong value', [['retention.ms', 'set', 'x']])
  await alter('a wrong value beside a right one', [
    ['retention.ms', 'set', 'x'],
    ['segment.ms', 'set', '500'],
  ])
  await alter('two that contradict', [
    ['min.compaction.lag.ms', 'set', '10'],
    ['max.compaction.lag.ms', 'set', '5'],
  ])
  await alter('only validated', [['segment.ms', 'set', '500']], { validateOnly: true })
  await alter('only validated, and wrong', [['segment.ms', 'set', 'x']], { validateOnly: true })
  await alter('nothing', [])
  await now()
  await alter('with spaces', [['retention.ms', 'set', ' 7 ']])
  await now()
  const set: readonly Op[] = [['retention.ms', 'set', '1']]
  await change(to, 'unknown topic', types.topic, 'nope', set)
  await change(to, 'unknown topic, wrong value', types.topic, 'nope', [['retention.ms', 'set', 'x']])
  await change(to, 'unknown topic, no list', types.topic, 'nope', [['retention.ms', 'append', 'x']])
  await change(to, 'illegal topic', types.topic, 'bad name', set)
  await change(to, 'topic without a name', types.topic, '', set)
  for (const type of [types.unknown, types.any, types.none]) await change(to, `type ${type}`, type, topic, set)
  const config = (name: string, value: string) => ({ name, configOperation: 0, value })
  const resource = (resourceName: string, configs: object[]) => ({ resourceType: types.topic, resourceName, configs })
  await to.ask('a topic twice, and another', incrementalAlterConfigsApi, 1, {
    resources: [
      resource(topic, [config('retention.ms', '1')]),
      resource(topic, [config('segment.ms', '1')]),
      { resourceType: types.broker, resourceName: '1', configs: [] },
    ],
  })
  await to.ask('one is refused', incrementalAlterConfigsApi, 0, {
    resources: [resource('nope', [config('retention.ms', '1')]), resource(topic, [config('segment.ms', '1000')])],
  })
  await now()

  const all = (say: string, values: [string, string | null][], more = {}) =>
    replace(to, say, types.topic, topic, values, more)
  await all('replace', [['retention.bytes', '9']])
  await now()
  await all('only validated', [], { validateOnly: true })
  await all('to nothing', [['retention.bytes', null]])
  await all('an unknown key', [['foo', '1']])
  await all('a key twice', [
    ['retention.bytes', '9'],
    ['retention.bytes', '10'],
  ])
  await all('a wrong value', [['retention.ms', 'x']])
  await now()
  await all('empty', [])
  await now()
  await replace(to, 'unknown topic', types.topic, 'nope', [])
  await replace(to, 'illegal topic', types.topic, 'bad name', [])
  await replace(to, 'topic without a name', types.topic, '', [])
  for (const type of [types.unknown, types.logger, types.none]) await replace(to, `type ${type}`, type, '1', [])
}

export const brokerChanges: Script = async (to) => {
  const topic = 'follows-the-broker'
  const key = 'log.retention.ms'
  await newTopic(to, topic)
  const alter = (say: string, name: string, list: readonly Op[], more = {}) =>
    change(to, say, types.broker, name, list, more)
  const now = async () => {
    await setKeys(to, types.broker, '1')
    await setKeys(to, types.broker, '')
    await describe(to, 'the topic', types.topic, topic, ['retention.ms', 'cleanup.policy'])
  }
  await alter('set for all', '', [[key, 'set', '1000']])
  await now()
  await alter('set for this one', '1', [[key, 'set', ' 2000']])
  await now()
  await change(to, 'set for the topic', types.topic, topic, [['retention.ms', 'set', '3000']])
  await now()
  await alter('delete for this one', '1', [[key, 'delete']])
  await now()
  const list = [{ name: 'created-then', numPartitions: 1, replicationFactor: 1 }]
  await to.ask('a new topic', createTopicsApi, 7, { topics: list, timeoutMs: 30_000 })
  for (const name of ['1', '']) {
    const where = name === '' ? 'for all' : 'for this one'
    await alter(`read-only ${where}`, name, [['num.partitions', 'set', '3']])
    await alter(`also read-only ${where}`, name, [['log.retention.hours', 'set', '3']])
    await alter(`delete read-only ${where}`, name, [['num.partitions', 'delete']])
    await alter(`wrong ${where}`, name, [[key, 'set', 'x']])
    await alter(`too small ${where}`, name, [['log.segment.bytes', 'set', '1']])
    await alter(`append ${where}`, name, [['log.cleanup.policy', 'append', 'compact']])
    await alter(`append to a number ${where}`, name, [[key, 'append', '5']])
    await alter(`subtract from a number ${where}`, name, [[key, 'subtract', '5']])
    await alter(`unknown ${where}`, name, [['foo', 'set', 'bar']])
    await alter(`threads ${where}`, name, [['num.io.threads', 'set', '9']])
    await alter(`too few threads ${where}`, name, [['num.io.threads', 'set', '0']])
    await alter(`a secret of a listener ${where}`, name, [['ssl.keystore.password', 'set', 'x']])
    await alter(`only for one broker ${where}`, name, [['sasl.kerberos.service.name', 'set', 'x']], {
      validateOnly: true,
    })
    await alter(`a rate ${where}`, name, [['leader.replication.throttled.rate', 'set', '1000']])
    await alter(`no rate ${where}`, name, [['leader.replication.throttled.rate', 'set', '-1']])
    await now()
  }
  await alter('only validated', '1', [[key, 'set', '1']], { validateOnly: true })
  await alter('for a listener', '1', [['listener.name.plaintext.ssl.keystore.type', 'set', 'JKS']])
  await now()
  await alter('another broker', '2', [[key, 'set', '1']])
  await alter('no number', 'x', [[key, 'set', '1']])
  await replace(to, 'null', types.broker, '1', [['log.roll.ms', null]])
  await replace(to, 'read-only', types.broker, '1', [['num.partitions', '3']])
  await replace(to, 'another broker', types.broker, '2', [])
  await replace(to, 'replace for this one', types.broker, '1', [['log.roll.ms', '99999']])
  const clusterWide = 'min.insync.replicas'
  await replace(to, 'replace for all, but what has to stay', types.broker, '', [['message.max.bytes', '2000000']])
  await replace(to, 'a broker of its own mind', types.broker, '1', [[clusterWide, '1']])
  await alter('a broker of its own mind', '1', [[clusterWide, 'set', '1']])
  await alter('nothing to delete', '1', [[clusterWide, 'delete', null]])
  await alter('delete what has to stay', '', [[clusterWide, 'delete', null]])
  await alter('change what has to stay', '', [[clusterWide, 'set', '2']])
  await replace(to, 'replace for all', types.broker, '', [
    ['message.max.bytes', '2000000'],
    [clusterWide, '1'],
  ])
  await now()
  await replace(to, 'clear', types.broker, '1', [])
  await replace(to, 'clear', types.broker, '', [[clusterWide, '1']])
  await now()
}

export const otherChanges: Script = async (to) => {
  const group = (say: string, list: readonly Op[], name = 'configured') => change(to, say, types.group, name, list)
  await group('set', [['consumer.session.timeout.ms', 'set', '50000']])
  await setKeys(to, types.group, 'configured')
  await group('too short', [['consumer.session.timeout.ms', 'set', '5']])
  await group('too long', [['consumer.session.timeout.ms', 'set', '5000000']])
  await group('too often', [['consumer.heartbeat.interval.ms', 'set', '5']])
  await group('negative', [['consumer.heartbeat.interval.ms', 'set', '-5']])
  await group('unknown', [['foo', 'set', '5']])
  await group('wrong', [['consumer.session.timeout.ms', 'set', 'x']])
  await group('append', [['consumer.session.timeout.ms', 'append', '1']])
  await group('many standbys', [['streams.num.standby.replicas', 'set', '3']])
  await group('a lock that is too long', [['share.record.lock.duration.ms', 'set', '3000000']])
  await group('no place', [['share.auto.offset.reset', 'set', 'x']])
  await group('a place', [['share.auto.offset.reset', 'set', 'earliest']])
  await group('without a name', [['consumer.session.timeout.ms', 'set', '50000']], '')
  await replace(to, 'another group', types.group, 'replaced', [['share.isolation.level', 'read_committed']])
  await setKeys(to, types.group, 'replaced')
  await to.ask('groups', listConfigResourcesApi, 1, { resourceTypes: [types.group] })
  await group('delete', [
    ['consumer.session.timeout.ms', 'delete'],
    ['share.auto.offset.reset', 'delete'],
  ])
  await setKeys(to, types.group, 'configured')

  const metrics = (say: string, list: readonly Op[], name = 'subscribed') => change(to, say, types.metrics, name, list)
  await metrics('set', [
    ['metrics', 'set', 'org.apache.kafka.producer.,foo'],
    ['interval.ms', 'set', '1000'],
    ['match', 'set', 'client_id=.*, client_software_name=a'],
  ])
  await setKeys(to, types.metrics, 'subscribed')
  await metrics('append', [['metrics', 'append', 'bar']])
  await metrics('too often', [['interval.ms', 'set', '10']])
  await metrics('too seldom', [['interval.ms', 'set', '3600001']])
  await metrics('wrong', [['interval.ms', 'set', 'x']])
  await metrics('match what is not known', [['match', 'set', 'foo=.*']])
  await metrics('match no pattern', [['match', 'set', 'client_id=[']])
  await metrics('match nothing', [['match', 'set', 'x']])
  await metrics('unknown', [['foo', 'set', 'x']])
  await metrics('without a name', [['interval.ms', 'set', '1000']], '')
  await to.settle()
  await to.ask('subscriptions', listConfigResourcesApi, 1, { resourceTypes: [types.metrics] })
  await to.ask('subscriptions, as it was then', listConfigResourcesApi, 0, {})
  await metrics('delete', [
    ['interval.ms', 'delete'],
    ['match', 'delete'],
    ['metrics', 'delete'],
  ])
  await setKeys(to, types.metrics, 'subscribed')
  await to.ask('no subscriptions', listConfigResourcesApi, 0, {})
  for (const type of [types.broker, types.logger, types.unknown, types.any, types.none]) {
    await to.ask(`type ${type}`, listConfigResourcesApi, 1, { resourceTypes: [type] })
  }
  await to.ask('one type is unknown', listConfigResourcesApi, 1, { resourceTypes: [types.topic, types.none] })

  const logger = (say: string, list: readonly Op[], name = '1') => change(to, say, types.logger, name, list)
  await logger('set', [['root', 'set', 'WARN']])
  await describe(to, 'the logger', types.logger, '1', ['root'])
  await logger('no level', [['root', 'set', 'BOO']])
  await logger('no logger', [['nope', 'set', 'INFO']])
  await logger('append', [['root', 'append', 'INFO']])
  await logger('another broker', [['root', 'set', 'INFO']], '2')
}

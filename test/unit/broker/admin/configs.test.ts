/** Configuration without a broker around it: what values are, where they come from, what topics inherit. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BrokerConfig, brokerConfigs } from '../../../../src/broker/configs/broker-configs.ts'
import { canonical, configProblem, doubleOf, longOf, valueProblem } from '../../../../src/broker/configs/definition.ts'
import { brokerEntries, creationEntries, topicEntries } from '../../../../src/broker/configs/entries.ts'
import { groupConfigs, groupSettings } from '../../../../src/broker/configs/group-configs.ts'
import { topicConfigs, topicSettings } from '../../../../src/broker/configs/topic-configs.ts'

describe('values', () => {
  const definition = (key: string) => topicConfigs[key]!

  test('are printed as they were read', () => {
    assert.equal(canonical(definition('retention.ms'), ' +7 '), '7')
    assert.equal(canonical(definition('retention.ms'), '9223372036854775807'), '9223372036854775807')
    assert.equal(canonical(definition('preallocate'), 'TRUE'), 'true')
    assert.equal(canonical(definition('cleanup.policy'), ' compact , delete'), 'compact,delete')
    assert.equal(canonical(definition('cleanup.policy'), ' '), '')
  })

  test('doubles are printed as Java does', () => {
    const cases = {
      '0': '0.0',
      '1': '1.0',
      '0.5d': '0.5',
      '5e-1': '0.5',
      '1e300': '1.0E300',
      '12345678': '1.2345678E7',
      '0.0001': '1.0E-4',
    }
    for (const [given, printed] of Object.entries(cases)) {
      assert.equal(canonical({ type: 'double', default: null }, given), printed)
    }
  })

  test('numbers beyond all use are infinite, what is none is none', () => {
    assert.equal(longOf('9223372036854775807'), Number.POSITIVE_INFINITY)
    assert.equal(longOf(' -1 '), -1)
    assert.ok(Number.isNaN(doubleOf('NaN')))
    assert.ok(Number.isNaN(doubleOf('1,5')))
    assert.match(valueProblem(definition('min.cleanable.dirty.ratio'), 'k', 'NaN') ?? '', /Not a number of type DOUBLE/)
  })

  test('names of things that every object has are no keys', () => {
    for (const key of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      assert.equal(configProblem(topicConfigs, key, '1'), `Unknown topic config name: ${key}`)
      assert.throws(() => new BrokerConfig({ [key]: '1' }, {}), { code: 'OPTION_UNKNOWN' })
    }
  })

  test('every default is a legal value of its key', () => {
    const fixed = new Set(['listeners', 'sasl.enabled.mechanisms', 'broker.id'])
    for (const table of [topicConfigs, brokerConfigs, groupConfigs]) {
      for (const [key, own] of Object.entries(table)) {
        if (own.default !== null && !fixed.has(key)) assert.equal(valueProblem(own, key, own.default), undefined)
      }
    }
  })
})

describe('layers', () => {
  const given = {
    'log.retention.hours': '24',
    'log.segment.bytes': '2097152',
    'log.roll.ms': '1000000',
    'log.cleanup.policy': 'compact, delete',
    'log.flush.interval.ms': '1000',
    'num.partitions': '3',
  }

  test('the nearest counts', () => {
    const config = new BrokerConfig(given, { cluster: { 'log.segment.bytes': '3000000' } })
    assert.equal(config.number('num.partitions'), 3)
    assert.equal(config.number('log.segment.bytes'), 3_000_000)
    config.setDynamic('broker', { 'log.segment.bytes': '4000000' })
    assert.equal(config.number('log.segment.bytes'), 4_000_000)
    config.setDynamic('broker', {})
    config.setDynamic('cluster', {})
    assert.equal(config.number('log.segment.bytes'), 2_097_152)
    assert.deepEqual(config.dynamic, { broker: {}, cluster: {} })
  })

  test('one key always has a value for the whole cluster, at first that of the options', () => {
    const key = 'min.insync.replicas'
    assert.deepEqual(new BrokerConfig({}, {}).dynamic, { broker: {}, cluster: { [key]: '1' } })
    assert.deepEqual(new BrokerConfig({ [key]: '2' }, {}).dynamic.cluster, { [key]: '2' })
    const kept = new BrokerConfig({ [key]: '2' }, { cluster: { [key]: '3' }, broker: { [key]: '4' } })
    assert.deepEqual(kept.dynamic, { broker: {}, cluster: { [key]: '3' } })
  })

  test('topics inherit, whatever the unit', () => {
    const config = new BrokerConfig(given, {})
    assert.deepEqual(config.topicDefaults(), {
      'cleanup.policy': 'compact,delete',
      'flush.ms': '1000',
      'min.insync.replicas': '1',
      'retention.ms': '86400000',
      'segment.bytes': '2097152',
      'segment.ms': '1000000',
    })
    config.setDynamic('cluster', { 'log.retention.ms': '5' })
    assert.equal(config.topicDefaults()['retention.ms'], '5')
    const forEver = new BrokerConfig({ 'log.retention.minutes': '-1' }, {})
    assert.equal(forEver.topicDefaults()['retention.ms'], '-1')
  })

  // What Apache Kafka 4.1.1 answers with these very settings in its server.properties.
  test('a described topic tells where its values come from', () => {
    const entries = topicEntries(new Map([['segment.bytes', '5000000']]), new BrokerConfig(given, {}))
    const shown = (key: string): string => {
      const entry = entries.find(({ name }) => name === key)!
      const synonyms = entry.synonyms.map(({ name, value, source }) => `${name}=${value}@${source}`)
      return `${entry.value}@${entry.configSource} ${synonyms.join(' ')}`.trim()
    }
    assert.equal(
      shown('segment.bytes'),
      '5000000@1 segment.bytes=5000000@1 log.segment.bytes=2097152@4 log.segment.bytes=1073741824@5',
    )
    assert.equal(
      shown('cleanup.policy'),
      'compact,delete@4 log.cleanup.policy=compact, delete@4 log.cleanup.policy=delete@5',
    )
    assert.equal(shown('retention.ms'), '86400000@5')
    assert.equal(shown('segment.ms'), '1000000@4 log.roll.ms=1000000@4 log.roll.hours=168@5')
    assert.equal(
      shown('flush.ms'),
      '1000@4 log.flush.interval.ms=1000@4 log.flush.scheduler.interval.ms=9223372036854775807@5',
    )
    assert.equal(shown('segment.jitter.ms'), '0@5')
  })

  test('a created topic tells it in its own way', () => {
    const entries = creationEntries(new Map(), new BrokerConfig(given, {}))
    const set = entries.filter(({ configSource }) => configSource !== 5)
    assert.deepEqual(
      set.map(({ name, value, configSource }) => `${name}=${value}@${configSource}`),
      [
        'cleanup.policy=compact, delete@4',
        'flush.ms=1000@4',
        'min.insync.replicas=1@3',
        'retention.ms=86400000@4',
        'segment.bytes=2097152@4',
        'segment.ms=1000000@4',
      ],
    )
  })

  test('what follows from the options is shown as given', () => {
    const entries = brokerEntries(new BrokerConfig(given, {}), { 'log.dirs': '/data' })
    const dirs = entries.find(({ name }) => name === 'log.dirs')!
    assert.equal(dirs.value, '/data')
    assert.equal(dirs.configSource, 4)
    const minutes = entries.find(({ name }) => name === 'log.retention.minutes')!
    assert.equal(minutes.value, null)
    assert.deepEqual(minutes.synonyms, [])
  })

  test('secrets are never shown', () => {
    const secret = 'hush-hush-7'
    const keys = ['ssl.keystore.password', 'listener.name.x.scram-sha-256.sasl.jaas.config', 'my.plug-in']
    const cluster = Object.fromEntries(keys.map((key) => [key, secret]))
    const entries = brokerEntries(new BrokerConfig({}, { cluster }), {})
    assert.equal(JSON.stringify(entries).includes(secret), false)
    for (const key of keys) assert.equal(entries.find(({ name }) => name === key)?.isSensitive, true)
  })

  test('options are checked', () => {
    assert.throws(() => new BrokerConfig({ foo: '1' }, {}), { code: 'OPTION_UNKNOWN', option: 'config.foo' })
    const wrong = { 'num.partitions': '0', 'log.segment.bytes': 'x', listeners: 'PLAINTEXT://:1', 'node.id': '2' }
    for (const [key, value] of Object.entries(wrong)) {
      assert.throws(() => new BrokerConfig({ [key]: value }, {}), { code: 'OPTION_INVALID', option: `config.${key}` })
    }
    assert.doesNotThrow(() => new BrokerConfig({ 'node.id': '1', 'num.io.threads': '4' }, {}))
  })
})

test('a group has its own settings, or those of the broker', () => {
  const config = new BrokerConfig({ 'group.consumer.session.timeout.ms': '50000' }, {})
  assert.deepEqual(groupSettings(undefined, config), { heartbeatIntervalMs: 5_000, sessionTimeoutMs: 50_000 })
  const own = { 'consumer.heartbeat.interval.ms': '7000' }
  assert.deepEqual(groupSettings(own, config), { heartbeatIntervalMs: 7_000, sessionTimeoutMs: 50_000 })
})

test('the settings of a topic are numbers, however they were written', () => {
  const settings = topicSettings(
    new Map([
      ['retention.ms', ' +7 '],
      ['min.cleanable.dirty.ratio', '.25d'],
      ['cleanup.policy', 'compact , delete'],
      ['message.timestamp.type', ' LogAppendTime '],
      ['internal.segment.bytes', '14'],
    ]),
  )
  assert.equal(settings.retentionMs, 7)
  assert.equal(settings.minCleanableDirtyRatio, 0.25)
  assert.deepEqual(settings.cleanupPolicies, new Set(['compact', 'delete']))
  assert.equal(settings.timestampType, 'LogAppendTime')
  assert.equal(settings.segmentBytes, 14)
})

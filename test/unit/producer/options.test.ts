/** Options and records: refused before anything starts, with what to write instead. */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { OptionError } from '../../../src/errors.ts'
import { checkProducerOptions, type ProducerOptions } from '../../../src/producer/options.ts'
import { type ProducerRecord, toOutgoing } from '../../../src/producer/record.ts'
import { toOffsets } from '../../../src/producer/transactions/offsets-input.ts'

const check = (options: object) => checkProducerOptions({ brokers: 'localhost:9092', ...options } as ProducerOptions)
const refused = (code: string, option: string, says?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OptionError)
  assert.equal(error.code, code)
  assert.equal(error.option, option)
  if (says !== undefined) assert.match(error.message, says)
  return true
}

describe('options of a producer', () => {
  test('defaults: idempotent, all acks, for latency', () => {
    const { core, brokers, transactionalId } = check({})
    assert.deepEqual(brokers, ['localhost:9092'])
    assert.equal(transactionalId, null)
    assert.deepEqual([core.acks, core.idempotent, core.lingerMs, core.compression], [-1, true, 0, 0])
  })

  test('Q5 · one knob between latency and throughput, each setting can be set alone', () => {
    const throughput = check({ tune: 'throughput' }).core
    assert.ok(
      throughput.lingerMs > 0 && throughput.batchBytes > check({}).core.batchBytes && throughput.compression > 0,
    )
    const mixed = check({ tune: 'throughput', lingerMs: 0, compression: 'none' }).core
    assert.deepEqual([mixed.lingerMs, mixed.compression, mixed.batchBytes], [0, 0, throughput.batchBytes])
  })

  test('fewer acks give up idempotence; asking for both is refused', () => {
    assert.equal(check({ acks: 1 }).core.idempotent, false)
    assert.equal(check({ acks: 0 }).core.acks, 0)
    assert.throws(() => check({ acks: 1, idempotent: true }), refused('OPTION_CONTRADICTION', 'acks'))
    assert.throws(() => check({ acks: 0, idempotent: true }), refused('OPTION_CONTRADICTION', 'acks'))
    assert.throws(
      () => check({ idempotent: false, transactionalId: 'x' }),
      refused('OPTION_CONTRADICTION', 'transactionalId'),
    )
    assert.throws(() => check({ acks: 1, transactionalId: 'x' }), refused('OPTION_CONTRADICTION', 'transactionalId'))
  })

  test('unknown ones, with what may have been meant', () => {
    assert.throws(() => check({ lingerms: 5 }), refused('OPTION_UNKNOWN', 'lingerms', /'lingerMs'/))
    assert.throws(() => check({ compresion: 'gzip' }), refused('OPTION_UNKNOWN', 'compresion', /'compression'/))
    assert.throws(() => check({ retries: 5 }), refused('OPTION_UNKNOWN', 'retries', /Known options/))
    assert.throws(
      () => check({ client: { clientID: 'x' } }),
      refused('OPTION_UNKNOWN', 'client.clientID', /'clientId'/),
    )
    assert.throws(() => check(JSON.parse('{"__proto__": 1, "constructor": 2}')), OptionError)
  })

  const wrong: readonly [string, unknown][] = [
    ['acks', 'some'],
    ['acks', 2],
    ['lingerMs', -1],
    ['lingerMs', Number.NaN],
    ['batchBytes', 0],
    ['batchBytes', 1.5],
    ['compression', 'brotli'],
    ['tune', 'fast'],
    ['partitioner', 'murmur2'],
    ['transactionalId', ''],
    ['maxBufferBytes', 0],
    ['deliveryTimeoutMs', 0],
    ['idempotent', 'yes'],
    ['brokers', []],
    ['brokers', ''],
    ['client', null],
  ]
  for (const [option, value] of wrong) {
    test(`${option}: ${JSON.stringify(value)} is refused`, () => {
      assert.throws(() => check({ [option]: value }), refused('OPTION_INVALID', option))
    })
  }

  describe('brokers', () => {
    const before = process.env.KAFKA_BROKERS
    afterEach(() => {
      if (before === undefined) delete process.env.KAFKA_BROKERS
      else process.env.KAFKA_BROKERS = before
    })

    test('from the environment, or refused', () => {
      process.env.KAFKA_BROKERS = 'a:1, b:2'
      assert.equal(checkProducerOptions({}).brokers.length, 2)
      delete process.env.KAFKA_BROKERS
      assert.throws(() => checkProducerOptions({}), refused('OPTION_MISSING', 'brokers'))
      assert.deepEqual(check({ brokers: ['a:1', 'b:2'] }).brokers, ['a:1', 'b:2'])
    })
  })
})

describe('records', () => {
  const wrong: readonly [string, unknown][] = [
    ['no record', null],
    ['no topic', { value: 'x' }],
    ['no value', { topic: 't' }],
    ['a value that is no text', { topic: 't', value: { a: 1 } }],
    ['a key that is no text', { topic: 't', key: 5, value: 'x' }],
    ['a partition below 0', { topic: 't', value: 'x', partition: -1 }],
    ['half a partition', { topic: 't', value: 'x', partition: 0.5 }],
    ['a time that is none', { topic: 't', value: 'x', timestamp: Number.NaN }],
    ['a date', { topic: 't', value: 'x', timestamp: new Date() }],
    ['headers in a string', { topic: 't', value: 'x', headers: 'h' }],
    ['a header without a name', { topic: 't', value: 'x', headers: [[1, 'x']] }],
    ['a header that is a number', { topic: 't', value: 'x', headers: { h: 1 } }],
  ]
  for (const [what, record] of wrong) {
    test(`${what} is refused`, () => {
      assert.throws(() => toOutgoing(record as ProducerRecord, 0), { code: 'RECORD_INVALID' })
    })
  }

  test('strings, buffers, tombstones; headers keep their order and may repeat', () => {
    const record = toOutgoing(
      {
        topic: 't',
        key: 'ü',
        value: null,
        headers: [
          ['a', '1'],
          ['a', null],
        ],
        timestamp: 7,
      },
      0,
    )
    assert.deepEqual(record.key, Buffer.from('ü'))
    assert.equal(record.value, null)
    assert.deepEqual(record.headers, [
      ['a', Buffer.from('1')],
      ['a', null],
    ])
    assert.equal(record.timestampMs, 7)
  })
})

describe('offsets for a transaction', () => {
  test('defaults: nobody is fenced', () => {
    const { member, offsets } = toOffsets({ groupId: 'g', offsets: [{ topic: 't', partition: 0, offset: 3 }] })
    assert.deepEqual(member, { groupId: 'g', memberId: '', generationId: -1, groupInstanceId: null })
    assert.deepEqual(offsets, [{ topic: 't', partition: 0, offset: 3, metadata: '', leaderEpoch: -1 }])
  })

  for (const wrong of [{ offsets: [] }, { groupId: 'g' }, { groupId: 'g', offsets: [{ topic: 't', partition: 0 }] }]) {
    test(`${JSON.stringify(wrong)} is refused`, () => {
      assert.throws(() => toOffsets(wrong as never), { code: 'ARGUMENT_INVALID' })
    })
  }
})

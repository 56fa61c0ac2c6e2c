/** The schema registry: the wire format byte for byte, three kinds of schemas, a registry that is down, secrets. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { Ajv } from 'ajv'
import avsc from 'avsc'
import protobufjs from 'protobufjs'
import { z } from 'zod'
import { consume } from '../../src/consume.ts'
import { PermanentError, RetryableError } from '../../src/errors.ts'
import {
  avro,
  jsonSchema,
  protobuf,
  type SchemaRegistry,
  type SchemaRegistryOptions,
  schemaRegistry,
} from '../../src/integrations/schema-registry/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { notebook } from '../e2e/support.ts'
import { until } from '../support/wait.ts'
import { type RegistryServer, startRegistry } from './registry-server.ts'

const order = {
  type: 'record',
  name: 'Order',
  fields: [
    { name: 'id', type: 'string' },
    { name: 'amount', type: 'int' },
  ],
}
const proto = `syntax = "proto3"; package shop;
import "google/protobuf/timestamp.proto";
enum Kind { NEW = 0; PAID = 1; }
message Order { string id = 1; int32 amount = 2; Kind kind = 3; google.protobuf.Timestamp at = 4; int64 big = 5; }
message Outer { map<string, int32> counts = 1; message First { int32 a = 1; } message Second { string b = 1; } }`
const formats = [avro(avsc), protobuf(protobufjs), jsonSchema(() => new Ajv())]
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')

describe('a schema registry', { timeout: 60_000 }, () => {
  let server: RegistryServer
  const open = (more: Partial<SchemaRegistryOptions> = {}): SchemaRegistry =>
    schemaRegistry({ url: server.url, formats, timeoutMs: 2_000, ...more })
  before(async () => {
    server = await startRegistry()
  })
  beforeEach(() => server.fail(null))
  after(() => server.close())

  test('Avro: the bytes that Confluent’s serializer writes, and back', async () => {
    const registry = open()
    const id = server.store('orders-value', { schema: JSON.stringify(order) })
    const golden = hex(`00 ${id.toString(16).padStart(8, '0')} 02 61 0e`)
    const serializer = registry.serializer({ subject: 'orders-value', type: 'AVRO', schema: order })
    assert.deepEqual(await serializer.encode({ id: 'a', amount: 7 }), golden)
    assert.deepEqual({ ...(await registry.decode<object>(golden)) }, { id: 'a', amount: 7 })
    await assert.rejects(serializer.encode({ id: 'a' }), { code: 'SCHEMA_MISMATCH', name: 'PermanentError' })
  })

  test('Protobuf: the path of the message is in the bytes', async () => {
    const registry = open()
    const id = server.store('p-value', { schema: proto, schemaType: 'PROTOBUF' })
    const head = `00 ${id.toString(16).padStart(8, '0')}`
    const options = { subject: 'p-value', type: 'PROTOBUF', schema: proto }
    const first = registry.serializer(options)
    assert.deepEqual(await first.encode({ id: 'a', amount: 7 }), hex(`${head} 00 0a0161 1007`))
    const nested = registry.serializer({ ...options, message: 'shop.Outer.Second' })
    assert.deepEqual(await nested.encode({ b: 'x' }), hex(`${head} 04 02 02 0a0178`))
    assert.deepEqual(await registry.decode(hex(`${head} 04 02 02 0a0178`)), { b: 'x' })
    assert.deepEqual(await registry.decode(hex(`${head} 00 0a0161 1007 1801 28ffffffffffffffff7f`)), {
      id: 'a',
      amount: 7,
      kind: 'PAID',
      at: null,
      big: '9223372036854775807',
    })
    // [0] may also be written in full.
    assert.deepEqual((await registry.decode<{ id: string }>(hex(`${head} 02 00 0a0161`))).id, 'a')
    await assert.rejects(registry.decode(hex(`${head} 02 0a`)), { code: 'SCHEMA_MISMATCH' })
    for (const rubbish of ['ff', 'ffffffffffff', '80', '01', 'fe01', '08 02']) {
      await assert.rejects(registry.decode(hex(`${head} ${rubbish}`)), { name: 'PermanentError' }, rubbish)
    }
    const snake = 'syntax = "proto3"; message A { int32 order_id = 1; }'
    const snakes = registry.serializer({ subject: 'snake', type: 'PROTOBUF', schema: snake })
    const snakeBytes = await snakes.encode({ orderId: 3 })
    assert.deepEqual(await registry.decode(snakeBytes), { orderId: 3 })
    const keeping = open({ formats: [protobuf(protobufjs, { keepCase: true })] })
    assert.deepEqual(await keeping.decode(snakeBytes), { order_id: 3 })
    const wrong = registry.serializer({ ...options, message: 'Outer' })
    await assert.rejects(wrong.encode({}), /no message 'Outer'.*full name/)
  })

  test('JSON Schema: checked in both directions', async () => {
    const registry = open()
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
    const serializer = registry.serializer<{ id: unknown }>({ subject: 'j-value', type: 'JSON', schema })
    const bytes = await serializer.encode({ id: 'a' })
    assert.equal(bytes[0], 0)
    assert.equal(bytes.subarray(5).toString(), '{"id":"a"}')
    assert.deepEqual(await registry.decode(bytes), { id: 'a' })
    await assert.rejects(serializer.encode({ id: 1 }), { code: 'SCHEMA_MISMATCH', message: /\/id must be string/ })
    const bad = Buffer.concat([bytes.subarray(0, 5), Buffer.from('{"id":1}')])
    await assert.rejects(registry.decode(bad), { name: 'PermanentError', code: 'SCHEMA_MISMATCH' })
    await assert.rejects(registry.decode(Buffer.concat([bytes.subarray(0, 5), Buffer.from('{')])), PermanentError)
  })

  test('schemas that refer to others, of all three kinds', async () => {
    const registry = open()
    const money = { type: 'record', name: 'shop.Money', fields: [{ name: 'cents', type: 'long' }] }
    server.store('money', { schema: JSON.stringify(money) })
    const bill = { type: 'record', name: 'Bill', fields: [{ name: 'sum', type: 'shop.Money' }] }
    const bills = registry.serializer({
      subject: 'bills-value',
      type: 'AVRO',
      schema: bill,
      references: [{ name: 'shop.Money', subject: 'money', version: 1 }],
    })
    const bytes = await bills.encode({ sum: { cents: 5 } })
    // Another process, which has to ask for everything.
    assert.equal((await open().decode<{ sum: { cents: number } }>(bytes)).sum.cents, 5)

    server.store('money.proto', {
      schema: 'syntax = "proto3"; package m; message Money { int32 cents = 1; }',
      schemaType: 'PROTOBUF',
    })
    const protos = registry.serializer({
      subject: 'pb-value',
      type: 'PROTOBUF',
      schema: 'syntax = "proto3"; import "money.proto"; message Bill { m.Money sum = 1; }',
      references: [{ name: 'money.proto', subject: 'money.proto', version: 1 }],
    })
    assert.deepEqual(await open().decode(await protos.encode({ sum: { cents: 5 } })), { sum: { cents: 5 } })

    server.store('money.json', { schema: '{"type":"integer"}', schemaType: 'JSON' })
    const jsons = registry.serializer({
      subject: 'jb-value',
      type: 'JSON',
      schema: { type: 'object', properties: { sum: { $ref: 'money.json' } } },
      references: [{ name: 'money.json', subject: 'money.json', version: 1 }],
    })
    assert.deepEqual(await open().decode(await jsons.encode({ sum: 5 })), { sum: 5 })
    await assert.rejects(jsons.encode({ sum: 'x' }), { code: 'SCHEMA_MISMATCH' })
  })

  test('what is not framed, or framed with an id that nobody knows, is a permanent error that says why', async () => {
    const registry = open()
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 0, 0]), Buffer.from('{"id":1}')]) {
      await assert.rejects(registry.decode(bytes), {
        name: 'PermanentError',
        code: 'SCHEMA_FRAME_INVALID',
        message: /json\(\)/,
      })
    }
    const asked = server.requests.length
    const unknown = hex('00 00ffffff 02')
    await assert.rejects(registry.decode(unknown), {
      name: 'PermanentError',
      code: 'SCHEMA_UNKNOWN',
      message: /Schema 16777215 not found/,
    })
    await assert.rejects(registry.decode(unknown), { code: 'SCHEMA_UNKNOWN' })
    assert.equal(server.requests.length, asked + 1, 'a flood of them is one request')
    const id = server.store('x', { schema: 'syntax = "proto3"; message A {}', schemaType: 'PROTOBUF' })
    const onlyAvro = open({ formats: [avro(avsc)] })
    const frame = hex(`00 ${id.toString(16).padStart(8, '0')} 00`)
    await assert.rejects(onlyAvro.decode(frame), { code: 'SCHEMA_FORMAT_MISSING', message: /protobuf\(protobufjs\)/ })
    const broken = server.store('x', { schema: '{"type":"nothing"}' })
    const useless = hex(`00 ${broken.toString(16).padStart(8, '0')} 00`)
    await assert.rejects(registry.decode(useless), { name: 'PermanentError', code: 'SCHEMA_UNUSABLE' })
  })

  test('a registry that is down, slow, closed to us or at another address says nothing about the record: retryable', async () => {
    const id = server.store('orders-value', { schema: JSON.stringify(order) })
    const bytes = hex(`00 ${id.toString(16).padStart(8, '0')} 02 61 0e`)
    const cases: [number | 'hang' | 'cut', string, string][] = [
      [503, '{"error_code":50301,"message":"leader is away"}', 'SCHEMA_REGISTRY_UNREACHABLE'],
      [404, '<html>no such page</html>', 'SCHEMA_REGISTRY_UNREACHABLE'],
      [404, '{"error_code":404,"message":"HTTP 404 Not Found"}', 'SCHEMA_REGISTRY_UNREACHABLE'],
      [200, 'hello', 'SCHEMA_REGISTRY_UNREACHABLE'],
      [200, '{"no":"schema"}', 'SCHEMA_REGISTRY_UNREACHABLE'],
      [200, `{"schema":"${'x'.repeat(9 * 2 ** 20)}"}`, 'SCHEMA_REGISTRY_UNREACHABLE'],
      [401, '{"error_code":401,"message":"who are you"}', 'SCHEMA_REGISTRY_FORBIDDEN'],
      ['cut', '', 'SCHEMA_REGISTRY_UNREACHABLE'],
      ['hang', '', 'SCHEMA_REGISTRY_UNREACHABLE'],
    ]
    const registry = open({ timeoutMs: 300 })
    for (const [status, body, code] of cases) {
      server.fail(status, body)
      await assert.rejects(registry.decode(bytes), (error) => {
        assert.ok(error instanceof RetryableError, `${status}: ${String(error)}`)
        assert.equal(error.code, code)
        return true
      })
    }
    server.fail(null)
    assert.ok(await registry.decode(bytes), 'nothing of it is remembered')
    await assert.rejects(schemaRegistry({ url: 'http://127.0.0.1:1', formats }).decode(bytes), RetryableError)
  })

  test('many records of an id that is new are one request; the schemas that are kept are bounded', async () => {
    const ids = [0, 1, 2].map((at) => server.store('many', { schema: JSON.stringify({ ...order, name: `Many${at}` }) }))
    const frames = ids.map((id) => hex(`00 ${id.toString(16).padStart(8, '0')} 02 61 0e`))
    const registry = open({ schemasMax: 2 })
    const asked = (): number => server.requests.length
    const begin = asked()
    await Promise.all(Array.from({ length: 50 }, () => registry.decode(frames[0]!)))
    assert.equal(asked() - begin, 1)
    await registry.decode(frames[1]!)
    await registry.decode(frames[0]!)
    await registry.decode(frames[2]!)
    assert.equal(asked() - begin, 3)
    await registry.decode(frames[0]!)
    assert.equal(asked() - begin, 3, 'the one that was used last is kept')
    await registry.decode(frames[1]!)
    assert.equal(asked() - begin, 4, 'the one that was not is asked for again')
  })

  test('registering: refused schemas, register: false, and a registry that comes back', async () => {
    const registry = open()
    const schema = { ...order, name: 'Fresh' }
    const strict = registry.serializer({ subject: 'fresh-value', type: 'AVRO', schema, register: false })
    await assert.rejects(strict.encode({ id: 'a', amount: 1 }), { code: 'SCHEMA_UNKNOWN' })
    server.fail(500)
    const loose = registry.serializer({ subject: 'fresh-value', type: 'AVRO', schema })
    await assert.rejects(loose.encode({ id: 'a', amount: 1 }), RetryableError)
    server.fail(null)
    const begin = server.requests.length
    await Promise.all([loose.encode({ id: 'a', amount: 1 }), loose.encode({ id: 'b', amount: 1 })])
    await assert.rejects(loose.encode({}), { code: 'SCHEMA_MISMATCH' })
    await loose.encode({ id: 'c', amount: 1 })
    assert.equal(server.requests.length - begin, 1, 'registered once, also after a value that does not fit')
    assert.ok(await strict.encode({ id: 'a', amount: 1 }), 'now it is registered')
    const refused = registry.serializer({ subject: 's', type: 'AVRO', schema: { ...order, name: 'incompatible' } })
    await assert.rejects(refused.encode({ id: 'a', amount: 1 }), { name: 'PermanentError', code: 'SCHEMA_REFUSED' })
    await assert.rejects(registry.serializer({ subject: 's', type: 'AVRO', schema: '{' }).encode({}), {
      code: 'SCHEMA_UNUSABLE',
    })
  })

  test('passwords and tokens are sent, and shown nowhere', async () => {
    const id = server.store('orders-value', { schema: JSON.stringify(order) })
    const bytes = hex(`00 ${id.toString(16).padStart(8, '0')} 02 61 0e`)
    const secret = 'canary-9c1'
    const basic = `Basic ${Buffer.from(`me:${secret}`).toString('base64')}`
    const { host } = new URL(server.url)
    const variants: [SchemaRegistry, string][] = [
      [open({ auth: { username: 'me', password: secret } }), basic],
      [open({ url: `http://me:${secret}@${host}` }), basic],
      [open({ auth: { token: secret } }), `Bearer ${secret}`],
    ]
    for (const [registry, expected] of variants) {
      await registry.decode(bytes)
      assert.equal(server.authorization(), expected)
      server.fail(500, '{}')
      const error = await registry.decode(hex('00 00ffff01 00')).catch((reason: unknown) => reason)
      server.fail(null)
      for (const text of [inspect(error, { depth: 9 }), inspect(registry, { depth: 9, showHidden: true })]) {
        assert.ok(!text.includes(secret) && !text.includes(basic.slice(6)), text)
      }
    }
    for (const url of ['', 'localhost:8081', `ftp://me:${secret}@host`, undefined as unknown as string]) {
      assert.throws(
        () => open({ url }),
        (error: Error) => !error.message.includes(secret) && 'option' in error,
      )
    }
    assert.throws(() => open({ formats: [] }), { code: 'OPTION_INVALID' })
  })

  test('P8 R4 · in a consumer: schemas that are not known yet are fetched, an outage is waited out, rubbish goes to dead letters', async () => {
    const id = server.store('c-value', { schema: JSON.stringify({ ...order, name: 'Consumed' }) })
    const log = new MemoryLog({ orders: 2 })
    const frame = (at: number): Buffer =>
      hex(`00 ${id.toString(16).padStart(8, '0')} 02 6${at % 10} ${(at * 2).toString(16).padStart(2, '0')}`)
    for (let at = 0; at < 20; at++) log.append('orders', { key: `k${at % 4}`, value: frame(at) })
    log.append('orders', { key: 'k1', value: '{"plain":"json"}' })
    log.append('orders', { key: 'k1', value: hex('00 00eeeeee 00') })
    log.append('orders', { key: 'k1', value: frame(20).subarray(0, 6) })
    log.append('orders', { key: 'k1', value: null })
    server.fail(503, '{}')
    const begin = server.requests.length
    const seen: (number | null)[] = []
    const consumer = await consume({
      log,
      group: 'g',
      topics: ['orders'],
      decode: { value: open().codec(z.object({ id: z.string(), amount: z.number() })) },
      logger: notebook(),
      handle: ({ value }) => void seen.push(value === null ? null : value.amount),
    })
    await until('it has asked more than once', () => server.requests.length - begin > 2)
    assert.deepEqual(seen, [])
    server.fail(null)
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(
      seen.filter((each) => each !== null).toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at),
    )
    assert.equal(seen.filter((each) => each === null).length, 1, 'a tombstone')
    assert.equal(log.records('orders.dlq', 0).length, 3)
    for (const key of [0, 1, 2, 3]) {
      const own: readonly number[] = seen.flatMap((each) => (each !== null && each % 4 === key ? [each] : []))
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
        `order of k${key}`,
      )
    }
  })

  test('preload: what keyOf reads is known from the first record on', async () => {
    const id = server.store('k-value', { schema: JSON.stringify({ ...order, name: 'Keyed' }) })
    const registry = open()
    await registry.preload([id])
    const value = registry.codec<{ id: string }>().decode(hex(`00 ${id.toString(16).padStart(8, '0')} 02 61 0e`))
    assert.ok(!(value instanceof Promise))
    assert.equal(value.id, 'a')
  })
})

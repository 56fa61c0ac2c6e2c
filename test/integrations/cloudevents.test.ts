/** CloudEvents over Kafka: both content modes, both directions, and what is not one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { consume } from '../../src/consume.ts'
import { PermanentError } from '../../src/errors.ts'
import {
  type CloudEvent,
  cloudEvents,
  eventOf,
  type OutgoingEvent,
  recordOf,
} from '../../src/integrations/cloudevents/index.ts'
import { MemoryLog } from '../../src/testing/index.ts'
import { notebook } from '../e2e/support.ts'

const event: CloudEvent = {
  specversion: '1.0',
  id: 'a-1',
  source: '/shop',
  type: 'order.paid',
  subject: 'order 7',
  time: '2026-01-31T12:00:00.5+01:00',
  datacontenttype: 'application/json',
  data: { amount: 7 },
}

/** As it comes back from the log. */
function stored({ value, headers }: Pick<OutgoingEvent, 'value' | 'headers'>) {
  return {
    value: value === null ? null : Buffer.from(value),
    headers: Object.entries(headers).map(([key, text]) => ({ key, value: Buffer.from(text) })),
  }
}

const raw = (headers: Record<string, string>, value: string | null = null) => stored({ value, headers })
const minimal = { ce_specversion: '1.0', ce_id: '1', ce_source: '/s', ce_type: 't' }
const structured = { 'content-type': 'application/cloudevents+json' }
const body = { specversion: '1.0', id: '1', source: '/s', type: 't' }

describe('CloudEvents', () => {
  test('binary: attributes in ce_ headers, the data as it is', () => {
    const record = recordOf({ ...event, partitionkey: 'k7', traced: true }, { topic: 'orders' })
    assert.deepEqual(record, {
      topic: 'orders',
      key: 'k7',
      value: '{"amount":7}',
      headers: {
        ce_specversion: '1.0',
        ce_id: 'a-1',
        ce_source: '/shop',
        ce_type: 'order.paid',
        ce_subject: 'order 7',
        ce_time: '2026-01-31T12:00:00.5+01:00',
        ce_partitionkey: 'k7',
        ce_traced: 'true',
        'content-type': 'application/json',
      },
    })
    assert.deepEqual(eventOf(stored(record)), { ...event, partitionkey: 'k7', traced: 'true' })
  })

  test('structured: one JSON value', () => {
    const record = recordOf(event, { topic: 'orders', mode: 'structured', key: 'mine' })
    assert.equal(record.key, 'mine')
    assert.deepEqual(record.headers, { 'content-type': 'application/cloudevents+json; charset=UTF-8' })
    assert.deepEqual(JSON.parse(String(record.value)), event)
    assert.deepEqual(eventOf(stored(record)), event)
  })

  test('data is JSON, text or bytes, by its type; no data is none', () => {
    const read = (type: string, value: string | null) => eventOf(raw({ ...minimal, 'content-type': type }, value)).data
    assert.deepEqual(read('application/vnd.x+json; charset=utf-8', '[1]'), [1])
    assert.equal(read('TEXT/plain', 'hé'), 'hé')
    assert.deepEqual(read('application/avro', 'x'), Buffer.from('x'))
    assert.ok(!('data' in eventOf(raw(minimal))))
    const bytes = Buffer.from([0, 255, 10])
    for (const mode of ['binary', 'structured'] as const) {
      const { datacontenttype: _, ...rest } = event
      assert.deepEqual(
        eventOf(stored(recordOf({ ...rest, data: bytes } as CloudEvent, { topic: 't', mode }))).data,
        bytes,
        mode,
      )
    }
  })

  test('what comes in by either mode goes out by the other and is the same', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' })
    const events = fc.record(
      {
        specversion: fc.constant('1.0' as const),
        id: text,
        source: text,
        type: text,
        subject: text,
        data: fc
          .jsonValue()
          .filter((value) => JSON.stringify(value) === JSON.stringify(JSON.parse(JSON.stringify(value)))),
        myext: text,
      },
      { requiredKeys: ['specversion', 'id', 'source', 'type'] },
    )
    fc.assert(
      fc.property(events, (each) => {
        const own = { ...each, datacontenttype: 'application/json' } as CloudEvent
        const expected = JSON.parse(JSON.stringify(own)) as CloudEvent
        for (const mode of ['binary', 'structured'] as const) {
          assert.deepEqual({ ...eventOf(stored(recordOf(own, { topic: 't', mode }))) }, expected)
        }
      }),
      { numRuns: 200, seed: 42 },
    )
  })

  test('what is not an event fails permanently, with everything that is wrong', () => {
    const cases: [ReturnType<typeof raw>, RegExp][] = [
      [raw({}, '{}'), /neither ce_ headers/],
      [
        raw({ ce_specversion: '0.3', ce_id: '1' }),
        /specversion must be '1\.0', it is "0\.3"; 'source' is missing; 'type' is missing/,
      ],
      [raw({ ...minimal, ce_id: '' }), /'id' must be text that is not empty/],
      [raw({ ...minimal, ce_time: 'yesterday' }), /'time' must be like/],
      [raw({ ...minimal, ce_time: '2026-99-99T00:00:00Z' }), /'time' must be like/],
      [raw({ ...minimal, ce_Upper: 'x' }), /"Upper" must have a name of lower-case/],
      [raw({ ...minimal, ce_data: 'x' }), /'data' is the value/],
      [raw({ ...minimal, 'content-type': 'application/json' }, '{'), /its data is not JSON/],
      [raw({ ...minimal, 'content-type': 'application/cloudevents-batch+json' }, '[]'), /not supported/],
      [raw(structured), /tombstone/],
      [raw(structured, 'x'), /not JSON/],
      [raw(structured, '[]'), /must be a JSON object, it is a list/],
      [raw(structured, 'null'), /must be a JSON object/],
      [raw(structured, JSON.stringify({ ...body, id: 1 })), /'id' must be text/],
      [raw(structured, JSON.stringify({ ...body, ext: { deep: 1 } })), /'ext' must be a string.*it is an object/],
      [raw(structured, JSON.stringify({ ...body, ext: 2 ** 40 })), /'ext' must be/],
      [raw(structured, JSON.stringify({ ...body, data: 1, data_base64: 'AA==' })), /both there/],
      [raw(structured, JSON.stringify({ ...body, data_base64: '*' })), /not base64/],
      [raw(structured, `{"__proto__":{"id":"x"},${JSON.stringify(body).slice(1)}`), /"__proto__"/],
      [{ ...raw(minimal), headers: [...raw(minimal).headers, ...raw(minimal).headers] }, /is there 2 times/],
      [{ value: null, headers: [{ key: 'ce_id', value: Buffer.from([0xff]) }] }, /not UTF-8/],
    ]
    for (const [record, said] of cases) {
      assert.throws(
        () => eventOf(record),
        (error: unknown) =>
          error instanceof PermanentError && error.code === 'CLOUD_EVENT_INVALID' && said.test(error.message),
        String(said),
      )
    }
    assert.deepEqual(eventOf(raw(structured, JSON.stringify({ ...body, subject: null }))), body, 'null is not set')
    assert.throws(() => recordOf({ ...event, id: '' }, { topic: 't' }), { code: 'CLOUD_EVENT_INVALID' })
    assert.throws(() => recordOf({ ...event, data: 1n }, { topic: 't' }), { code: 'CLOUD_EVENT_INVALID' })
    assert.throws(
      () => recordOf({ ...event, datacontenttype: 'application/avro' }, { topic: 't' }),
      /must be bytes or text/,
    )
    assert.throws(() => eventOf({ headers: [], value: { id: 1 } as never }), /decoded already/)
  })

  test('rubbish of any kind is an event or a PermanentError, nothing else', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each))
    const header = fc.record({
      key: fc.oneof(fc.constantFrom('content-type', 'ce_id', 'ce_specversion'), fc.string()),
      value: fc.option(bytes),
    })
    const types = fc.constantFrom('application/cloudevents+json', 'application/json', 'text/plain', '')
    fc.assert(
      fc.property(fc.array(header, { maxLength: 5 }), fc.option(bytes), types, (headers, value, type) => {
        try {
          eventOf({ headers: [...headers, { key: 'content-type', value: Buffer.from(type) }], value })
        } catch (error) {
          assert.ok(error instanceof PermanentError)
        }
      }),
      { numRuns: 500, seed: 42 },
    )
  })

  test('R5 P8 · in a consumer: typed events, and bad ones in the dead letters', async () => {
    const log = new MemoryLog({ orders: 1 })
    const append = (each: OutgoingEvent): unknown =>
      log.append('orders', { key: each.key, value: each.value, headers: stored(each).headers })
    append(recordOf(event, { topic: 'orders', key: 'a' }))
    append(recordOf({ ...event, id: 'a-2' }, { topic: 'orders', key: 'b', mode: 'structured' }))
    append(recordOf({ ...event, id: 'a-3', data: { amount: 'much' } }, { topic: 'orders', key: 'c' }))
    log.append('orders', { key: 'd', value: 'no event' })
    const seen: string[] = []
    const consumer = await consume({
      log,
      group: 'g',
      topics: ['orders'],
      logger: notebook(),
      handle: cloudEvents(z.object({ amount: z.number() }), ({ id, data }, context, record) => {
        // data.amount is a number here, for the compiler too.
        seen.push(`${id}: ${(data?.amount ?? 0).toFixed(2)}, attempt ${context.attempt}, ${record.key}`)
      }),
    })
    await consumer.idle()
    await consumer.close()
    assert.deepEqual(seen.toSorted(), ['a-1: 7.00, attempt 1, a', 'a-2: 7.00, attempt 1, b'])
    assert.equal(log.records('orders.dlq', 0).length, 2)
  })
})

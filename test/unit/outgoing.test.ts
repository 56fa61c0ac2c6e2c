import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SendRecord } from '../../src/engines/handler.ts'
import { toOutgoing } from '../../src/engines/outgoing.ts'

const wrong: readonly (readonly [string, unknown, string])[] = [
  ['nothing', undefined, 'SEND_WITHOUT_TOPIC'],
  ['no topic', { value: 'x' }, 'SEND_WITHOUT_TOPIC'],
  ['an empty topic', { topic: '' }, 'SEND_WITHOUT_TOPIC'],
  ['a topic that is a path', { topic: '../x' }, 'SEND_TOPIC_INVALID'],
  ['a topic that is a directory', { topic: '..' }, 'SEND_TOPIC_INVALID'],
  ['a topic with a blank', { topic: 'my topic' }, 'SEND_TOPIC_INVALID'],
  ['a topic of 250 characters', { topic: 'a'.repeat(250) }, 'SEND_TOPIC_INVALID'],
  ['an object as value', { topic: 't', value: { a: 1 } }, 'SEND_NOT_BYTES'],
  ['a number as key', { topic: 't', key: 7 }, 'SEND_NOT_BYTES'],
  ['a number in a header', { topic: 't', headers: { h: 7 } }, 'SEND_NOT_BYTES'],
  ['a number in a list of headers', { topic: 't', headers: [{ key: 'h', value: 7 }] }, 'SEND_NOT_BYTES'],
  ['a header without a name', { topic: 't', headers: [{ value: 'x' }] }, 'SEND_INVALID'],
  ['headers that are text', { topic: 't', headers: 'x' }, 'SEND_INVALID'],
  ['half a partition', { topic: 't', partition: 0.5 }, 'SEND_INVALID'],
  ['a negative partition', { topic: 't', partition: -1 }, 'SEND_INVALID'],
  ['no time', { topic: 't', timestamp: Number.NaN }, 'SEND_INVALID'],
  ['a megabyte and more', { topic: 't', value: Buffer.alloc(1_048_588) }, 'SEND_TOO_LARGE'],
  ['headers of a megabyte', { topic: 't', headers: { h: 'é'.repeat(600_000) } }, 'SEND_TOO_LARGE'],
]

describe('what a handler sends', () => {
  for (const [what, record, code] of wrong) {
    test(`refused at the call: ${what}`, () => assert.throws(() => toOutgoing(record as SendRecord), { code }))
  }

  test('strings are UTF-8, buffers are taken as they are, headers keep their order', () => {
    const value = new Uint8Array([1, 2, 3]) as Buffer
    const sent = toOutgoing({ topic: 'a.b_c-D9', key: 'é', value, headers: [{ key: 'x', value: null }], partition: 2 })
    assert.deepEqual(
      [String(sent.key), sent.value, sent.headers, sent.partition],
      ['é', Buffer.from([1, 2, 3]), [{ key: 'x', value: null }], 2],
    )
    assert.deepEqual(toOutgoing({ topic: 't', headers: { b: '1', a: null } }).headers, [
      { key: 'b', value: Buffer.from('1') },
      { key: 'a', value: null },
    ])
    assert.ok(toOutgoing({ topic: 'a'.repeat(249), value: 'x'.repeat(1_000) }).size > 1_000)
  })
})

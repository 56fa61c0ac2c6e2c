/** From bytes to what handlers see: what goes wrong there is the record's failure, never the consumer's. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { json, type StandardSchema, text } from '../../src/consumer/codecs.ts'
import { decoder } from '../../src/consumer/decoding.ts'
import { router } from '../../src/consumer/routing.ts'
import { PermanentError } from '../../src/errors.ts'
import { asEpoch, asPosition } from '../../src/kernel/ids.ts'
import type { RawRecord, RecordBatch } from '../../src/ports/log-client.ts'

function record(key: string | null, value: string | null, offset = 7): RawRecord {
  const bytes = (part: string | null): Buffer | null => (part === null ? null : Buffer.from(part))
  return {
    topic: 'orders',
    partition: 1,
    offset,
    timestamp: 0,
    size: 1,
    key: bytes(key),
    value: bytes(value),
    headers: [],
  }
}

function batch(records: readonly RawRecord[]): RecordBatch {
  return {
    epoch: asEpoch(1),
    count: records.length,
    offsets: records.map(({ offset }) => offset),
    keys: records.map(({ key }) => key?.toString('latin1') ?? null),
    sizes: records.map(({ size }) => size),
    nextPosition: asPosition(records.length),
    logEnd: asPosition(records.length),
    leaderEpoch: 0,
    record: (index) => records[index]!,
  }
}

/** A schema as zod and its like implement it. */
function positive(asynchronous: boolean): StandardSchema<number> {
  const check = (value: unknown) =>
    typeof value === 'number' && value > 0 ? { value } : { issues: [{ message: 'not positive', path: ['cents'] }] }
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => (asynchronous ? Promise.resolve(check(value)) : check(value)),
    },
  }
}

async function failureOf(work: () => unknown): Promise<PermanentError> {
  try {
    await work()
  } catch (error) {
    assert.ok(error instanceof PermanentError, String(error))
    return error
  }
  return assert.fail('nothing was thrown')
}

describe('decoding', () => {
  test('text and JSON; null stays null; what has no codec stays bytes', () => {
    const decode = decoder({ decode: { key: text(), value: json() } })
    assert.deepEqual(decode(record('ä', '{"a":1}')), { ...record('ä', ''), key: 'ä', value: { a: 1 } })
    assert.deepEqual(decode(record(null, null)), record(null, null))
    assert.deepEqual(decoder({ decode: { value: json() } })(record('k', '1')), { ...record('k', ''), value: 1 })
    const raw = record('k', 'v')
    assert.equal(decoder({})(raw), raw)
  })

  const boom = new TypeError('boom')
  const codecs = {
    'that throws': {
      decode: () => {
        throw boom
      },
    },
    'that rejects': { decode: () => Promise.reject(boom) },
    'whose thenable rejects': {
      // biome-ignore lint/suspicious/noThenProperty: promises of another make are the point
      decode: () => ({ then: (_: unknown, reject: (error: unknown) => void) => reject(boom) }) as Promise<unknown>,
    },
  }
  for (const [name, codec] of Object.entries(codecs)) {
    for (const part of ['key', 'value'] as const) {
      test(`P8 · a codec ${name} on a ${part} is a permanent failure that names the record and keeps its cause`, async () => {
        const error = await failureOf(() => decoder({ decode: { [part]: codec } })(record('k', 'v')))
        assert.equal(error.code, 'DECODE_FAILED')
        assert.equal(error.cause, boom)
        assert.match(error.message, new RegExp(`orders-1@7: the ${part} cannot be decoded. boom`))
      })
    }
  }

  test('P8 · what is not JSON, and what does not pass its schema, is DECODE_FAILED', async () => {
    const broken = await failureOf(() => decoder({ decode: { value: json() } })(record(null, '{')))
    assert.equal(broken.code, 'DECODE_FAILED')
    assert.match(broken.message, /Not JSON/)
    assert.ok((broken.cause as Error).cause instanceof SyntaxError)
    for (const asynchronous of [false, true]) {
      const decode = decoder({ decode: { value: json(positive(asynchronous)) } })
      assert.equal((await decode(record(null, '5'))).value, 5)
      const error = await failureOf(() => decode(record(null, '-5')))
      assert.equal(error.code, 'DECODE_FAILED')
      assert.match(error.message, /cents: not positive/)
    }
  })
})

describe('keyOf', () => {
  test('P8 · names the lane by its bytes; null is no lane, an empty key is one', () => {
    const keys = ['ä', '', null, Buffer.from([0xff, 0x00])]
    const route = router(({ offset }) => keys[offset] ?? null, decoder({}))
    const routed = route(batch(keys.map((_, offset) => record('own', 'v', offset))))
    assert.deepEqual([...(routed.keys as string[])], ['\xc3\xa4', '', null, '\xff\x00'])
    assert.equal(routed.failures?.size, 0)
  })

  for (const [name, key] of Object.entries({
    undefined: undefined,
    'a number': 5,
    'an object': {},
    'a promise': Promise.reject(new Error('x')),
  })) {
    test(`P8 · ${name} is no key: that record fails for good, in its own key's lane`, () => {
      const route = router((() => key) as unknown as () => string, decoder({}))
      const routed = route(batch([record('own', 'v')]))
      assert.deepEqual([...(routed.keys as string[])], ['own'])
      const error = routed.failures?.get(0)
      assert.ok(error instanceof PermanentError)
      assert.equal(error.code, 'KEY_OF_INVALID')
      assert.match(
        error.message,
        new RegExp(`orders-1@7: keyOf returned ${name}\\. Return a string, a Buffer, or null`),
      )
    })
  }

  test('P8 · one that throws, and a record that cannot be decoded, fail alone', () => {
    const route = router(
      ({ value }) => {
        if (value === 2) throw new Error('no account')
        return String(value)
      },
      decoder({ decode: { value: json() } }),
    )
    const routed = route(batch([record('a', '1', 0), record('b', '{', 1), record('c', '2', 2), record('d', '3', 3)]))
    assert.deepEqual([...(routed.keys as string[])], ['1', 'b', 'c', '3'])
    assert.deepEqual([...(routed.failures?.keys() ?? [])], [1, 2])
    assert.equal((routed.failures!.get(1) as PermanentError).code, 'DECODE_FAILED')
    assert.equal((routed.failures!.get(2) as Error).message, 'no account')
  })

  test('P8 · a codec that takes its time cannot be used with it', () => {
    const decode = decoder({ decode: { value: { decode: () => Promise.reject(new Error('later')) } } })
    const error = router(() => 'k', decode)(batch([record('a', 'v')])).failures?.get(0)
    assert.equal((error as PermanentError).code, 'KEY_OF_ASYNC')
  })
})

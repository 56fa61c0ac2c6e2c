import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toDeadLetter } from '../../src/consumer/dead-letters.ts'
import { type PoisonLines, poisonLines, type Write, writePoison } from '../../src/consumer/poison-log.ts'
import { FanlaneError } from '../../src/errors.ts'
import { asEpoch, asOffset } from '../../src/kernel/ids.ts'
import type { ExhaustedRecord } from '../../src/ports/exit.ts'
import type { RawRecord } from '../../src/ports/log-client.ts'

const binary = Buffer.from([0xff, 0x00, 0xc3, 0x28])

function exhausted(record: Partial<RawRecord> = {}, error: unknown = new Error('no')): ExhaustedRecord {
  const raw: RawRecord = {
    topic: 'orders',
    partition: 3,
    offset: 1042,
    timestamp: 1_700_000_000_000,
    size: 100,
    key: Buffer.from('k'),
    value: Buffer.from('{"a":1}'),
    headers: [],
    ...record,
  }
  const { topic, partition, offset } = raw
  return { record: raw, error, work: { topic, partition, offset: asOffset(offset), epoch: asEpoch(1), attempt: 5 } }
}

const texts = (headers: RawRecord['headers']): (readonly [string, string])[] =>
  headers.map(({ key, value }) => [key, String(value)])

describe('dead letters', () => {
  test('R5 · key, value and own headers as they were; ours say where from, why, how often, who', () => {
    const own = [
      { key: 'trace', value: binary },
      { key: 'trace', value: null },
    ]
    const error = new FanlaneError('NO_PRODUCT', 'password=hunter2 for product')
    const failed = exhausted({ value: binary, headers: own }, error)
    const letter = toDeadLetter(failed, 'orders.dlq', 'billing')
    assert.equal(letter.key, failed.record.key)
    assert.equal(letter.value, binary)
    assert.deepEqual(letter.headers.slice(0, 2), own)
    assert.deepEqual(texts(letter.headers.slice(2)), [
      ['fanlane-source-topic', 'orders'],
      ['fanlane-source-partition', '3'],
      ['fanlane-source-offset', '1042'],
      ['fanlane-source-timestamp', '1700000000000'],
      ['fanlane-error-code', 'NO_PRODUCT'],
      ['fanlane-error-message', 'password=[redacted] for product'],
      ['fanlane-attempts', '5'],
      ['fanlane-group', 'billing'],
    ])
  })

  test('R5 · a letter that fails again and again has our headers once, and remembers where it came from first', () => {
    let letter = toDeadLetter(exhausted(), 'orders.dlq', 'billing')
    const counts: number[] = []
    for (let round = 1; round <= 4; round++) {
      const { topic, headers } = letter
      letter = toDeadLetter(exhausted({ topic, offset: round, headers }), `${topic}.dlq`, 'again')
      counts.push(letter.headers.length)
    }
    assert.deepEqual(counts, [12, 12, 12, 12])
    const all = new Map(texts(letter.headers))
    assert.deepEqual(
      ['source-topic', 'source-offset', 'origin-topic', 'origin-partition', 'origin-offset', 'group'].map((name) =>
        all.get(`fanlane-${name}`),
      ),
      ['orders.dlq.dlq.dlq.dlq', '4', 'orders', '3', '1042', 'again'],
    )
  })
})

interface Parsed {
  readonly id: string
  readonly part?: number
  readonly parts?: number
  readonly payload?: {
    readonly key: Shown
    readonly value: Shown
    readonly headers: readonly (Shown & { key: string })[]
  }
  readonly payload_part?: string
  readonly [name: string]: unknown
}

interface Shown {
  readonly encoding: string | null
  readonly data: string | null
}

/** Characters that steer terminals, or end lines. */
function isControl(char: string): boolean {
  const point = char.codePointAt(0) as number
  return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point === 0x2028 || point === 0x2029
}

const about = { group: 'billing', lineMaxBytes: 16_000, nowMs: 1_700_000_100_000 }

/** As whoever collects the lines would put them together. */
function joined(lines: readonly string[]): {
  readonly heads: readonly Parsed[]
  readonly payload: NonNullable<Parsed['payload']>
} {
  const heads = lines.map((line) => JSON.parse(line) as Parsed)
  const [first] = heads
  if (first?.payload !== undefined) return { heads, payload: first.payload }
  return { heads, payload: JSON.parse(heads.map((head) => head.payload_part).join('')) }
}

const bytes = ({ encoding, data }: Shown): Buffer | null =>
  data === null ? null : Buffer.from(data, encoding as BufferEncoding)

describe('the log as a dead-letter queue', () => {
  test('R5 · one line with everything: severity, POISON_PILL, source, error, attempts, group, the whole payload', () => {
    const lines = poisonLines(exhausted({ headers: [{ key: 'h', value: binary }] }, new TypeError('token=abc')), about)
    assert.equal(lines.length, 1)
    assert.deepEqual(JSON.parse(lines[0] as string), {
      severity: 'ERROR',
      event_type: 'POISON_PILL',
      time: '2023-11-14T22:15:00.000Z',
      id: 'orders-3@1042/1700000100000',
      message: 'orders-3@1042 failed for good',
      source: { topic: 'orders', partition: 3, offset: 1042, timestamp: 1_700_000_000_000 },
      group: 'billing',
      attempts: 5,
      error: { code: 'TypeError', message: 'token=[redacted]' },
      payload: {
        key: { encoding: 'utf8', data: 'k' },
        value: { encoding: 'utf8', data: '{"a":1}' },
        headers: [{ key: 'h', encoding: 'base64', data: binary.toString('base64') }],
      },
    })
  })

  test('R5 · any bytes come back as they were, from lines that are none longer than the cap', () => {
    const nasty = '"\\😀\u007f\u009b\u2028é\n\u001b[31m'
    const values: readonly (Buffer | null)[] = [
      null,
      Buffer.alloc(0),
      Buffer.from(nasty),
      Buffer.from(nasty.repeat(5_000)),
      Buffer.from('x'.repeat(100_000)),
      Buffer.from('"'.repeat(50_000)),
      Buffer.from('\u009b'.repeat(20_000)),
      Buffer.from('\u0000'.repeat(20_000)),
      Buffer.concat([binary, Buffer.alloc(100_000, 0xfe)]),
      Buffer.from('\ufeffwith a mark'),
    ]
    for (const lineMaxBytes of [4_000, 16_000]) {
      for (const value of values) {
        const lines = poisonLines(exhausted({ value, key: value }), { ...about, lineMaxBytes })
        for (const line of lines) {
          assert.ok(Buffer.byteLength(line) <= lineMaxBytes, `${Buffer.byteLength(line)} > ${lineMaxBytes}`)
          assert.equal([...line].find(isControl), undefined)
          assert.ok(line.isWellFormed())
        }
        const { heads, payload } = joined(lines)
        assert.deepEqual([bytes(payload.key), bytes(payload.value)], [value, value])
        if (lines.length === 1) continue
        assert.deepEqual(
          heads.map(({ part, parts, id, event_type }) => [part, parts, id, event_type]),
          lines.map((_, at) => [at + 1, lines.length, 'orders-3@1042/1700000100000', 'POISON_PILL']),
        )
      }
    }
  })

  test('R5 · a long message or a long topic leaves room for the payload', () => {
    const failed = exhausted(
      { topic: 't'.repeat(249), value: Buffer.alloc(9_000, 0x61) },
      new Error('"é'.repeat(2_000)),
    )
    const lines = poisonLines(failed, { ...about, group: 'g'.repeat(200), lineMaxBytes: 4_000 })
    for (const line of lines) assert.ok(Buffer.byteLength(line) <= 6_500)
    assert.equal(joined(lines).payload.value.data, 'a'.repeat(9_000))
  })

  test('R5 · over when the write was taken, and not if it was refused', async () => {
    const writes: { readonly text: string; readonly taken: Parameters<Write>[1] }[] = []
    const write: Write = (text, taken) => writes.push({ text, taken })
    const lines: PoisonLines = { ...about, lineMaxBytes: 4_000 }
    let isOver = false
    const writing = writePoison(write, exhausted({ value: Buffer.alloc(9_000) }), lines).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    assert.equal(writes.length, 1, 'all lines in one piece')
    assert.ok((writes[0]?.text.split('\n').length ?? 0) > 2)
    writes[0]?.taken()
    await writing
    const refused = writePoison(write, exhausted(), lines)
    writes[1]?.taken(Object.assign(new Error('gone'), { code: 'EPIPE' }))
    await assert.rejects(refused, { code: 'EPIPE' })
  })
})

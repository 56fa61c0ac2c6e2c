/** Records that fail: tried again, told apart, and let out by every way there is. None is swallowed, none blocks the others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ParkedKey } from '../../src/consumer/events.ts'
import type { ConsumeOptions } from '../../src/consumer/options.ts'
import { PermanentError, RetryableError } from '../../src/errors.ts'
import { incrementalAlterConfigsApi } from '../../src/protocol/generated/44-incremental-alter-configs.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { committedAtLeast, committedValues, partitionsOf } from './support/committed.ts'
import { mustBe, type Plain, RawKafka } from './support/raw-kafka.ts'
import { run } from './support/runner.ts'

const topicResource = 2
const deliveries = ['at-least-once', 'exactly-once'] as const

export function exits(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  /** A topic with these records in one partition, and a group of its own. */
  async function stage(
    records: readonly Plain[],
  ): Promise<Pick<ConsumeOptions, 'brokers'> & { group: string; topics: [string] }> {
    const topic = unique('orders')
    await raw.createTopic(topic, 1)
    await raw.produce(topic, 0, records)
    return { brokers, group: unique('group'), topics: [topic] }
  }

  const keyed = (...values: readonly string[]): Plain[] =>
    values.map((value) => ({ key: value.split(' ')[0] ?? '', value }))

  async function setConfig(topic: string, name: string, value: string): Promise<void> {
    const configs = [{ name, value, configOperation: 0 }]
    const resources = [{ resourceType: topicResource, resourceName: topic, configs }]
    const { responses } = await raw.send(incrementalAlterConfigsApi, 1, { resources })
    mustBe(responses[0]?.errorCode, `IncrementalAlterConfigs ${topic}`)
  }

  test('R4 R3 · retryable, permanent and classified errors, and a time of its own; a waiting record blocks only its key', async (t) => {
    const options = await stage(
      keyed('a twice', 'a after', 'b permanent', 'c classified', 'd always', 'e waits', 'f fine'),
    )
    const calls: string[] = []
    const retries: { readonly offset: number; readonly inMs: number }[] = []
    const { consumer } = await run(t, {
      ...options,
      retry: { attempts: 3, initialMs: 20, maxMs: 1_000, isPermanent: (error) => error instanceof SyntaxError },
      handle: ({ value }, ctx) => {
        calls.push(`${value} ${ctx.attempt}`)
        if (String(value) === 'a twice' && ctx.attempt < 3) throw new Error('not yet')
        if (String(value) === 'b permanent') throw new PermanentError('never', { code: 'NEVER' })
        if (String(value) === 'c classified') throw new SyntaxError('never')
        if (String(value) === 'd always') throw new Error('always')
        if (String(value) === 'e waits' && ctx.attempt < 2) throw new RetryableError('busy', { retryAfterMs: 600 })
      },
    })
    consumer.on('retry', ({ work, atMs }) => retries.push({ offset: work.offset, inMs: atMs - Date.now() }))
    await within('idle', consumer.idle())
    assert.deepEqual(calls.toSorted(), [
      'a after 1',
      'a twice 1',
      'a twice 2',
      'a twice 3',
      'b permanent 1',
      'c classified 1',
      'd always 1',
      'd always 2',
      'd always 3',
      'e waits 1',
      'e waits 2',
      'f fine 1',
    ])
    assert.ok(calls.indexOf('a after 1') > calls.indexOf('a twice 3'), 'the order of the key holds')
    assert.equal(calls.at(-1), 'e waits 2', 'its own time, and nobody else waits for it')
    assert.deepEqual((await committedValues(raw, `${options.topics[0]}.dlq`)).toSorted(), [
      'b permanent',
      'c classified',
      'd always',
    ])
    const { totals } = consumer.snapshot()
    assert.deepEqual([totals.done, totals.exhausted, totals.retries], [4, 3, 5])
    assert.equal(retries.length, 5)
  })

  for (const delivery of deliveries) {
    test(`R5 R3 · ${delivery}: the dead-letter topic is made like that of the record, letters are byte for byte the record`, async (t) => {
      const topic = unique('orders')
      const group = unique('group')
      await raw.createTopic(topic, 5)
      const odd = Buffer.from([0xff, 0, 0xc3, 0x28])
      const letters: readonly Plain[] = [
        { key: 'text', value: 'é', headers: [['own', odd]] },
        { key: 'binary', value: odd },
        { key: 'tombstone', value: null },
        { key: '', value: '' },
      ]
      for (const [partition, letter] of letters.entries()) await raw.produce(topic, partition, [letter])
      const { consumer } = await run(t, {
        brokers,
        group,
        topics: [topic],
        delivery,
        handle: () => {
          throw new PermanentError('https://user:hunter2@shop/ has no such product', { code: 'NO_PRODUCT' })
        },
      })
      await within('idle', consumer.idle())
      const dlq = `${topic}.dlq`
      assert.equal(await partitionsOf(raw, dlq), 5)
      const found = (await committedAtLeast(raw, dlq, 4)).toSorted(
        (a, b) => Number(a.headers.get('fanlane-source-partition')) - Number(b.headers.get('fanlane-source-partition')),
      )
      assert.deepEqual(
        found.map(({ key, value }) => [key?.toString(), value]),
        letters.map(({ key, value }) => [key, typeof value === 'string' ? Buffer.from(value) : value]),
      )
      for (const [partition, { headers }] of found.entries()) {
        assert.ok(Number(headers.get('fanlane-source-timestamp')) > 1e12)
        assert.deepEqual(
          ['source-topic', 'source-partition', 'source-offset', 'error-code', 'error-message', 'attempts', 'group'].map(
            (name) => headers.get(`fanlane-${name}`),
          ),
          [topic, String(partition), '0', 'NO_PRODUCT', 'https://[redacted]@shop/ has no such product', '1', group],
        )
      }
      assert.equal(found[0]?.headers.get('own'), String(odd))
      assert.equal(consumer.snapshot().totals.exhausted, 4)
    })

    test(`R5 I1 · ${delivery}: the dead-letter topic takes nothing for a while: pending and visible, others go on, then written`, async (t) => {
      const options = await stage(keyed('a poison', 'a after', 'b fine', 'c fine'))
      const [topic] = options.topics
      const dlq = `${topic}.dlq`
      // Room for no letter of ours.
      await raw.createTopic(dlq, 1, { 'max.message.bytes': '80' })
      const seen: string[] = []
      const tries: unknown[] = []
      const { consumer, notes } = await run(t, {
        ...options,
        delivery,
        handle: ({ value }) => {
          seen.push(String(value))
          if (String(value) === 'a poison') throw new PermanentError('never')
        },
      })
      consumer.on('dead-letter-retry', ({ error }) => tries.push(error))
      await until('it is tried again', () => tries.length >= 2)
      assert.ok(tries.every((error) => (error as { code?: string }).code === 'MESSAGE_TOO_LARGE'))
      const blocking = await until('it shows why', () => {
        const found = consumer.snapshot().partitions[0]?.blocking
        return found?.doing === 'waiting' && found
      })
      assert.deepEqual([blocking.offset, String(blocking.why).split(':')[0]], [0, 'MESSAGE_TOO_LARGE'])
      assert.ok(notes.lines.some(({ message }) => message.includes('its way out did not work')))
      await until('the others are done', () => seen.includes('b fine') && seen.includes('c fine'))
      assert.equal(await raw.position(options.group, topic, 0).then((position) => position <= 0), true)
      // In exactly-once the key may go on: its outputs come later in the log, whatever it does.
      if (delivery === 'at-least-once') assert.ok(!seen.includes('a after'))
      await setConfig(dlq, 'max.message.bytes', '1000000')
      await within('idle', consumer.idle())
      const [letter, ...others] = await committedAtLeast(raw, dlq, 1)
      assert.deepEqual([String(letter?.value), others], ['a poison', []])
      // The marker of a transaction may still be on its way.
      await until('it is committed', async () => (await raw.position(options.group, topic, 0)) >= 4)
      assert.equal(seen.filter((value) => value === 'a poison').length, 1, 'its handler is not asked again')
      assert.equal(consumer.snapshot().totals.exhausted, 1)
    })
  }

  test('R5 · a function of the user: pending until it resolves', async (t) => {
    const options = await stage(keyed('a poison', 'a after'))
    const letters: string[] = []
    const { consumer } = await run(t, {
      ...options,
      onExhausted: async ({ value }, error) => {
        letters.push(`${value}: ${(error as Error).message}`)
        if (letters.length < 3) throw new Error('the desk is closed')
      },
      handle: ({ value }) => {
        if (String(value) === 'a poison') throw new PermanentError('never')
        letters.push(String(value))
      },
    })
    await within('idle', consumer.idle())
    assert.deepEqual(letters, ['a poison: never', 'a poison: never', 'a poison: never', 'a after'])
    assert.equal(await raw.position(options.group, options.topics[0], 0), 2)
  })

  test('R5 · skip: counted, said, over', async (t) => {
    const options = await stage(keyed('a poison', 'a after'))
    const skipped: number[] = []
    const { consumer } = await run(t, {
      ...options,
      onExhausted: 'skip',
      handle: ({ value }) => {
        if (String(value) === 'a poison') throw new PermanentError('never')
      },
    })
    consumer.on('skipped', ({ work }) => skipped.push(work.offset))
    await within('idle', consumer.idle())
    assert.deepEqual(skipped, [0])
    assert.deepEqual([consumer.snapshot().totals.skipped, consumer.snapshot().totals.done], [1, 1])
    assert.equal(await raw.position(options.group, options.topics[0], 0), 2)
  })

  test('R5 I2 · stop: the consumer ends with the error, and the record is there for whoever comes next', async (t) => {
    const options = await stage(keyed('a fine', 'b poison', 'c fine'))
    const { consumer } = await run(t, {
      ...options,
      onExhausted: 'stop',
      handle: ({ value }) => {
        if (String(value) === 'b poison') throw new PermanentError('never', { code: 'NEVER' })
      },
    })
    await within('it ends', assert.rejects(consumer.closed, { code: 'NEVER' }))
    const next: string[] = []
    const second = await run(t, { ...options, handle: ({ value }) => next.push(String(value)) })
    await within('idle', second.consumer.idle())
    assert.ok(next.includes('b poison'))
    assert.ok(!next.includes('a fine'), 'what was done stays done')
  })

  test('R5 I3 · the breaker: a key is parked after three poisons in a row, shown, and goes on in order when it is resumed', async (t) => {
    const options = await stage(keyed('a 0', 'a 1', 'b 0', 'a 2', 'a 3', 'b 1', 'a 4'))
    const [topic] = options.topics
    let isWell = false
    const done: string[] = []
    const { consumer } = await run(t, {
      ...options,
      breaker: { poisons: 3 },
      handle: ({ value }) => {
        if (!isWell && String(value).startsWith('a')) throw new PermanentError('the shop is closed', { code: 'CLOSED' })
        done.push(String(value))
      },
    })
    const parked: ParkedKey[] = []
    consumer.on('parked', (key) => parked.push(key))
    // The third letter is still being written when its key is parked.
    const isOver = (): boolean => consumer.snapshot().totals.exhausted === 3 && done.length === 2
    await until('it is parked, the other key is done', () => parked.length === 1 && isOver())
    assert.deepEqual(
      parked.map(({ key, poisons, error }) => [key, poisons, (error as { code?: string }).code]),
      [['a', 3, 'CLOSED']],
    )
    const [partition] = consumer.snapshot().partitions
    assert.deepEqual(
      partition?.parked.map(({ key, depth, poisons, why }) => [key, depth, poisons, why]),
      [['a', 2, 3, 'CLOSED: the shop is closed']],
    )
    await until(
      'the position stands at what is parked',
      async () => (await raw.position(options.group, topic, 0)) === 4,
    )
    isWell = true
    consumer.resume({ topic, partition: 0, key: 'a' })
    await within('idle', consumer.idle())
    assert.deepEqual(done, ['b 0', 'b 1', 'a 3', 'a 4'])
    assert.deepEqual(await committedValues(raw, `${topic}.dlq`), ['a 0', 'a 1', 'a 2'])
  })
}

/** The settings that say what is promised: three deliveries, two orders of results, limits, and who runs first. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryableError } from '../../src/errors.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { committedAtLeast, committedValues } from './support/committed.ts'
import { Ledger } from './support/ledger.ts'
import { startMember } from './support/member-process.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'
import { run } from './support/runner.ts'

export function deliveries(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  test('R1 Q11 · at-most-once: what a handler begins with is committed already, and a failure is not tried again', async (t) => {
    const topic = unique('readings')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 60)
    const early: number[] = []
    const starts: number[] = []
    const { consumer } = await run(t, {
      brokers,
      group,
      topics: [topic],
      delivery: 'at-most-once',
      retry: {},
      concurrency: 10,
      onExhausted: 'skip',
      handle: async ({ offset }) => {
        starts.push(offset)
        if ((await raw.position(group, topic, 0)) <= offset) early.push(offset)
        if (offset % 7 === 0) throw new Error('lost')
      },
    })
    await within('idle', consumer.idle())
    assert.deepEqual(early, [])
    assert.deepEqual(
      starts.toSorted((a, b) => a - b),
      Array.from({ length: 60 }, (_, at) => at),
    )
    const { done, skipped, retries } = consumer.snapshot().totals
    assert.deepEqual([done, skipped, retries], [51, 9, 0])
  })

  test('R1 Q11 I1 · at-most-once, killed with -9 again and again: no record starts twice', async (t) => {
    const topic = unique('readings')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 300, 50)
    const ledger = new Ledger()
    const options = {
      brokers: [...brokers],
      group,
      topics: [topic],
      delivery: 'at-most-once' as const,
      concurrency: 8,
      client: { sessionTimeoutMs: 1_000, heartbeatMs: 200 },
    }
    for (let round = 0; round < 3; round++) {
      const before = ledger.of('start').length
      const member = await startMember(t, ledger, { member: `round ${round}`, workMs: 5, options })
      await until('it has begun some', () => ledger.of('start').length >= before + 60)
      await member.kill()
    }
    const last = await startMember(t, ledger, { member: 'last', workMs: 1, options })
    await until('all is committed', async () => (await raw.stored(group)).every(({ position }) => position === 300))
    await last.close()
    const starts = ledger.of('start').map(({ partition, offset }) => `${partition}@${offset}`)
    assert.equal(new Set(starts).size, starts.length, 'none twice')
    const lost = 600 - starts.length
    assert.ok(lost <= 3 * 2 * 3 * 8, `${lost} of 600 were committed and never began`)
    t.diagnostic(`${lost} of 600 lost in 3 kills`)
  })

  test('R1 Q11 I1 I15 · at-least-once, killed with -9: nothing is lost, little runs twice', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 300, 50)
    const ledger = new Ledger()
    const client = { sessionTimeoutMs: 1_000, heartbeatMs: 200 }
    const options = { brokers: [...brokers], group, topics: [topic], concurrency: 8, client }
    const first = await startMember(t, ledger, { member: 'first', workMs: 5, options })
    await until('it has done some', () => ledger.of('end').length >= 100)
    await first.kill()
    const ended = ledger.of('end').length
    const second = await startMember(t, ledger, { member: 'second', options })
    await until('all is done', () => ledger.hasAll(topic, [300, 300]))
    await second.close()
    ledger.assertComplete(topic, [300, 300])
    ledger.assertKeyOrder(['first'])
    const twice = ledger.of('end').length - 600
    assert.ok(twice < ended, `${twice} of ${ended} ran again`)
    t.diagnostic(`${twice} of ${ended} ran twice`)
  })

  test('R2 · order: one after the other in a partition, or none at all', async (t) => {
    for (const order of ['partition', 'none'] as const) {
      const topic = unique('orders')
      await raw.createTopic(topic, 2)
      for (const partition of [0, 1]) await raw.fill(topic, partition, 40)
      const ends: string[] = []
      const running = new Map<number, number>()
      let most = 0
      const { consumer } = await run(t, {
        brokers,
        group: unique('group'),
        topics: [topic],
        order,
        handle: async ({ partition, offset }) => {
          running.set(partition, (running.get(partition) ?? 0) + 1)
          most = Math.max(most, running.get(partition) ?? 0)
          await sleep(offset === 0 ? 30 : 1)
          running.set(partition, (running.get(partition) ?? 0) - 1)
          ends.push(`${partition}@${offset}`)
        },
      })
      await within('idle', consumer.idle())
      const first = ends.filter((each) => each.startsWith('0@'))
      const inOrder = Array.from({ length: 40 }, (_, at) => `0@${at}`)
      assert.deepEqual([first.length, most === 1], [40, order === 'partition'])
      if (order === 'partition') assert.deepEqual(first, inOrder)
      else assert.notDeepEqual(first, inOrder)
    }
  })

  for (const delivery of ['at-least-once', 'exactly-once'] as const) {
    for (const output of ['input', 'finished'] as const) {
      test(`R2 R3 · ${delivery}, output: '${output}': handlers end in any order, outputs ${output === 'input' ? 'in that of the input' : 'as they end, in order per key'}`, async (t) => {
        const topic = unique('orders')
        const results = unique('results')
        await raw.createTopic(topic, 1)
        await raw.createTopic(results, 1)
        await raw.fill(topic, 0, 200, 25)
        const { consumer } = await run(t, {
          brokers,
          group: unique('group'),
          topics: [topic],
          delivery,
          output,
          retry: { initialMs: 1, maxMs: 5 },
          handle: async ({ key, value, offset }, ctx) => {
            await ctx.send({ topic: results, key, value })
            await sleep(offset === 0 ? 60 : (offset * 7) % 13)
            if (offset % 17 === 0 && ctx.attempt === 1) throw new Error('what this attempt sent is thrown away')
          },
        })
        await within('idle', consumer.idle())
        const found = await committedAtLeast(raw, results, 200)
        const values = found.map(({ value }) => Number(value))
        assert.equal(values.length, 200)
        if (output === 'input')
          assert.deepEqual(
            values,
            Array.from({ length: 200 }, (_, at) => at),
          )
        else {
          assert.notEqual(values[0], 0, 'the slow one does not hold the others up')
          for (const [key, records] of Map.groupBy(found, (record) => String(record.key))) {
            const numbers = records.map(({ value }) => Number(value))
            assert.deepEqual(
              numbers,
              numbers.toSorted((a, b) => a - b),
              `key ${key}`,
            )
          }
        }
      })
    }
  }

  test('R3 · at-least-once: a record is finished when what it sent is acknowledged, not before', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    const results = unique('results')
    await raw.createTopic(topic, 1)
    await raw.createTopic(results, 1, { 'max.message.bytes': '2000' })
    await raw.fill(topic, 0, 3, 3)
    const seen: string[] = []
    const { consumer } = await run(t, {
      brokers,
      group,
      topics: [topic],
      onExhausted: async ({ value }, error) => {
        seen.push(`${value} ${(error as { code?: string }).code}`)
      },
      handle: ({ value, offset }, ctx) =>
        ctx.send([
          { topic: results, value: `${value}` },
          { topic: results, value: offset === 1 ? 'x'.repeat(5_000) : 'small' },
        ]),
    })
    await within('idle', consumer.idle())
    assert.deepEqual(seen, ['1 MESSAGE_TOO_LARGE'], 'at once: no attempt can help')
    assert.equal(await raw.position(group, topic, 0), 3)
    const found = await committedValues(raw, results)
    assert.ok(['0', '2', 'small'].every((value) => found.includes(value)))
  })

  test('R6 P7 I5 · the limit bounds what is in flight; the hot key shows, with its depth', async (t) => {
    const topic = unique('orders')
    await raw.createTopic(topic, 1)
    await raw.produce(topic, 0, [
      ...Array.from({ length: 30 }, (_, at) => ({ key: 'hot', value: String(at) })),
      ...Array.from({ length: 5 }, (_, at) => ({ key: `cold-${at}`, value: String(at) })),
      ...Array.from({ length: 200 }, (_, at) => ({ key: `more-${at}`, value: String(at) })),
    ])
    const gate = Promise.withResolvers<void>()
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, {
      brokers,
      group: unique('group'),
      topics: [topic],
      limits: { records: 50 },
      work: () => gate.promise,
    })
    await until('the limit is reached', () => consumer.snapshot().limits.records.used === 50)
    const { lanes, partitions, limits, engine } = consumer.snapshot()
    assert.deepEqual(lanes.hottest[0], { topic, partition: 0, key: 'hot', depth: 30, paused: null })
    assert.deepEqual([limits.records.used, limits.records.limit], [50, 50])
    assert.equal(engine.running, 21, 'one of each key')
    assert.deepEqual(partitions[0]?.paused, ['backpressure'])
    let most = 0
    const watching = until('all is done', () => {
      most = Math.max(most, consumer.snapshot().limits.records.used)
      return ledger.hasAll(topic, [235])
    })
    gate.resolve()
    await watching
    assert.ok(most <= 50)
    await within('idle', consumer.idle())
    ledger.assertComplete(topic, [235], 'once')
    ledger.assertKeyOrder()
  })

  test('P3 · the record that holds the position back runs before others that were ready earlier', async (t) => {
    const topic = unique('orders')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 40, 40)
    const starts: number[] = []
    const gate = Promise.withResolvers<void>()
    const { consumer } = await run(t, {
      brokers,
      group: unique('group'),
      topics: [topic],
      concurrency: 1,
      handle: async ({ offset }, ctx) => {
        starts.push(offset)
        if (offset === 0 && ctx.attempt === 1) throw new RetryableError('later', { retryAfterMs: 50 })
        // Others are ready behind this one all the time.
        if (offset === 5) await gate.promise
      },
    })
    await until('the first one may run again, and waits for its turn', () => {
      const blocking = consumer.snapshot().partitions[0]?.blocking
      return starts.at(-1) === 5 && blocking?.offset === 0 && blocking.doing === 'queued'
    })
    gate.resolve()
    await within('idle', consumer.idle())
    assert.deepEqual(starts.slice(0, 8), [0, 1, 2, 3, 4, 5, 0, 6])
    assert.equal(starts.length, 41)
  })
}

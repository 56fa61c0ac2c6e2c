/** Exactly once, as somebody sees it who reads committed records only: through failures, kills, rebalances and refused outputs. */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { cleanUp } from './support/cleanup.ts'
import { committedAtLeast, committedValues } from './support/committed.ts'
import type { CopierSpec } from './support/copier-main.ts'
import { mapOf } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { run } from './support/runner.ts'

const main = fileURLToPath(new URL('support/copier-main.ts', import.meta.url))
const lively = { sessionTimeoutMs: 1_500, heartbeatMs: 200 }

interface Copier {
  readonly child: ChildProcess
  readonly done: number
  kill(): Promise<void>
  close(): Promise<void>
}

function startCopier(t: TestContext, spec: CopierSpec): Copier {
  const child = fork(main, [JSON.stringify(spec)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  let done = 0
  child.on('message', (count: number) => {
    done = count
  })
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  cleanUp(t, kill)
  return {
    child,
    get done() {
      return done
    },
    kill,
    async close() {
      child.send('close')
      assert.deepEqual((await ended)[0], 0, 'a clean end')
    },
  }
}

export function exactlyOnce(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  interface Stage {
    readonly topic: string
    readonly output: string
    readonly group: string
  }

  async function stage(partitions: number, outputConfigs: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const topic = unique('orders')
    const output = unique('invoices')
    await raw.createTopic(topic, partitions)
    await raw.createTopic(output, partitions, outputConfigs)
    return { topic, output, group: unique('group') }
  }

  /** Values `partition/number`, so that every one of the topic is different. */
  async function fill(topic: string, partition: number, count: number, from = 0, keys = 20): Promise<void> {
    const record = (_: unknown, at: number) => ({
      key: `k${(from + at) % keys}`,
      value: `${partition}/${from + at}`,
    })
    await raw.produce(topic, partition, Array.from({ length: count }, record))
  }

  const all = (partitions: number, count: number): string[] =>
    Array.from({ length: partitions }, (_, partition) =>
      Array.from({ length: count }, (_, at) => `${partition}/${at}`),
    ).flat()

  /** Nothing missing, nothing twice, and each key in its order. */
  async function assertOnce(output: string, wanted: readonly string[]): Promise<void> {
    const found = await committedAtLeast(raw, output, wanted.length)
    const values = found.map(({ value }) => String(value))
    const seen = new Set(values)
    assert.deepEqual(
      wanted.filter((value) => !seen.has(value)),
      [],
      'missing',
    )
    assert.deepEqual(
      values.filter((value, at) => values.indexOf(value) !== at),
      [],
      'twice',
    )
    assert.equal(values.length, wanted.length)
    const lanes = Map.groupBy(found, ({ key, value }) => `${String(value).split('/')[0]} ${key}`)
    for (const [lane, records] of lanes) {
      const numbers = records.map(({ value }) => Number(String(value).split('/')[1]))
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => a - b),
        lane,
      )
    }
  }

  /** A transaction is decided before its marker has reached the group's offsets: who does not ask for stable ones sees the old. */
  async function positionIs(group: string, topic: string, position: number): Promise<void> {
    await until(`the position is ${position}`, async () => (await raw.position(group, topic, 0)) === position)
  }

  test('R1 X2 Q11 I9 · outputs of what is finished, position and map together; nothing of what is not, nor of attempts that failed', async (t) => {
    const { topic, output, group } = await stage(1)
    await fill(topic, 0, 100, 0, 100)
    const gate = Promise.withResolvers<void>()
    const { consumer } = await run(t, {
      brokers,
      group,
      topics: [topic],
      delivery: 'exactly-once',
      handle: async ({ key, value, offset }, ctx) => {
        await ctx.send({ topic: output, key, value: ctx.attempt === 1 && offset % 9 === 0 ? 'never' : value })
        if (ctx.attempt === 1 && offset % 9 === 0) throw new Error('again')
        if (offset === 7) await gate.promise
      },
    })
    const stored = await until('the rest is in the map', async () => {
      const [found] = await raw.stored(group)
      return found !== undefined && mapOf(found.position, found.metadata).length === 92 && found
    })
    assert.equal(stored.position, 7)
    await assertOnce(
      output,
      all(1, 100).filter((each) => each !== '0/7'),
    )
    gate.resolve()
    await within('idle', consumer.idle())
    await positionIs(group, topic, 100)
    await assertOnce(output, all(1, 100))
  })

  test('X2 R5 · an output that can never be written fails its record, as often as there are such, and nobody else', async (t) => {
    const { topic, output, group } = await stage(1, { 'max.message.bytes': '3000' })
    await fill(topic, 0, 60)
    const { consumer } = await run(t, {
      brokers,
      group,
      topics: [topic],
      delivery: 'exactly-once',
      handle: ({ key, value, offset }, ctx) =>
        ctx.send({ topic: output, key, value: offset % 6 === 0 ? Buffer.alloc(5_000) : value }),
    })
    await within('idle', consumer.idle())
    const isLarge = (_: unknown, at: number): boolean => at % 6 === 0
    const letters = await committedAtLeast(raw, `${topic}.dlq`, 10)
    assert.deepEqual(letters.map(({ value }) => String(value)).toSorted(), all(1, 60).filter(isLarge).toSorted())
    await assertOnce(
      output,
      all(1, 60).filter((_, at) => !isLarge(_, at)),
    )
    const { exhausted, transactionAborts } = consumer.snapshot().totals
    assert.equal(exhausted, 10)
    assert.ok(transactionAborts <= 10, `${transactionAborts} transactions for 10 records`)
    await positionIs(group, topic, 60)
  })

  test('X5 I9 · the map is full: outputs are withheld, the partition pauses and says why, and all is published once', async (t) => {
    const { topic, output, group } = await stage(1)
    for (let from = 0; from < 2_000; from += 500) await fill(topic, 0, 500, from, 2_000)
    // Without any pattern, so that the map has much to say.
    const isHeld = (offset: number): boolean => offset === 0 || (Math.imul(offset + 7, 2_654_435_761) >>> 16) % 5 < 2
    const gate = Promise.withResolvers<void>()
    const longest: number[] = []
    const { consumer } = await run(t, {
      brokers,
      group,
      topics: [topic],
      delivery: 'exactly-once',
      commit: { everyMs: 20, mapMaxChars: 100 },
      limits: { records: 1_000 },
      concurrency: 1_000,
      handle: async ({ key, value, offset }, ctx) => {
        await ctx.send({ topic: output, key, value })
        if (isHeld(offset)) await gate.promise
      },
    })
    consumer.on('committed', (entries) => longest.push(...entries.map(({ metadata }) => metadata.length)))
    await until('it says so', () => consumer.snapshot().partitions[0]?.paused.includes('map-full'))
    const published = await until('what fits is published', async () => {
      const found = await committedValues(raw, output)
      return found.length > 0 && found.length
    })
    assert.ok(published < 1_000)
    gate.resolve()
    await within('idle', consumer.idle())
    assert.ok(Math.max(...longest) <= 100, `${Math.max(...longest)} characters`)
    await assertOnce(output, all(1, 2_000))
    assert.deepEqual(consumer.snapshot().partitions[0]?.paused, [])
  })

  test('X3 · another process takes our transactional id: this one stops by itself and says why', async (t) => {
    const { topic, output, group } = await stage(1)
    await fill(topic, 0, 20)
    const transactionalId = unique('copier')
    const options = { brokers, topics: [topic], delivery: 'exactly-once', transactionalId } as const
    const copy = async (
      { key, value }: { key: Buffer | null; value: Buffer | null },
      ctx: { send: Send },
    ): Promise<void> => ctx.send({ topic: output, key, value })
    const first = await run(t, { ...options, group, handle: copy })
    await within('idle', first.consumer.idle())
    const fenced: unknown[] = []
    first.consumer.on('fenced', (error) => fenced.push(error))
    // Of another group, so that nothing but the id is taken.
    const second = await run(t, { ...options, group: unique('other'), startFrom: 'latest', handle: copy })
    await within('idle', second.consumer.idle())
    await fill(topic, 0, 20, 20)
    await within('it stops', assert.rejects(first.consumer.closed, { code: /FENCED|INVALID_PRODUCER_EPOCH/ }))
    assert.equal(fenced.length, 1)
    await within('idle', second.consumer.idle())
    const next = await run(t, { ...options, group, transactionalId: unique('heir'), handle: copy })
    await within('idle', next.consumer.idle())
    const values = (await committedAtLeast(raw, output, 60)).map(({ value }) => String(value))
    // The first 20 once; the others once by each group.
    assert.deepEqual(values.toSorted(), [...all(1, 20), ...all(1, 40).slice(20), ...all(1, 40).slice(20)].toSorted())
  })

  for (const protocol of ['classic', 'consumer'] as const) {
    test(`X3 X4 I9 · ${protocol}: members join and leave while transactions are under way: every output once`, async (t) => {
      const { topic, output, group } = await stage(4)
      const member = async () =>
        run(t, {
          brokers,
          group,
          topics: [topic],
          delivery: 'exactly-once',
          commit: { everyMs: 10 },
          client: { protocol, ...(protocol === 'classic' ? lively : {}) },
          handle: async ({ key, value, offset }, ctx) => {
            await ctx.send({ topic: output, key, value })
            if (offset % 13 === 0 && ctx.attempt === 1) throw new Error('again')
          },
        })
      const stays = await member()
      let count = 0
      for (let round = 0; round < 4; round++) {
        const guest = await member()
        // The load does not end before the guest has its share of it.
        const isShared = async (): Promise<boolean> => {
          for (let partition = 0; partition < 4; partition++) await fill(topic, partition, 20, count)
          count += 20
          return guest.consumer.snapshot().totals.done > 0
        }
        await until('the guest takes part', isShared)
        await guest.consumer.close()
      }
      const committedAll = async (): Promise<boolean> =>
        (await raw.stored(group)).filter(({ position }) => position >= count).length === 4
      await until('all is committed', committedAll)
      await within('idle', stays.consumer.idle())
      await assertOnce(output, all(4, count))
    })
  }

  test('X2 X3 X4 X8 I9 Q11 · processes that are killed with -9 under load: every output once', async (t) => {
    const { topic, output, group } = await stage(3)
    const spec = { brokers: [...brokers], group, from: topic, to: output, client: lively }
    let count = 0
    const more = async (): Promise<void> => {
      for (let partition = 0; partition < 3; partition++) await fill(topic, partition, 100, count)
      count += 100
    }
    let stays = startCopier(t, spec)
    for (let round = 0; round < 4; round++) {
      const other = startCopier(t, spec)
      for (let batch = 0; batch < 3; batch++) await more()
      const from = stays.done
      await until('it is at work', () => stays.done > from + 20 || other.done > 20)
      await stays.kill()
      stays = other
      await more()
    }
    const isThere = async (): Promise<boolean> =>
      (await raw.stored(group)).filter(({ position }) => position >= count).length === 3
    await until('all is committed', isThere)
    await stays.close()
    await assertOnce(output, all(3, count))
    t.diagnostic(`${count * 3} records, 4 processes killed`)
  })
}

type Send = (record: { topic: string; key: Buffer | null; value: Buffer | null }) => Promise<void>

/**
 * Failures that were seen in other clients on Apache Kafka, one test each. Every test opens with what happened there;
 * bench/peers/failures/ runs the same stages against those clients.
 */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { consume } from '../../src/consume.ts'
import { createProducer } from '../../src/create-producer.ts'
import type { ConsumedRecord, HandlerContext } from '../../src/engines/handler.ts'
import { FanlaneError } from '../../src/errors.ts'
import { createTopicsApi } from '../../src/protocol/generated/19-create-topics.ts'
import { notebook } from '../e2e/support.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { abortedCases, evictAll } from './failures-stage.ts'
import { cleanUp } from './support/cleanup.ts'
import { Ledger, mapOf } from './support/ledger.ts'
import { mustBe, RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted
/** Heartbeats so rare that a member hears of its eviction only when it commits. */
const deaf = { heartbeatMs: 20_000, sessionTimeoutMs: 60_000 }
const lively = { heartbeatMs: 100, sessionTimeoutMs: 10_000 }

export function failures({ brokers }: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  /** A topic of its own with numbered values, the same number in every partition. */
  const stage = async (partitions: number, count: number, keys = 10): Promise<{ topic: string; group: string }> => {
    const topic = unique('orders')
    await raw.createTopic(topic, partitions)
    for (let partition = 0; partition < partitions; partition++) await raw.fill(topic, partition, count, keys)
    return { topic, group: unique('group') }
  }

  test('G6 I4 · an evicted member does not take the position back', async (t) => {
    // A member had stalled, the group had given its partition to another one, and that one had committed 90. Then the first
    // woke up and committed its 10. The broker refused: unknown member. The client joined the group again and sent the same
    // commit once more, as a member that it now was: 90 became 10, and 80 records ran again.
    const { topic, group } = await stage(1, 90)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const options = { brokers, group, topics: [topic], order: 'partition' } as const
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const stalled = await read(t, ledger, {
      ...options,
      member: 'stalled',
      commit: 'manual',
      client: deaf,
      work: ({ offset }) => (offset === 10 ? released : undefined),
    })
    await until('ten are done', () => ledger.of('end').length === 10)
    await evictAll(raw, group)
    await read(t, ledger, { ...options, member: 'heir', client: lively })
    await until('the heir is done', async () => (await raw.position(group, topic, 0)) === 90)
    await within('refused', assert.rejects(stalled.consumer.commit(), code('COMMIT_FENCED')))
    release()
    await until('both are members', async () => (await raw.members(group)).length === 2)
    await stalled.consumer.commit()
    assert.equal(await raw.position(group, topic, 0), 90)
    await raw.fill(topic, 0, 10, 1, 90)
    await until('somebody goes on', () => ledger.hasAll(topic, [100]))
    await stalled.consumer.close()
    await until('all is committed', async () => (await raw.position(group, topic, 0)) === 100)
    await watch.stop()
  })

  for (const { name, partitionMaxBytes, from, write } of abortedCases) {
    test(`X6 · read_committed delivers nothing that was aborted: ${name}`, async (t) => {
      // The client kept one aborted range for each producer of an answer, the last, and closed it with the marker it found in
      // the same answer. Of two aborted transactions the first was delivered; where the marker came later, all of it.
      const topic = unique('ledger')
      const group = unique('group')
      await raw.createTopic(topic)
      const committed = await write(raw, topic)
      if (from > 0) await raw.store(group, [{ topic, partition: 0, position: from, metadata: '' }])
      const ledger = new Ledger()
      const { consumer } = await read(t, ledger, { brokers, group, topics: [topic], client: { partitionMaxBytes } })
      await within('idle', consumer.idle())
      assert.deepEqual(
        ledger.of('end').map(({ value }) => value),
        committed,
      )
    })
  }

  test('P6 I2b · what is committed with a position comes back, every character of it', async (t) => {
    // The client took metadata with a commit and sent null; another one added a NUL on the way out and cut the last
    // character on the way in. What is finished behind the position was lost, silently: it ran again after every restart.
    const { topic, group } = await stage(1, 200, 200)
    const ledger = new Ledger()
    const options = { brokers, group, topics: [topic] }
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    // Every third record hangs, so the map has something to say.
    const first = await read(t, ledger, {
      ...options,
      member: 'first',
      concurrency: 200,
      drainMs: 100,
      closeMs: 500,
      work: ({ offset }) => (offset % 3 === 0 ? held : undefined),
    })
    await until('the others are done', () => ledger.of('end').length === 133)
    await first.consumer.close()
    const [stored] = await raw.stored(group)
    assert.equal(stored?.position, 0)
    const claimed = mapOf(0, stored.metadata)
    assert.deepEqual(
      claimed,
      [...ledger.ended(topic, 0)].sort((a, b) => a - b),
    )
    const second = await read(t, ledger, { ...options, member: 'second' })
    await within('idle', second.consumer.idle())
    const again = ledger.of('start', { member: 'second' }).map(({ offset }) => offset)
    assert.deepEqual(
      again.sort((a, b) => a - b),
      Array.from({ length: 67 }, (_, at) => at * 3),
      'what was not finished, and nothing else',
    )
    release()
  })

  test('P5 I8 I11 · nobody begins with a partition while a handler of its last owner runs', async (t) => {
    // Two clients tell of a rebalance when it is over, or while it goes on without them. The new owner began at the last
    // commit while the old one was still writing: the same order was handled by two processes at the same time.
    const { topic, group } = await stage(2, 20, 1)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const options = { brokers, group, topics: [topic], client: lively }
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const one = await read(t, ledger, {
      ...options,
      member: 'one',
      work: ({ offset }) => (offset === 5 ? released : undefined),
    })
    await until('both partitions hang', () => ledger.of('end').length === 10)
    const two = await read(t, ledger, { ...options, member: 'two' })
    await until('the group waits for one of them', async () => (await raw.members(group)).length === 2)
    // Time passes for all of them, and the group does not go on.
    for (let look = 0; look < 50; look++) {
      await raw.stored(group)
      assert.deepEqual(ledger.of('start', { member: 'two' }), [])
    }
    release()
    await until('one has moved', () => two.held.size === 1 && one.held.size === 1)
    await until('all is done', () => ledger.hasAll(topic, [20, 20]))
    await watch.stop()
    ledger.assertComplete(topic, [20, 20], 'once')
    ledger.assertKeyOrder()
  })

  test('P5 I11 · after a rebalance nothing of a revoked partition is delivered', async (t) => {
    // The stream held what it had fetched. Its partition moved, and 43,000 to 47,000 records that others now handled came
    // out of it none the less.
    const { topic, group } = await stage(2, 2_500, 50)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const { promise: joined, resolve: join } = Promise.withResolvers<void>()
    // Nothing beyond the first records ends before the other member is there, and then slowly: the rebalance meets full hands.
    const work = async ({ offset }: ConsumedRecord): Promise<void> => {
      if (offset >= 50) await joined
      await sleep(1)
    }
    const options = { brokers, group, topics: [topic], client: lively, concurrency: 4 }
    const one = await read(t, ledger, { ...options, member: 'one', work })
    const atRevoke = new Map<number, number>()
    one.consumer.on('revoked', (partitions) => {
      for (const { partition } of partitions) atRevoke.set(partition, startsOf(ledger, 'one', partition))
    })
    await until('it is in the middle', () => ledger.of('end').length >= 50)
    const two = await read(t, ledger, { ...options, member: 'two' })
    await until('both are members', async () => (await raw.members(group)).length === 2)
    join()
    await until('one has moved', () => two.held.size === 1 && one.held.size === 1)
    await until('all is done', () => ledger.hasAll(topic, [2_500, 2_500]))
    await watch.stop()
    const [[moved, before] = [-1, -1]] = atRevoke
    assert.equal(atRevoke.size, 1)
    assert.ok(before < 2_500, 'there was something left to deliver')
    assert.equal(startsOf(ledger, 'one', moved), before, 'nothing of it started after the revoke')
    ledger.assertComplete(topic, [2_500, 2_500], 'once')
    ledger.assertKeyOrder()
  })

  test('X2 · offsets of one transaction that are added at the same time: all of them, with their metadata', async () => {
    // Two calls at once were taken for one that was made twice: the second one's offsets were not sent, and its promise
    // resolved. Metadata could not be given at all, or was left out.
    const { topic, group } = await stage(3, 1)
    await using producer = await createProducer({ brokers, transactionalId: unique('tx') })
    const metadata = (partition: number): string => '圖'.repeat(1_000 * (partition + 1))
    await producer.transaction(async (tx) => {
      const add = (partition: number): Promise<void> => {
        const offsets = [{ topic, partition, offset: partition + 5, metadata: metadata(partition) }]
        return tx.sendOffsets({ groupId: group, offsets })
      }
      await Promise.all([tx.send({ topic, value: 'output', partition: 0 }), ...[0, 1, 2].map(add)])
    })
    // Decided; the group hears of it from the coordinator of transactions.
    const stored = await until('all three are there', async () => {
      const found = await raw.stored(group)
      return found.length === 3 && found.toSorted((a, b) => a.partition - b.partition)
    })
    for (const [at, { partition, position, ...rest }] of stored.entries()) {
      assert.deepEqual([partition, position], [at, at + 5])
      assert.ok(rest.metadata === metadata(at), `the metadata of ${at}: ${rest.metadata?.length} characters`)
    }
  })

  test('X3 I9 · exactly-once: the group refuses the transaction of a member that it has replaced', async (t) => {
    // The transaction carried offsets, but not who sent them: no member, no generation. The group took them from a member
    // that it had evicted long ago, and the outputs of both, the old owner and the new one, were committed.
    const { topic, group } = await stage(1, 10)
    const output = unique('output')
    await raw.createTopic(output)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const hung = Promise.withResolvers<void>()
    const member = (client: object, work: (record: ConsumedRecord) => unknown) =>
      exactlyOnce(t, { brokers, group, topics: [topic], client }, async (record, context) => {
        await context.send({ topic: output, value: record.value })
        await work(record)
      })
    const zombie = await member({ ...deaf, heartbeatMs: 20_000 }, ({ offset }) => {
      if (offset !== 3) return undefined
      hung.resolve()
      return released
    })
    await within('it hangs', hung.promise)
    await until('three are committed', async () => (await raw.position(group, topic, 0)) === 3)
    await evictAll(raw, group)
    const heir = await member(lively, () => undefined)
    await until('the heir is done', async () => (await raw.position(group, topic, 0)) === 10)
    release()
    await until('the zombie is a member again', async () => (await raw.members(group)).length === 2)
    await raw.fill(topic, 0, 10, 10, 10)
    await until('they go on', async () => (await raw.position(group, topic, 0)) === 20)
    await zombie.close()
    await heir.close()
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group: unique('reader'), topics: [output] })
    await within('idle', consumer.idle())
    const values = ledger.of('end').map(({ value }) => Number(value))
    assert.deepEqual(
      values.sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at),
      'every output once',
    )
  })

  for (const idempotent of [true, false]) {
    test(`X1 Q9 · a topic that is being created while 400 records are sent to it, ${idempotent ? '' : 'not '}idempotent: each is in once`, async () => {
      // The send resolved, and 200 of 400 records were in the log twice. It is a race: where a client loses it, it loses it in
      // few rounds or in half of them.
      await using producer = await createProducer({ brokers, idempotent })
      for (let round = 0; round < 40; round++) {
        const topic = unique('fresh')
        // Answered, but not yet known everywhere: that is the race.
        const { topics } = await raw.send(createTopicsApi, 5, {
          timeoutMs: 10_000,
          topics: [{ name: topic, numPartitions: 8, replicationFactor: 1 }],
        })
        mustBe(topics[0]?.errorCode, `CreateTopics ${topic}`)
        const records = Array.from({ length: 400 }, (_, at) => ({ topic, value: String(at), partition: at % 8 }))
        const delivered = await within('all are in', producer.send(records))
        assert.deepEqual(
          delivered.map(({ offset }) => offset),
          records.map((_, at) => Math.floor(at / 8)),
        )
        for (let partition = 0; partition < 8; partition++) {
          assert.equal((await raw.offsets(topic, partition)).length, 50, `round ${round}, partition ${partition}`)
        }
      }
    })
  }
}

const startsOf = (ledger: Ledger, member: string, partition: number): number =>
  ledger.of('start', { member }).filter((entry) => entry.partition === partition).length

async function exactlyOnce(
  t: TestContext,
  options: {
    readonly brokers: readonly string[]
    readonly group: string
    readonly topics: readonly string[]
    readonly client: object
  },
  handle: (record: ConsumedRecord, context: HandlerContext) => Promise<void>,
) {
  const consumer = await consume({
    ...options,
    client: { fetchMaxWaitMs: 100, ...options.client },
    delivery: 'exactly-once',
    order: 'partition',
    commit: { everyMs: 50 },
    closeMs: 5_000,
    logger: notebook(),
    handle,
  })
  consumer.closed.catch(() => undefined)
  cleanUp(t, () => consumer.close().catch(() => undefined))
  return consumer
}

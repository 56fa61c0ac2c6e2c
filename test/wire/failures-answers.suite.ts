/**
 * Success is what the broker says. A client called its commits done once they were queued: the process ended, or the broker
 * refused, and nobody was told. Here every promise is asked twice: while the broker cannot hear us it must not settle, and
 * once it resolves, what it promised must be there.
 */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { createProducer } from '../../src/create-producer.ts'
import { FanlaneError } from '../../src/errors.ts'
import type { PausableProxy } from '../support/pausable-proxy.ts'
import { unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { evictAll } from './failures-stage.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

/** A broker whose clients come through a proxy; `direct` does not. */
export interface Proxied {
  readonly brokers: readonly string[]
  readonly proxy: PausableProxy
  readonly direct: readonly string[]
}

const code = (wanted: string) => (error: unknown) => error instanceof FanlaneError && error.code === wanted

export function answers({ brokers, direct, proxy }: Proxied): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(direct)
  })
  after(() => raw[Symbol.asyncDispose]())

  /** Calls while nothing reaches the broker; the promise must be open after 50 questions that others had answered. */
  async function deafly<T>(t: TestContext, call: () => Promise<T>, ask: () => Promise<unknown>): Promise<T> {
    proxy.pause()
    t.after(() => proxy.resume())
    let isSettled = false
    const promise = call().finally(() => {
      isSettled = true
    })
    promise.catch(() => undefined)
    for (let question = 0; question < 50; question++) {
      await ask()
      assert.equal(isSettled, false, 'nobody has answered')
    }
    proxy.resume()
    return within('answered', promise)
  }

  const consumer = async (t: TestContext, topic: string, group: string, done: number) => {
    const ledger = new Ledger()
    const client = { heartbeatMs: 5_000, sessionTimeoutMs: 30_000 }
    const reader = await read(t, ledger, { brokers, group, topics: [topic], commit: 'manual', client })
    await until('all are done', () => ledger.of('end').length === done)
    return reader.consumer
  }

  test('G6 · commit() resolves when the broker has stored it, and not before', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic)
    await raw.fill(topic, 0, 20)
    const reader = await consumer(t, topic, group, 20)
    await deafly(
      t,
      () => reader.commit(),
      async () => assert.equal(await raw.position(group, topic, 0), -1),
    )
    assert.equal(await raw.position(group, topic, 0), 20)
  })

  test('G6 · a commit that the broker refuses is no success', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic)
    await raw.fill(topic, 0, 20)
    const reader = await consumer(t, topic, group, 20)
    await evictAll(raw, group)
    await within('refused', assert.rejects(reader.commit(), code('COMMIT_FENCED')))
    assert.equal(await raw.position(group, topic, 0), -1)
  })

  for (const acks of ['all', 1] as const) {
    test(`Q9 · send() with acks ${acks} resolves when the record is in the log, and not before`, async (t) => {
      const topic = unique('orders')
      await raw.createTopic(topic)
      await using producer = await createProducer({ brokers, acks })
      await producer.send({ topic, value: 'first' })
      const count = async (): Promise<number> => (await raw.offsets(topic, 0)).length
      const [delivered] = await deafly(
        t,
        () => producer.send({ topic, value: 'second' }),
        async () => assert.equal(await count(), 1),
      )
      assert.deepEqual([await count(), delivered?.offset], [2, 1])
    })
  }

  test('Q9 · a record that the broker refuses is no success', async () => {
    const topic = unique('orders')
    await raw.createTopic(topic, 1, { 'max.message.bytes': '1000' })
    await using producer = await createProducer({ brokers })
    await assert.rejects(producer.send({ topic, value: 'x'.repeat(2_000) }), code('MESSAGE_TOO_LARGE'))
    assert.deepEqual(await raw.offsets(topic, 0), [])
  })

  test('X2 · transaction() resolves when the broker has decided it, and not before', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic)
    await using producer = await createProducer({ brokers, transactionalId: unique('tx') })
    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const running = producer.transaction(async (tx) => {
      await tx.send({ topic, value: 'output' })
      await tx.sendOffsets({ groupId: group, offsets: [{ topic, partition: 0, offset: 7 }] })
      written.resolve()
      await goOn.promise
    })
    await within('all but the end', Promise.race([written.promise, running]))
    await deafly(
      t,
      () => {
        goOn.resolve()
        return running
      },
      async () => assert.equal(await raw.position(group, topic, 0), -1),
    )
    // Decided; the group hears of it from the coordinator of transactions.
    await until('the offset is there', async () => (await raw.position(group, topic, 0)) === 7)
  })
}

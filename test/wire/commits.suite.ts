/** When offsets are stored: by hand, before the work, not at all where the group does not take us. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger, mapOf } from './support/ledger.ts'
import { startMember } from './support/member-process.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

export function commits(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  test('G6 · by hand: nothing is stored before commit(), and then all that is finished', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 20, 20)
    const ledger = new Ledger()
    const held = Promise.withResolvers<void>()
    const { consumer } = await read(t, ledger, {
      brokers,
      group,
      topics: [topic],
      commit: 'manual',
      work: ({ offset }) => (offset === 5 ? held.promise : undefined),
    })
    await until('19 are done', () => ledger.ended(topic, 0).size === 19)
    assert.deepEqual(await raw.stored(group), [])
    await within('commit', consumer.commit())
    const [stored] = await raw.stored(group)
    assert.equal(stored?.position, 5)
    assert.equal(mapOf(5, stored?.metadata ?? null).length, 14)
    held.resolve()
    await within('idle', consumer.idle())
    assert.equal(await raw.position(group, topic, 0), 5)
    await consumer.close()
    assert.equal(await raw.position(group, topic, 0), 5, 'closing leaves it to you, too')
  })

  test('R1 I1 · at-most-once, killed with -9: no record starts twice', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 200, 20)
    const ledger = new Ledger()
    const options = { brokers: [...brokers], group, topics: [topic], delivery: 'at-most-once', concurrency: 5 } as const
    const short = { sessionTimeoutMs: 2_000, heartbeatMs: 300 }
    const first = await startMember(t, ledger, {
      member: 'first',
      workMs: 20,
      options: { ...options, client: short },
    })
    await until('some have started', () => ledger.of('start').length > 20)
    await first.kill()
    const second = await read(t, ledger, { ...options, member: 'second' })
    await until('it has both', () => second.held.size === 2)
    await within('idle', second.consumer.idle())
    const starts = ledger.of('start').map(({ partition, offset }) => `${partition}@${offset}`)
    assert.equal(new Set(starts).size, starts.length)
    assert.ok(starts.length > 300, `${starts.length} of 400 were started`)
    for (const { position } of await raw.stored(group)) assert.equal(position, 200)
  })

  test('G6 I4 · partitions by name beside a group with members: refused, tried again, and said', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 10)
    const ledger = new Ledger()
    const member = await read(t, ledger, { brokers, group, topics: [topic], member: 'member' })
    await within('idle', member.consumer.idle())
    const stranger = await read(t, ledger, {
      brokers,
      group,
      partitions: [{ topic, partition: 0, offset: 0 }],
      member: 'stranger',
      closeMs: 800,
    })
    await until('it reads', () => ledger.of('end', { member: 'stranger' }).length === 10)
    await member.consumer.close()
    // Now that the group is empty, Kafka takes commits of anybody.
    await within('idle', stranger.consumer.idle())
    assert.equal(await raw.position(group, topic, 0), 10)
  })
}

/** Topics that come, grow, go and come back while a consumer reads. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'

export function topics(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target
  const client = { metadataMaxAgeMs: 150, heartbeatMs: 100 }

  test('G2 · a pattern takes topics that match, those too that are created later, and no others', async (t) => {
    const name = unique('tree')
    const group = unique('group')
    for (const part of ['oak', 'elm']) await raw.createTopic(`${name}.${part}`, 2)
    await raw.createTopic(`other-${name}.oak`, 1)
    const ledger = new Ledger()
    const pattern = new RegExp(`^${name}\\.`)
    const { held, history } = await read(t, ledger, { brokers, group, topics: [pattern], client })
    await until('it has four', () => held.size === 4)
    await raw.createTopic(`${name}.ash`, 2)
    for (const part of ['oak', 'elm', 'ash']) await raw.fill(`${name}.${part}`, 1, 10)
    await raw.fill(`other-${name}.oak`, 0, 10)
    await until('it has six', () => held.size === 6)
    await until('all are read', () => ['oak', 'elm', 'ash'].every((part) => ledger.hasAll(`${name}.${part}`, [0, 10])))
    assert.ok(
      history.every((each) => each.startsWith('+')),
      'nothing was taken away for that',
    )
    assert.equal(ledger.of('start', { topic: `other-${name}.oak` }).length, 0)
  })

  test('G2 · a pattern and two members: both know of the new topic', async (t) => {
    const name = unique('tree')
    const group = unique('group')
    await raw.createTopic(`${name}.oak`, 2)
    const ledger = new Ledger()
    const options = { brokers, group, topics: [new RegExp(`^${name}\\.`)], client }
    const one = await read(t, ledger, { ...options, member: 'one' })
    const two = await read(t, ledger, { ...options, member: 'two' })
    await until('they share', () => one.held.size === 1 && two.held.size === 1)
    await raw.createTopic(`${name}.ash`, 2)
    await raw.fill(`${name}.ash`, 0, 10)
    await raw.fill(`${name}.ash`, 1, 10)
    await until('they share again', () => one.held.size === 2 && two.held.size === 2)
    await until('all are read', () => ledger.hasAll(`${name}.ash`, [10, 10]))
    ledger.assertComplete(`${name}.ash`, [10, 10], 'once')
  })

  test('G2 Q8 · partitions added online are found and read from their beginning', async (t) => {
    const topic = unique('grows')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 10)
    const ledger = new Ledger()
    const options = { brokers, group, topics: [topic], client, startFrom: 'earliest' } as const
    const { held, history } = await read(t, ledger, options)
    await until('the first is read', () => ledger.hasAll(topic, [10]))
    await raw.addPartitions(topic, 3)
    for (const partition of [1, 2]) await raw.fill(topic, partition, 10)
    await until('it has three', () => held.size === 3)
    await until('all are read', () => ledger.hasAll(topic, [10, 10, 10]))
    ledger.assertComplete(topic, [10, 10, 10], 'once')
    assert.deepEqual(
      history.toSorted(),
      [0, 1, 2].map((partition) => `+${topic}-${partition}`),
    )
  })

  test('G2 · a topic that does not exist yet: created where the broker allows it, and read', async (t) => {
    const topic = unique('later')
    const there = unique('there')
    const group = unique('group')
    await raw.createTopic(there, 1)
    await raw.fill(there, 0, 5)
    const ledger = new Ledger()
    const { notes } = await read(t, ledger, { brokers, group, topics: [there, topic], client })
    await until('what is there is read', () => ledger.hasAll(there, [5]))
    // Where brokers create topics that are asked for, it is there by now.
    await raw.fill(topic, 0, 10)
    await until('it is read', () => ledger.hasAll(topic, [10]))
    ledger.assertComplete(topic, [10], 'once')
    assert.deepEqual(
      notes.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  for (const count of [10, 50]) {
    test(`G2 P2 I1 · a topic of 30 records is deleted and created again with ${count}: read from its beginning, the other goes on`, async (t) => {
      const topic = unique('phoenix')
      const other = unique('steady')
      const group = unique('group')
      await raw.createTopic(topic, 1)
      await raw.createTopic(other, 1)
      await raw.fill(topic, 0, 30)
      const ledger = new Ledger()
      const { consumer } = await read(t, ledger, { brokers, group, topics: [topic, other], client })
      await until('all are read', () => ledger.hasAll(topic, [30]))
      await within('idle', consumer.idle())
      const before = ledger.of('end', { topic }).length
      await raw.deleteTopic(topic)
      await raw.createTopic(topic, 1)
      const texts = Array.from({ length: count }, (_, at) => ({ key: `k${at}`, value: `new ${at}` }))
      await raw.produce(topic, 0, texts)
      await raw.fill(other, 0, 10)
      await until('the other goes on', () => ledger.hasAll(other, [10]))
      await until('what is new is read', () => ledger.of('end', { topic }).length >= before + count, 10_000)
      const news = ledger.of('end', { topic }).slice(before)
      assert.deepEqual(news.map(({ value }) => value).toSorted(), texts.map(({ value }) => value).toSorted())
      await until('and committed', async () => (await raw.position(group, topic, 0)) === count)
    })
  }

  test('G2 P2 I1 · created again behind the back of a reader that was paused: nothing of the new topic is passed over', async (t) => {
    const topic = unique('phoenix')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 30)
    const ledger = new Ledger()
    const { consumer } = await read(t, ledger, { brokers, group, topics: [topic] })
    await within('idle', consumer.idle())
    consumer.pause({ topic })
    await until('it is paused', () => consumer.snapshot().partitions[0]?.paused.includes('user'))
    // What is fetched in advance for a paused partition is of the old topic.
    await raw.fill(topic, 0, 1, 1, 30)
    await raw.deleteTopic(topic)
    await raw.createTopic(topic, 1)
    const texts = Array.from({ length: 50 }, (_, at) => ({ key: `k${at}`, value: `new ${at}` }))
    await raw.produce(topic, 0, texts)
    consumer.resume({ topic })
    const news = (): readonly (string | null)[] =>
      ledger.of('end', { topic }).flatMap(({ value }) => (value?.startsWith('new') ? [value] : []))
    await until('what is new is read', () => news().length >= 50, 10_000)
    assert.deepEqual(news().toSorted(), texts.map(({ value }) => value).toSorted())
    await until('and committed', async () => (await raw.position(group, topic, 0)) === 50)
  })
}

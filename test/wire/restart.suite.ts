/** What a restart finds: the position that unfinished work holds back, and the map of what is finished behind it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger, mapOf } from './support/ledger.ts'
import { startMember } from './support/member-process.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

export function restart(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  test('P6 I2 I15 · killed with -9: what is in the map is skipped, what was not finished runs', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    // Keys of their own: nothing waits for the two that hang.
    for (const partition of [0, 1]) await raw.fill(topic, partition, 100, 100)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const options = { brokers: [...brokers], group, topics: [topic] }
    const short = { sessionTimeoutMs: 2_000, heartbeatMs: 300 }
    const first = await startMember(t, ledger, {
      member: 'first',
      hold: ['7', '40'],
      options: { ...options, client: short },
    })
    const isHeldBack = async (): Promise<boolean> => {
      const stored = await raw.stored(group)
      return (
        stored.length === 2 &&
        stored.every(({ position, metadata }) => position === 7 && mapOf(7, metadata).length === 91)
      )
    }
    await until('both partitions stand at 7 and the rest is in the map', isHeldBack)
    await first.kill()
    const second = await read(t, ledger, { ...options, member: 'second' })
    await until('the end', async () => (await raw.stored(group)).every(({ position }) => position === 100))
    await watch.stop()
    assert.ok(watch.seen >= 4)
    const again = ledger.of('start', { member: 'second' }).map(({ partition, offset }) => `${partition}@${offset}`)
    assert.deepEqual(again.sort(), ['0@40', '0@7', '1@40', '1@7'])
    ledger.assertComplete(topic, [100, 100])
    ledger.assertKeyOrder(['first'])
    assert.equal(second.notes.lines.filter(({ message }) => message === 'map-restored').length, 2)
  })

  test('P6 R7 · a clean close with a handler that hangs: the final commit has the map', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 1)
    await raw.fill(topic, 0, 50, 50)
    const ledger = new Ledger()
    const first = await read(t, ledger, {
      brokers,
      group,
      topics: [topic],
      closeMs: 600,
      work: ({ offset }) => (offset === 3 ? new Promise(() => undefined) : undefined),
    })
    await until('49 are done', () => ledger.ended(topic, 0).size === 49)
    await first.consumer.close()
    const [stored] = await raw.stored(group)
    assert.equal(stored?.position, 3)
    assert.equal(mapOf(3, stored?.metadata ?? null).length, 46)
    assert.deepEqual(await raw.members(group), [])
    const second = await read(t, ledger, { brokers, group, topics: [topic], member: 'second' })
    await within('idle', second.consumer.idle())
    assert.deepEqual(
      ledger.of('start', { member: 'second' }).map(({ offset }) => offset),
      [3],
    )
  })

  test('P6 I14 · metadata of others is ignored, with a warning, and the position counts', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 4)
    for (let partition = 0; partition < 4; partition++) await raw.fill(topic, partition, 10)
    const texts = ['AQAAAAAAAAB7', '{"offsets":[5,6]}', '', 'x'.repeat(4_000)]
    await raw.store(
      group,
      texts.map((metadata, partition) => ({ topic, partition, position: 4, metadata })),
    )
    const ledger = new Ledger()
    const { consumer, notes } = await read(t, ledger, { brokers, group, topics: [topic] })
    await within('idle', consumer.idle())
    for (let partition = 0; partition < 4; partition++) {
      assert.deepEqual([...ledger.ended(topic, partition)].sort(), [4, 5, 6, 7, 8, 9])
      assert.equal(await raw.position(group, topic, partition), 10)
    }
    const ignored = notes.lines.filter(({ message }) => message === 'map-ignored')
    assert.equal(ignored.length, 3, 'an empty one is no cause for alarm')
  })

  test('P6 I2b · 300 partitions with gaps: every map is stored', async (t) => {
    const topic = unique('wide')
    const group = unique('group')
    const partitions = 300
    await raw.createTopic(topic, partitions)
    const perPartition = 40
    const records = Array.from({ length: perPartition }, (_, at) => ({ key: `k${at}`, value: `${at}` }))
    for (let partition = 0; partition < partitions; partition++) await raw.produce(topic, partition, records)
    const ledger = new Ledger()
    const hang = new Promise(() => undefined)
    const { consumer } = await read(t, ledger, {
      brokers,
      group,
      topics: [topic],
      concurrency: 20_000,
      limits: { records: 20_000 },
      closeMs: 200,
      work: ({ offset, partition }) => ((offset * 7 + partition) % 3 === 0 ? hang : undefined),
    })
    const open = (offset: number, partition: number): boolean => (offset * 7 + partition) % 3 === 0
    const isStored = async (): Promise<boolean> => {
      const stored = await raw.stored(group)
      if (stored.length < partitions) return false
      return stored.every(({ partition, position, metadata }) => {
        const first = [0, 1, 2].find((offset) => open(offset, partition)) ?? -1
        const finished = records.filter((_, offset) => offset > first && !open(offset, partition)).length
        return position === first && mapOf(position, metadata).length === finished
      })
    }
    await until('all are stored', isStored)
    ledger.assertHonest(await raw.stored(group))
    await consumer.close()
  })
}

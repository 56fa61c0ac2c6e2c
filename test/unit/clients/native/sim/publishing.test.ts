import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { publication, Script } from './script.ts'
import { TxnConsumer } from './txn-consumer.ts'
import { outputs, World } from './world.ts'

describe('publishing', () => {
  const values = (script: Script): readonly string[] =>
    script.sent.flatMap((each) =>
      each.kind === 'Produce'
        ? [`${each.partitions[0]!.baseSequence}:${each.partitions[0]!.records.map(({ value }) => value).join('')}`]
        : [],
    )

  test('silence: the same batch with the same numbers again', async () => {
    const script = new Script()
    await script.start()
    script.reply('Produce', 'silence')
    const results = await script.during(script.client.publish([publication(1, 'a', 'b')]))
    assert.deepEqual(results, [{ work: publication(1).work, ok: true }])
    assert.deepEqual(values(script), ['0:ab', '0:ab'])
  })

  test('calls that come while a batch is under way go together, in order', async () => {
    const script = new Script()
    await script.start()
    const all = ['a', 'b', 'c'].map((value, offset) => script.client.publish([publication(offset, value)]))
    await script.during(Promise.all(all))
    await script.during(script.client.publish([publication(9, 'd')]))
    assert.equal(values(script).map((each) => each.split(':')[1]).join(''), 'abcd') // biome-ignore format: one fact
  })

  test('one record too large fails for good, its neighbours do not', async () => {
    const script = new Script()
    await script.start()
    const tooLarge = 'MESSAGE_TOO_LARGE'
    script.reply('Produce', tooLarge, tooLarge)
    const results = await script.during(script.client.publish([publication(1, 'huge'), publication(2, 'b')]))
    assert.deepEqual(results.map(({ ok, permanent }) => [ok, permanent]), [[false, true], [true, undefined]]) // biome-ignore format: one fact
  })

  // A producer without transactions raises its epoch itself, no coordinator is asked for that.
  test('forgotten by the broker: a new epoch, counted from the start', async () => {
    const script = new Script()
    await script.start()
    await script.during(script.client.publish([publication(1, 'a')]))
    script.reply('Produce', 'OUT_OF_ORDER_SEQUENCE_NUMBER')
    const results = await script.during(script.client.publish([publication(2, 'b')]))
    assert.equal(results[0]?.ok, true)
    assert.deepEqual(values(script), ['0:a', '1:b', '0:b'])
    assert.equal(script.count('InitProducerId'), 1)
    assert.equal(script.last('Produce').partitions[0]?.producerEpoch, 1)
  })

  // One that was asked for may be on its way: it has a moment to appear (half a second here).
  test('an unknown topic is told, not waited for for ever', async () => {
    const script = new Script()
    await script.start()
    const unknown = Array.from({ length: 100 }, () => 'UNKNOWN_TOPIC_OR_PARTITION' as const)
    script.reply('Metadata', ...unknown)
    const before = script.clock.now()
    const [result] = await script.during(script.client.publish([publication(1, 'a')]))
    assert.equal(result?.ok, false)
    assert.equal(result?.permanent, false)
    assert.ok(script.clock.now() < before + 2_000)
  })

  test('a topic that appears a moment later is written to', async () => {
    const script = new Script()
    await script.start()
    script.reply('Metadata', 'UNKNOWN_TOPIC_OR_PARTITION')
    const [result] = await script.during(script.client.publish([publication(1, 'a')]))
    assert.equal(result?.ok, true)
  })

  test('nothing to send is acknowledged at once', async () => {
    const script = new Script()
    await script.start()
    assert.deepEqual(await script.during(script.client.publish([publication(1)])), [
      { work: publication(1).work, ok: true },
    ])
  })
})

describe('publishing over a bad network', () => {
  for (let seed = 1; seed <= 10; seed++) {
    test(`in order, nothing missing, nothing twice (seed ${seed})`, async () => {
      const world = new World(seed)
      const chance = world.clock.stream('faults')
      world.fate = () => {
        const draw = chance()
        if (draw < 0.2) return draw < 0.1 ? 'lose-request' : 'lose-answer'
        return draw < 0.3 ? { lateMs: chance() * 6_000 } : 'deliver'
      }
      const consumer = new TxnConsumer(world, 'a', {})
      await world.run(10)
      const all: ReturnType<typeof consumer.client.publish>[] = []
      for (let offset = 0; offset < 60; offset++) {
        const key = Buffer.from(String(offset % 7))
        const sends = [{ topic: 'out', key, value: Buffer.from(`${offset % 7}/${offset}`), headers: [], size: 10 }]
        const work = { topic: 'in', partition: 0, offset: offset as never, epoch: 1 as never, attempt: 1 }
        all.push(consumer.client.publish([{ work, sends }]))
        // Its leader moves: what is under way to the old one is not in.
        if (seed > 5 && chance() < 0.2) world.cluster.elect('out', offset % 2)
        await world.run(chance() * 300)
      }
      const results = await world.during(Promise.all(all))
      assert.ok(results.every(([result]) => result?.ok))
      const written = outputs(world)
      assert.equal(written.length, 60)
      for (let key = 0; key < 7; key++) {
        const ofKey = written.filter((value) => value.startsWith(`${key}/`)).map((value) => Number(value.slice(2)))
        assert.deepEqual(ofKey, [...ofKey].sort((a, b) => a - b)) // biome-ignore format: one fact
      }
    })
  }
})

/** Members of one group share partitions; what moves is finished and committed before somebody else begins with it. */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AssignorName } from '../../src/clients/native/group/assignors/index.ts'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { startLoad } from './support/load.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { type Reader, type ReaderOptions, read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

export function groups(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target
  const client = { heartbeatMs: 100, sessionTimeoutMs: 10_000 }
  const work = async (): Promise<void> => {
    for (let turns = 0; turns < 3; turns++) await turn()
  }

  /** Members come and go while records come; every one of them is handled once. */
  const underLoad = async (t: TestContext, assignor: AssignorName): Promise<void> => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 6)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const load = startLoad(raw, topic, 6)
    const options = { brokers, group, topics: [topic], work, client: { ...client, assignors: [assignor] } }
    const member = (name: string): Promise<Reader> => read(t, ledger, { ...options, member: name })
    const share = (...readers: readonly Reader[]): Promise<true> =>
      until(`${assignor}: ${readers.length} share`, () => {
        const sizes = readers.map(({ held }) => held.size)
        return sizes.every((size) => size === 6 / readers.length)
      })
    const one = await member('one')
    await share(one)
    const two = await member('two')
    await share(one, two)
    const three = await member('three')
    await share(one, two, three)
    await one.consumer.close()
    await share(two, three)
    const four = await member('four')
    await share(two, three, four)
    await two.consumer.close()
    await three.consumer.close()
    await share(four)
    const counts = await load.stop()
    await until('everything is done', () => ledger.hasAll(topic, counts))
    await four.consumer.close()
    await watch.stop()
    ledger.assertComplete(topic, counts, 'once')
    ledger.assertKeyOrder()
    for (const { partition, position } of await raw.stored(group)) assert.equal(position, counts[partition])
    for (const name of ['one', 'two', 'three', 'four']) {
      assert.ok(ledger.of('end', { member: name }).length > 0, `${name} had its share`)
    }
  }

  for (const assignor of ['cooperative-sticky', 'range', 'roundrobin', 'sticky'] as const) {
    test(`P5 G2 G3 I1 I3 · members join and leave under load: nothing lost, nothing twice, keys in order (${assignor})`, (t) =>
      underLoad(t, assignor))
  }

  /** Two partitions at one member, with a handler that hangs in each; then a second member joins. */
  const moving = async (t: TestContext, options: Partial<ReaderOptions> = {}) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    const both = async (...keys: readonly string[]): Promise<void> => {
      for (const partition of [0, 1])
        await raw.produce(
          topic,
          partition,
          keys.map((key) => ({ key, value: key })),
        )
    }
    await both('slow', 'slow', 'quick')
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const released = Promise.withResolvers<void>()
    const shared = { brokers, group, topics: [topic], client, ...options }
    const one = await read(t, ledger, {
      ...shared,
      member: 'one',
      work: ({ key, offset }) => (key?.toString() === 'slow' && offset === 0 ? released.promise : undefined),
    })
    await until('both hang, the others are done', () => ledger.of('end').length === 2)
    const two = await read(t, ledger, { ...shared, member: 'two' })
    return { topic, group, ledger, watch, released, one, two, both }
  }

  test('P5 I11 · cooperative: a slow handler of the partition that moves is waited for; the one that stays goes on', async (t) => {
    const { topic, group, ledger, watch, released, one, two, both } = await moving(t)
    // Which one has to go shows in who still runs what comes now.
    const draining = await until('one of the two is stopped', async () => {
      await both('quick')
      const last = [0, 1].map((partition) => Math.max(...ledger.ended(topic, partition)))
      const behind = Math.min(...last)
      return Math.max(...last) > behind + 5 && last.indexOf(behind)
    })
    const kept = 1 - draining
    assert.deepEqual(ledger.of('start', { member: 'two' }), [], 'nobody has begun with it')
    assert.deepEqual([...one.held].sort(), [`${topic}-0`, `${topic}-1`], 'it is not given up')
    released.resolve()
    await until('it has moved', () => two.held.has(`${topic}-${draining}`))
    const counts = [0, 1].map(() => 3)
    await until('everything is done', async () => {
      const offsets = await Promise.all([0, 1].map((partition) => raw.offsets(topic, partition)))
      for (const [partition, list] of offsets.entries()) counts[partition] = list.length
      return ledger.hasAll(topic, counts)
    })
    ledger.assertComplete(topic, counts, 'once')
    ledger.assertKeyOrder()
    assert.deepEqual(one.history.slice(2), [`-${topic}-${draining}`], 'the kept one was never taken away')
    assert.deepEqual(two.history, [`+${topic}-${draining}`])
    const theirs = ledger.of('start', { member: 'two' })
    assert.ok(theirs.every(({ partition }) => partition === draining))
    assert.ok(one.held.has(`${topic}-${kept}`))
    await until('all is committed', async () =>
      (await raw.stored(group)).every((each) => each.position === counts[each.partition]),
    )
    await watch.stop()
  })

  test('P5 G2 · cooperative: what is given up is taken in the next round, long before a heartbeat interval is over', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 4)
    const ledger = new Ledger()
    const shared = { brokers, group, topics: [topic] }
    const one = await read(t, ledger, { ...shared, client })
    await until('one has all', () => one.held.size === 4)
    // Its interval is longer than anybody waits here: only because it is new it asks sooner.
    const patient = { heartbeatMs: 200_000, sessionTimeoutMs: 600_000 }
    const two = await read(t, ledger, { ...shared, member: 'two', client: patient })
    await until('they share', () => one.held.size === 2 && two.held.size === 2)
    // And who has been there longer, and keeps what it has, is asked to come to the third round as well.
    const three = await read(t, ledger, { ...shared, member: 'three', client: patient })
    await one.consumer.close()
    await until('the two share', () => two.held.size === 2 && three.held.size === 2)
  })

  test('P5 · eager: both are waited for before the group goes on', async (t) => {
    const { topic, group, ledger, watch, released, one, two } = await moving(t, {
      client: { ...client, assignors: ['range'] },
    })
    await until('two waits in the group', async () => (await raw.members(group)).length === 2)
    assert.deepEqual(ledger.of('start', { member: 'two' }), [])
    released.resolve()
    await until('both have one', () => one.held.size === 1 && two.held.size === 1)
    await until('everything is done', () => ledger.hasAll(topic, [3, 3]))
    await watch.stop()
    ledger.assertComplete(topic, [3, 3], 'once')
    ledger.assertKeyOrder()
  })

  test('P5 I6 I8 · a handler that does not end within drainMs: told to stop, left behind, and its end commits nothing', async (t) => {
    const { topic, group, ledger, released, one, two } = await moving(t, { drainMs: 300 })
    const moved = await until('one has moved', () => [0, 1].find((partition) => two.held.has(`${topic}-${partition}`)))
    await until('two has done it', () => ledger.of('end', { member: 'two' }).length === 2)
    released.resolve()
    await until('the late one has ended', () => ledger.of('end', { member: 'one' }).length >= 3)
    await until('all is committed', async () => (await raw.stored(group)).every(({ position }) => position === 3))
    const again = ledger.of('start', { member: 'two' }).map(({ partition, offset }) => `${partition}@${offset}`)
    assert.deepEqual(again.sort(), [`${moved}@0`, `${moved}@1`], 'the one in the map did not run again')
    assert.ok(one.held.has(`${topic}-${1 - moved}`))
    ledger.assertComplete(topic, [3, 3])
  })

  test('G3 · no assignor in common: the second member stops and says which option to change', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    const ledger = new Ledger()
    const options = { brokers, group, topics: [topic] }
    const first = await read(t, ledger, { ...options, client: { ...client, assignors: ['range'] } })
    await until('it has both', () => first.held.size === 2)
    const second = await read(t, ledger, { ...options, member: 'second', client })
    await within(
      'it stops',
      assert.rejects(second.consumer.closed, (error: Error & { code: string }) => {
        assert.equal(error.code, 'INCONSISTENT_GROUP_PROTOCOL')
        assert.match(error.message, /client\.assignors/)
        return true
      }),
    )
    assert.equal(first.held.size, 2, 'and disturbs nobody')
  })

  test('G3 · from eager to cooperative in two rounds of restarts: nothing lost, nothing twice', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 4)
    const ledger = new Ledger()
    const load = startLoad(raw, topic, 4)
    const member = (name: string, ...assignors: AssignorName[]): Promise<Reader> =>
      read(t, ledger, { brokers, group, topics: [topic], member: name, work, client: { ...client, assignors } })
    const share = (...readers: readonly Reader[]): Promise<true> =>
      until('they share', () => readers.every(({ held }) => held.size === 4 / readers.length))
    let [one, two] = [await member('one', 'range'), await member('two', 'range')]
    await share(one, two)
    for (const [round, assignors] of [
      ['b', ['cooperative-sticky', 'range']],
      ['c', ['cooperative-sticky']],
    ] as const) {
      await one.consumer.close()
      one = await member(`one ${round}`, ...assignors)
      await share(one, two)
      await two.consumer.close()
      two = await member(`two ${round}`, ...assignors)
      await share(one, two)
    }
    const counts = await load.stop()
    await until('everything is done', () => ledger.hasAll(topic, counts))
    ledger.assertComplete(topic, counts, 'once')
    ledger.assertKeyOrder()
  })
}

/** Members that vanish, come back, or stay under a name of their own. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Target, unique } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'
import { Ledger } from './support/ledger.ts'
import { startMember } from './support/member-process.ts'
import { RawKafka } from './support/raw-kafka.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

export function sessions(target: Target): void {
  let raw: RawKafka
  before(async () => {
    raw = await RawKafka.connect(target.brokers)
  })
  after(() => raw[Symbol.asyncDispose]())

  const { brokers } = target

  test('P4 G2 I4 I6 · frozen for longer than its session: the commits of the sleeper are refused, it says so and joins again', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 40, 40)
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const client = { sessionTimeoutMs: 2_000, heartbeatMs: 200 }
    const options = { brokers: [...brokers], group, topics: [topic] }
    const sleeper = await startMember(t, ledger, {
      member: 'sleeper',
      hold: ['5'],
      options: { ...options, client, commit: 'manual' },
    })
    await until('all but one are done', () => ledger.of('end').length === 78)
    sleeper.freeze()
    const heir = await read(t, ledger, { ...options, member: 'heir', client: { heartbeatMs: 200 } })
    await until('the heir is done', async () => {
      const stored = await raw.stored(group)
      return stored.length === 2 && stored.every(({ position }) => position === 40)
    })
    // The orders wait in its pipe: it commits before it can hear that it is out, and finishes a record of a lease that is
    // over. Nothing of either may be stored.
    const heard = sleeper.news.length
    sleeper.tell('commit')
    sleeper.tell('release')
    sleeper.thaw()
    const refused = await sleeper.hears('commit-failed', heard)
    assert.equal(refused.code, 'COMMIT_FENCED')
    await sleeper.hears('revoked', heard)
    await until('they share', () => heir.held.size === 1 && sleeper.held.size === 1)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 20, 20, 40)
    await until('both go on', () => ledger.hasAll(topic, [60, 60]))
    sleeper.tell('commit')
    await until('all is committed', async () => (await raw.stored(group)).every(({ position }) => position === 60))
    await watch.stop()
    ledger.assertKeyOrder(['sleeper'])
    await sleeper.close()
  })

  for (const protocol of ['classic', 'consumer'] as const) {
    test(`G1 · a handler that blocks the event loop for twice the session keeps its membership (${protocol})`, async (t) => {
      const topic = unique('orders')
      const group = unique('group')
      await raw.createTopic(topic, 2)
      const ledger = new Ledger()
      const sessionTimeoutMs = 6_000
      // Here the broker keeps the session, for each group as it was told.
      if (protocol === 'consumer')
        await raw.alterGroup(group, { 'consumer.session.timeout.ms': String(sessionTimeoutMs) })
      const options = { brokers: [...brokers], group, topics: [topic] }
      const blocker = await startMember(t, ledger, {
        member: 'blocker',
        block: { value: '5', ms: 2 * sessionTimeoutMs },
        options: { ...options, client: { sessionTimeoutMs, heartbeatMs: 500, protocol } },
      })
      const other = await read(t, ledger, { ...options, member: 'other', client: { heartbeatMs: 200, protocol } })
      await until('they share', () => blocker.held.size === 1 && other.held.size === 1)
      const moves = { blocker: blocker.news.length, other: other.history.length }
      for (const partition of [0, 1]) await raw.fill(topic, partition, 20, 20)
      await until('all is done, behind the block too', () => ledger.hasAll(topic, [20, 20]), 60_000)
      assert.equal(other.history.length, moves.other, 'nobody takes over')
      const gone = blocker.news.slice(moves.blocker).filter(({ kind }) => kind === 'revoked' || kind === 'failed')
      assert.deepEqual(gone, [])
      const starts = ledger.of('start').length
      assert.equal(starts, 40, 'nothing runs twice')
      await blocker.close()
    })
  }

  test('G4 · a static member that restarts within its session moves nothing, and others do not notice', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 4)
    const ledger = new Ledger()
    const client = { sessionTimeoutMs: 10_000, heartbeatMs: 100 }
    const options = { brokers, group, topics: [topic] }
    const member = (name: string, instanceId: string) =>
      read(t, ledger, { ...options, member: name, client: { ...client, instanceId } })
    const one = await member('one', 'a')
    const two = await member('two', 'b')
    await until('they share', () => one.held.size === 2 && two.held.size === 2)
    const before = { held: [...one.held].sort(), history: two.history.length }
    await one.consumer.close()
    const names = (await raw.members(group)).map(({ instanceId }) => instanceId)
    assert.deepEqual(names.sort(), ['a', 'b'], 'closing is not leaving')
    for (let partition = 0; partition < 4; partition++) await raw.fill(topic, partition, 20)
    const again = await member('again', 'a')
    await until('it has its partitions', () => again.held.size === 2)
    assert.deepEqual([...again.held].sort(), before.held)
    await until('all is done', () => ledger.hasAll(topic, [20, 20, 20, 20]))
    ledger.assertComplete(topic, [20, 20, 20, 20], 'once')
    assert.equal(two.history.length, before.history, 'nothing moved')
    await again.consumer.close({ leave: true })
    await until('the other has all at once', () => two.held.size === 4, 5_000)
    const left = (await raw.members(group)).map(({ instanceId }) => instanceId)
    assert.deepEqual(left, ['b'])
  })

  test('G4 X3 · two with the same instance id: the older one stops and says why', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    const ledger = new Ledger()
    const client = { sessionTimeoutMs: 10_000, heartbeatMs: 100, instanceId: 'same' }
    const options = { brokers, group, topics: [topic], client }
    const older = await read(t, ledger, { ...options, member: 'older' })
    await until('it has all', () => older.held.size === 2)
    const fenced: unknown[] = []
    older.consumer.on('fenced', (error) => fenced.push(error))
    const newer = await read(t, ledger, { ...options, member: 'newer' })
    await within(
      'the older stops',
      assert.rejects(older.consumer.closed, (error: Error & { code: string }) => {
        assert.equal(error.code, 'FENCED_INSTANCE_ID')
        assert.match(error.message, /instance id/)
        return true
      }),
    )
    assert.equal(fenced.length, 1)
    await until('the newer has all', () => newer.held.size === 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 20)
    await until('it works', () => ledger.hasAll(topic, [20, 20]))
    assert.deepEqual(ledger.of('start', { member: 'older' }), [])
  })

  test('G2 · a member that is killed: its partitions are taken over when its session ends', async (t) => {
    const topic = unique('orders')
    const group = unique('group')
    await raw.createTopic(topic, 2)
    const ledger = new Ledger()
    const options = { brokers: [...brokers], group, topics: [topic] }
    const one = await read(t, ledger, { ...options, member: 'one', client: { heartbeatMs: 200 } })
    const short = { sessionTimeoutMs: 2_000, heartbeatMs: 200 }
    const two = await startMember(t, ledger, { member: 'two', options: { ...options, client: short } })
    await until('they share', () => one.held.size === 1 && two.held.size === 1)
    await two.kill()
    for (const partition of [0, 1]) await raw.fill(topic, partition, 20)
    await until('one has all', () => one.held.size === 2, 10_000)
    await until('all is done', () => ledger.hasAll(topic, [20, 20]))
    assert.equal(one.history.length, 4, `it kept what it had: ${one.history.join(' ')}`)
  })
}

/** Requests that are refused or cut: whatever the broker answers, nothing is lost and the position reaches the end. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { RequestFault } from '../../src/broker/index.ts'
import { until, within } from '../support/wait.ts'
import { embedded } from './support/embedded.ts'
import { Ledger, mapOf } from './support/ledger.ts'
import { read } from './support/reader.ts'
import { watchCommits } from './support/watch.ts'

const topic = 'orders'
const group = 'g'
const client = { heartbeatMs: 100, sessionTimeoutMs: 2_000, requestTimeoutMs: 2_000 }

type Effect =
  | { readonly error: NonNullable<Extract<RequestFault, { error: unknown }>['error']> }
  | { readonly drop: 'before' | 'after' }

/** Plants it, reads 2 × 60 records and wants them all, once or at least once. */
async function survives(t: TestContext, fault: RequestFault, how: 'once' | 'at-least-once'): Promise<void> {
  const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
  for (const partition of [0, 1]) await raw.fill(topic, partition, 30)
  const ledger = new Ledger()
  const watch = watchCommits(raw, group, ledger)
  const planted = broker.faults.inject({ clientId: 'under test', ...fault })
  const { consumer } = await read(t, ledger, {
    brokers: broker.brokers,
    group,
    topics: [topic],
    client: { ...client, clientId: 'under test' },
  })
  await until('the first half is done', () => ledger.hasAll(topic, [30, 30]))
  for (const partition of [0, 1]) await raw.fill(topic, partition, 30, 10, 30)
  await until('all is done', () => ledger.hasAll(topic, [60, 60]))
  await until('it has struck', () => planted.hits >= (fault.times ?? 1))
  await until('all is committed', async () => {
    const stored = await raw.stored(group)
    return stored.length === 2 && stored.every(({ position }) => position === 60)
  })
  await consumer.close()
  await watch.stop()
  ledger.assertComplete(topic, [60, 60], how)
  ledger.assertKeyOrder()
}

function nameOf(effect: Effect): string {
  return 'error' in effect ? effect.error : `cut ${effect.drop} it is applied`
}

describe('commits that fail', () => {
  const kept: readonly Effect[] = [
    { error: 'REBALANCE_IN_PROGRESS' },
    { error: 'COORDINATOR_LOAD_IN_PROGRESS' },
    { error: 'COORDINATOR_NOT_AVAILABLE' },
    { error: 'NOT_COORDINATOR' },
    { error: 'UNKNOWN_SERVER_ERROR' },
    { error: 'UNKNOWN_TOPIC_OR_PARTITION' },
    { error: 'REQUEST_TIMED_OUT' },
    { drop: 'before' },
    { drop: 'after' },
  ]
  for (const effect of kept) {
    test(`G6 I4 I7 · ${nameOf(effect)}, three times: sent again, and nothing runs twice`, (t) =>
      survives(t, { api: 'OffsetCommit', times: 3, ...effect }, 'once'))
  }
  for (const error of ['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID'] as const) {
    test(`P4 G6 · ${error}: the lease is over, the member joins again, and nothing is lost`, (t) =>
      survives(t, { api: 'OffsetCommit', times: 1, error }, 'at-least-once'))
  }

  test('G6 · UNKNOWN_SERVER_ERROR for a commit with a map: it may be too large, so it is made smaller, and stored', async (t) => {
    const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
    for (const partition of [0, 1]) await raw.fill(topic, partition, 30, 30)
    broker.faults.inject({ api: 'OffsetCommit', error: 'UNKNOWN_SERVER_ERROR', times: 5 })
    const ledger = new Ledger()
    const held = Promise.withResolvers<void>()
    const { notes } = await read(t, ledger, {
      brokers: broker.brokers,
      group,
      topics: [topic],
      client,
      work: ({ offset }) => (offset % 10 === 3 ? held.promise : undefined),
    })
    await until('the maps are stored', async () => {
      const stored = await raw.stored(group)
      return stored.length === 2 && stored.every(({ position, metadata }) => mapOf(position, metadata).length === 24)
    })
    assert.ok(notes.lines.some(({ message }) => message === 'map-refused'))
    held.resolve()
  })
})

describe('everything else that fails', () => {
  const coordinations: readonly Effect[] = [
    { error: 'COORDINATOR_LOAD_IN_PROGRESS' },
    { error: 'NOT_COORDINATOR' },
    { drop: 'before' },
    { drop: 'after' },
  ]
  for (const api of ['JoinGroup', 'SyncGroup', 'OffsetFetch', 'Heartbeat']) {
    for (const effect of coordinations) {
      test(`G2 I7 · ${api}: ${nameOf(effect)}, twice`, (t) =>
        survives(t, { api, times: 2, ...effect }, 'at-least-once'))
    }
  }
  for (const api of ['FindCoordinator', 'Metadata', 'ListOffsets']) {
    for (const effect of [{ drop: 'before' }, { drop: 'after' }] as const) {
      test(`I7 · ${api}: ${nameOf(effect)}, twice`, (t) => survives(t, { api, times: 2, ...effect }, 'once'))
    }
  }
  const fetches: readonly Effect[] = [
    { error: 'NOT_LEADER_OR_FOLLOWER' },
    { error: 'LEADER_NOT_AVAILABLE' },
    { error: 'UNKNOWN_TOPIC_OR_PARTITION' },
    { error: 'UNKNOWN_TOPIC_ID' },
    { error: 'UNKNOWN_LEADER_EPOCH' },
    { error: 'FENCED_LEADER_EPOCH' },
    { error: 'OFFSET_OUT_OF_RANGE' },
    { error: 'KAFKA_STORAGE_ERROR' },
    { error: 'UNKNOWN_SERVER_ERROR' },
    { error: 'FETCH_SESSION_ID_NOT_FOUND' },
    { error: 'INVALID_FETCH_SESSION_EPOCH' },
    { drop: 'before' },
    { drop: 'after' },
  ]
  for (const effect of fetches) {
    test(`P2 I1 · Fetch: ${nameOf(effect)}, three times`, (t) =>
      survives(t, { api: 'Fetch', times: 3, ...effect }, 'once'))
  }

  test('G2 · the coordinator moves away under load', async (t) => {
    const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const { consumer, history } = await read(t, ledger, { brokers: broker.brokers, group, topics: [topic], client })
    for (let round = 0; round < 5; round++) {
      for (const partition of [0, 1]) await raw.fill(topic, partition, 20, 10, round * 20)
      await until('all is done', () => ledger.hasAll(topic, [20 * (round + 1), 20 * (round + 1)]))
      broker.faults.moveCoordinator()
    }
    await within('idle', consumer.idle())
    await watch.stop()
    ledger.assertComplete(topic, [100, 100], 'once')
    ledger.assertKeyOrder()
    assert.ok(history.length >= 2)
  })

  for (const effect of [{ drop: 'before' }, { drop: 'after' }, { error: 'NOT_COORDINATOR' }] as const) {
    test(`R7 · LeaveGroup: ${nameOf(effect)}, twice: said again, so that others need not wait for the session`, async (t) => {
      const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
      const ledger = new Ledger()
      const options = { brokers: broker.brokers, group, topics: [topic], client: { heartbeatMs: 100 } }
      const one = await read(t, ledger, { ...options, member: 'one' })
      const two = await read(t, ledger, { ...options, member: 'two' })
      await until('they share', () => one.held.size === 1 && two.held.size === 1)
      const planted = broker.faults.inject({ api: 'LeaveGroup', times: 2, ...effect })
      await one.consumer.close()
      assert.equal(planted.hits, 2)
      assert.equal((await raw.members(group)).length, 1)
      await until('two has both', () => two.held.size === 2, 10_000)
    })
  }

  test('P4 · a rebalance that changes nothing interrupts nothing', async (t) => {
    const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
    const ledger = new Ledger()
    const { consumer, history } = await read(t, ledger, { brokers: broker.brokers, group, topics: [topic], client })
    await within('idle', consumer.idle())
    const epochs = consumer.snapshot().partitions.map(({ epoch }) => epoch)
    for (let round = 0; round < 3; round++) {
      await until('the group is at rest, and is disturbed', () => broker.faults.rebalance(group))
      for (const partition of [0, 1]) await raw.fill(topic, partition, 20, 10, round * 20)
      await until('all is done', () => ledger.hasAll(topic, [20 * (round + 1), 20 * (round + 1)]))
    }
    await within('idle', consumer.idle())
    ledger.assertComplete(topic, [60, 60], 'once')
    assert.equal(history.length, 2)
    assert.deepEqual(
      consumer.snapshot().partitions.map(({ epoch }) => epoch),
      epochs,
    )
  })

  test('G2 I7 · a join that is parked at the broker does not hold up the next one', async (t) => {
    const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
    const ledger = new Ledger()
    const { held, history } = await read(t, ledger, { brokers: broker.brokers, group, topics: [topic], client })
    await until('it has both', () => held.size === 2)
    await raw.fill(topic, 0, 20)
    const parked = broker.faults.inject({ api: 'JoinGroup', delayMs: 12_000, times: 1 })
    broker.faults.rebalance(group)
    await until('it waits for its join', () => parked.hits === 1)
    assert.ok(broker.faults.expireSession(group))
    await until('it has lost both', () => history.filter((each) => each.startsWith('-')).length === 2)
    await until('it has both again', () => held.size === 2, 10_000)
    await until('all is done', () => ledger.hasAll(topic, [20, 0]))
  })

  test('P4 I6 · a session that the broker ends: lost at once, joined again, nothing lost', async (t) => {
    const { broker, raw } = await embedded(t, { topics: { [topic]: 2 } })
    const ledger = new Ledger()
    const watch = watchCommits(raw, group, ledger)
    const { held, history } = await read(t, ledger, { brokers: broker.brokers, group, topics: [topic], client })
    await until('it has both', () => held.size === 2)
    for (const partition of [0, 1]) await raw.fill(topic, partition, 20)
    assert.ok(broker.faults.expireSession(group))
    await until('it has lost both', () => history.filter((each) => each.startsWith('-')).length === 2)
    await until('it has both again', () => held.size === 2)
    await until(
      'all is committed',
      async () => (await raw.stored(group)).filter(({ position }) => position === 20).length === 2,
    )
    await watch.stop()
    ledger.assertComplete(topic, [20, 20])
    ledger.assertKeyOrder()
  })
})

/** What an admin does when brokers say nothing, say "not now", or are not there. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Admin, OpenAdminOptions } from '../../../src/admin/index.ts'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import type { ErrorName } from '../../../src/protocol/errors.ts'
import { within } from '../../support/wait.ts'
import { adminOf, joinClassic } from './support.ts'
import { Transaction } from './transaction.ts'

interface Pair {
  readonly broker: RunningBroker
  readonly admin: Admin
}

async function pair(
  t: TestContext,
  options: BrokerOptions = {},
  adminOptions: Partial<OpenAdminOptions> = {},
): Promise<Pair> {
  const config = { 'group.initial.rebalance.delay.ms': '0' }
  const broker = await startBroker({ topics: { orders: 2 }, config, ...options })
  t.after(() => broker.close())
  return { broker, admin: adminOf(t, broker, adminOptions) }
}

const orders = { topic: 'orders', partition: 0 }

describe('a request that met silence is sent again', () => {
  test('a topic was created by the try that nobody answered: it counts, unconfirmed', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'CreateTopics', drop: 'after', times: 1 })
    const [created] = await admin.createTopics([{ name: 'late', partitions: 3 }])
    const { id, ...rest } = created!
    assert.deepEqual(rest, { name: 'late', partitions: 3, replicationFactor: 1, confirmed: false })
    assert.equal((await admin.describeTopics(['late']))[0]?.id, id)
  })

  test('it was not applied: the second try creates it', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'CreateTopics', drop: 'before', times: 1 })
    assert.equal((await admin.createTopics([{ name: 'soon' }]))[0]?.confirmed, true)
  })

  // The topic was there before, with other partitions: our lost try did not make it.
  test('a topic that is not what was asked for was made by somebody else', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'CreateTopics', drop: 'before', times: 1 })
    await assert.rejects(admin.createTopics([{ name: 'orders', partitions: 7 }]), {
      code: 'TOPIC_ALREADY_EXISTS',
      message: /it has 2 partitions/,
    })
  })

  test('only looking changes nothing, so silence leaves no doubt', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'CreateTopics', drop: 'after', times: 1 })
    await assert.rejects(admin.createTopics([{ name: 'orders' }], { validateOnly: true }), {
      code: 'TOPIC_ALREADY_EXISTS',
    })
  })

  test('deleting and growing topics, deleting groups, removing members, deleting offsets', async (t) => {
    const { broker, admin } = await pair(t)
    for (const api of ['DeleteTopics', 'CreatePartitions', 'DeleteGroups', 'LeaveGroup', 'OffsetDelete']) {
      broker.faults.inject({ api, drop: 'after', times: 1 })
    }
    assert.deepEqual(await admin.createPartitions([{ topic: 'orders', count: 4 }]), [
      { name: 'orders', confirmed: false },
    ])
    await joinClassic(t, broker, { group: 'g', topic: 'orders', instanceId: 'i' })
    assert.equal((await admin.removeMembers('g', [{ instanceId: 'i' }]))[0]?.confirmed, false)
    await admin.alterOffsets('g', [{ ...orders, offset: 1 }])
    assert.deepEqual(await admin.deleteOffsets('g', [orders]), [orders])
    await admin.alterOffsets('h', [{ ...orders, offset: 1 }])
    assert.deepEqual(await admin.deleteGroups(['h']), [{ id: 'h', confirmed: false }])
    assert.deepEqual(await admin.deleteTopics(['orders']), [{ name: 'orders', confirmed: false }])
    assert.deepEqual(await admin.listTopics(), [])
  })

  test('offsets, configurations and records: twice does the same as once', async (t) => {
    const { broker, admin } = await pair(t)
    for (const api of ['OffsetCommit', 'IncrementalAlterConfigs', 'DeleteRecords']) {
      broker.faults.inject({ api, drop: 'after', times: 1 })
    }
    await admin.alterOffsets('g', [{ ...orders, offset: 5 }])
    assert.equal((await admin.committed('g'))[0]?.offset, 5)
    const resource = { type: 'topic', name: 'orders' } as const
    await admin.alterConfigs([{ ...resource, append: { 'cleanup.policy': 'compact' } }])
    const [described] = await admin.describeConfigs([resource])
    assert.equal(described?.configs['cleanup.policy']?.value, 'delete,compact')
    assert.deepEqual(await admin.deleteRecords([{ ...orders, before: 'all' }]), [{ ...orders, earliest: 0 }])
  })
})

describe('answers that pass by themselves', () => {
  const passing: readonly (readonly [string, ErrorName, (admin: Admin) => Promise<unknown>])[] = [
    ['CreateTopics', 'NOT_CONTROLLER', (admin) => admin.createTopics([{ name: 'a' }])],
    ['CreateTopics', 'THROTTLING_QUOTA_EXCEEDED', (admin) => admin.createTopics([{ name: 'a' }])],
    ['DeleteTopics', 'NOT_CONTROLLER', (admin) => admin.deleteTopics(['orders'])],
    ['IncrementalAlterConfigs', 'NOT_CONTROLLER', (admin) => admin.alterConfigs([{ type: 'topic', name: 'orders' }])],
    ['ListGroups', 'COORDINATOR_LOAD_IN_PROGRESS', (admin) => admin.listGroups()],
    ['FindCoordinator', 'COORDINATOR_NOT_AVAILABLE', (admin) => admin.committed('g')],
    ['OffsetFetch', 'NOT_COORDINATOR', (admin) => admin.committed('g', [orders])],
    ['OffsetFetch', 'UNSTABLE_OFFSET_COMMIT', (admin) => admin.committed('g', [orders], { requireStable: true })],
    ['OffsetCommit', 'COORDINATOR_LOAD_IN_PROGRESS', (admin) => admin.alterOffsets('g', [{ ...orders, offset: 1 }])],
    ['ListOffsets', 'NOT_LEADER_OR_FOLLOWER', (admin) => admin.listOffsets([{ ...orders, at: 'latest' }])],
    ['ListOffsets', 'UNKNOWN_TOPIC_OR_PARTITION', (admin) => admin.listOffsets([{ ...orders, at: 'latest' }])],
    ['DeleteRecords', 'LEADER_NOT_AVAILABLE', (admin) => admin.deleteRecords([{ ...orders, before: 'all' }])],
    ['DescribeProducers', 'NOT_LEADER_OR_FOLLOWER', (admin) => admin.describeProducers([orders])],
    ['ListTransactions', 'COORDINATOR_LOAD_IN_PROGRESS', (admin) => admin.listTransactions()],
  ]
  for (const [api, error, call] of passing) {
    test(`${api}: ${error}`, async (t) => {
      const { broker, admin } = await pair(t)
      broker.faults.inject({ api, error, times: 2 })
      await call(admin)
    })
  }

  test('the coordinator moves while a group is described', async (t) => {
    const { broker, admin } = await pair(t)
    await joinClassic(t, broker, { group: 'g', topic: 'orders' })
    broker.faults.moveCoordinator()
    assert.equal((await admin.describeGroups(['g']))[0]?.members.length, 1)
  })

  test('the coordinator of transactions moves while one is described', async (t) => {
    const { broker, admin } = await pair(t)
    const transaction = await Transaction.begin(t, broker)
    await transaction.write('orders')
    broker.faults.inject({ api: 'DescribeTransactions', error: 'NOT_COORDINATOR', times: 1 })
    assert.equal((await admin.describeTransactions([transaction.id]))[0]?.state, 'Ongoing')
  })
})

describe('time is up', () => {
  test('the error tells what was asked, of whom, and the last answer', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'ListOffsets', error: 'NOT_LEADER_OR_FOLLOWER' })
    const asked = admin.listOffsets([{ ...orders, at: 'latest' }], { timeoutMs: 300 })
    await assert.rejects(asked, {
      name: 'AdminError',
      code: 'TIMEOUT',
      retriable: true,
      message:
        /^ListOffsets of orders-0 was not done within 300 ms, \d tries; the last time broker \d answered ListOffsets with NOT_LEADER_OR_FOLLOWER\. /,
    })
  })

  test('a change that was never answered may have been applied, and the error says so', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'DeleteTopics', delayMs: 5_000 })
    await assert.rejects(admin.deleteTopics(['orders'], { timeoutMs: 300 }), {
      code: 'TIMEOUT',
      message: /the last time .* answered .*It may have been applied all the same/,
    })
  })

  test('nobody is there: the error has the reason', async (t) => {
    const admin = adminOf(t, { brokers: ['127.0.0.1:1'] }, { timeoutMs: 300 })
    await assert.rejects(admin.listGroups(), {
      code: 'TIMEOUT',
      message: /no broker answered Metadata\. Cannot reach 127\.0\.0\.1:1 \(ECONNREFUSED\): check/,
    })
  })

  test('close() ends what is under way', async (t) => {
    const { broker, admin } = await pair(t)
    broker.faults.inject({ api: 'Metadata', drop: 'before' })
    const waiting = assert.rejects(admin.listTopics(), { code: 'CLIENT_CLOSED' })
    await admin.close()
    await within('it ends', waiting, 5_000)
  })
})

describe('a broker that asks who we are', () => {
  const options = { sasl: { users: { alice: 'secret' } } }

  test('a login that is right', async (t) => {
    const sasl = { mechanism: 'scram-sha-256', username: 'alice', password: 'secret' } as const
    const { admin } = await pair(t, options, { client: { sasl } })
    assert.deepEqual(
      (await admin.listTopics()).map(({ name }) => name),
      ['orders'],
    )
  })

  test('one that is wrong is an error at once, without the password', async (t) => {
    const sasl = { mechanism: 'plain', username: 'alice', password: 'open sesame' } as const
    const { admin } = await pair(t, options, { client: { sasl } })
    await assert.rejects(admin.createTopics([{ name: 'a' }]), (error: Error) => {
      assert.match(error.message, /alice|login|SASL/i)
      assert.doesNotMatch(JSON.stringify(error) + error.message, /sesame/)
      return true
    })
  })
})

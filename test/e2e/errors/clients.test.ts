/**
 * Errors that clients meet at a broker that works: members of another kind, settings that it refuses, coordinators that fall
 * silent, log clients that are driven in the wrong way. On embedded brokers, over sockets.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { connect } from '../../../src/clients/native/connect.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import type { FanlaneError } from '../../../src/errors.ts'
import { type ConsumeOptions, type Consumer, consume, createAdmin, createProducer } from '../../../src/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { joinGroupApi } from '../../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { syncGroupApi } from '../../../src/protocol/generated/14-sync-group.ts'
import { sqliteDedup } from '../../../src/stores/sqlite.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { RawClient } from '../../support/raw-client.ts'
import { until, within } from '../../support/wait.ts'
import { temporaryDirectory } from '../../unit/broker/log/support.ts'
import { clusterFor } from '../../unit/cluster/support.ts'
import { publication } from '../../unit/producer/sim-bench.ts'
import { notebook } from '../support.ts'

const config = { 'group.initial.rebalance.delay.ms': '0' }

async function started(t: TestContext, options: BrokerOptions = {}): Promise<RunningBroker> {
  const broker = await startBroker({ topics: { orders: 1 }, ...options, config: { ...config, ...options.config } })
  t.after(() => broker.close())
  return broker
}

function consuming({ brokers }: RunningBroker, options: Partial<ConsumeOptions> = {}): Promise<Consumer> {
  return consume({
    brokers,
    group: 'billing',
    topics: ['orders'],
    logger: notebook(),
    handle: () => undefined,
    ...options,
  } as ConsumeOptions)
}

/** Every code in an error and in what caused it. */
function codesOf(error: unknown): string[] {
  const { code, cause } = error as FanlaneError
  return cause === undefined ? [code] : [code, ...codesOf(cause)]
}

const endOf = (consumer: Consumer): Promise<unknown> =>
  within(
    'it gives up',
    consumer.closed.catch((reason: unknown) => reason),
  )

/** A member that speaks the protocol and means something else by it. */
class Stranger {
  readonly #client: RawClient
  memberId = ''

  private constructor(client: RawClient) {
    this.#client = client
  }

  static async at({ brokers }: RunningBroker): Promise<Stranger> {
    return new Stranger(await RawClient.connect(brokers[0] ?? ''))
  }

  async join(metadata: Buffer) {
    const question = () => ({
      groupId: 'billing',
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 10_000,
      memberId: this.memberId,
      protocolType: 'consumer',
      protocols: [{ name: 'cooperative-sticky', metadata }],
    })
    const first = await this.#client.send(joinGroupApi, 5, question())
    if (first.errorCode !== errorCodes.MEMBER_ID_REQUIRED) return first
    this.memberId = first.memberId
    return this.#client.send(joinGroupApi, 5, question())
  }

  sync(generationId: number, assignments: readonly { memberId: string; assignment: Buffer }[]) {
    const { memberId } = this
    return this.#client.send(syncGroupApi, 3, { groupId: 'billing', generationId, memberId, assignments })
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

test('SUBSCRIPTION_UNREADABLE and VERSION_INVALID: the leader cannot read what a foreign member subscribed to', async (t) => {
  const broker = await started(t)
  const consumer = await consuming(broker)
  await consumer.idle()
  const stranger = await Stranger.at(broker)
  t.after(() => stranger.close())
  const joined = stranger.join(Buffer.from([0xff, 0xff]))
  joined.catch(() => undefined)
  assert.deepEqual(codesOf(await endOf(consumer)), ['SUBSCRIPTION_UNREADABLE', 'VERSION_INVALID'])
})

test('ASSIGNMENT_UNREADABLE: the leader of the group is a client of another kind', async (t) => {
  const broker = await started(t)
  const stranger = await Stranger.at(broker)
  t.after(() => stranger.close())
  const subscription = Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
  await stranger.join(subscription)
  const consumer = await consuming(broker)
  await until('both are in the group', async () => {
    const { generationId, members } = await stranger.join(subscription)
    const assignments = members.map(({ memberId }) => ({ memberId, assignment: Buffer.from('nonsense') }))
    await stranger.sync(generationId, assignments)
    return members.length === 2
  })
  assert.equal(codesOf(await endOf(consumer))[0], 'ASSIGNMENT_UNREADABLE')
})

test('INVALID_SESSION_TIMEOUT: the broker allows no session that short', async (t) => {
  const broker = await started(t, { config: { 'group.min.session.timeout.ms': '6000' } })
  const consumer = await consuming(broker, { client: { sessionTimeoutMs: 1_000 } })
  assert.equal(codesOf(await endOf(consumer))[0], 'INVALID_SESSION_TIMEOUT')
})

test('GROUP_MAX_SIZE_REACHED: the group has as many members as the broker allows', async (t) => {
  const broker = await started(t, { config: { 'group.max.size': '1' } })
  const first = await consuming(broker)
  await first.idle()
  const second = await consuming(broker)
  assert.equal(codesOf(await endOf(second))[0], 'GROUP_MAX_SIZE_REACHED')
  await first.close()
})

test('INVALID_TRANSACTION_TIMEOUT: the broker allows no transaction that long', async (t) => {
  const { brokers } = await started(t, { config: { 'transaction.max.timeout.ms': '5000' } })
  const opening = createProducer({ brokers, transactionalId: 'payments', transactionTimeoutMs: 60_000 })
  await assert.rejects(opening, { code: 'INVALID_TRANSACTION_TIMEOUT' })
})

test('TRANSACTIONAL_ID_NEEDED: a transaction of a producer that has no id for it', async (t) => {
  const { brokers } = await started(t)
  await using producer = await createProducer({ brokers })
  await assert.rejects(
    producer.transaction((tx) => tx.send({ topic: 'orders', value: 'a' })),
    { code: 'TRANSACTIONAL_ID_NEEDED' },
  )
})

test('REQUEST_TIMEOUT: the coordinator does not answer whoever wants to begin', async (t) => {
  const broker = await started(t)
  broker.faults.inject({ api: 'InitProducerId', drop: 'before' })
  const { brokers } = broker
  const opening = createProducer({ brokers, transactionalId: 'payments', deliveryTimeoutMs: 1_000 })
  await assert.rejects(opening, { code: 'REQUEST_TIMEOUT' })
})

test('TRANSACTION_UNKNOWN: every answer to the end of a transaction gets lost', async (t) => {
  const broker = await started(t)
  const { brokers } = broker
  const producer = await createProducer({ brokers, transactionalId: 'payments', deliveryTimeoutMs: 2_000 })
  t.after(() => producer.close({ timeoutMs: 0 }))
  broker.faults.inject({ api: 'EndTxn', drop: 'after' })
  await assert.rejects(
    producer.transaction((tx) => tx.send({ topic: 'orders', value: 'a' })),
    { code: 'TRANSACTION_UNKNOWN' },
  )
})

test('NOT_STARTED, NO_TRANSACTIONAL_ID and PRODUCER_SPENT: a log client that is driven in the wrong way', async (t) => {
  const broker = await started(t)
  const settings = {
    brokers: broker.brokers,
    clock: new SystemClock(),
    logger: notebook(),
    group: 'billing',
    topics: { names: ['orders'], matches: null },
    partitions: null,
    startFrom: 'earliest',
    isolation: 'read_committed',
    tune: 'latency',
    drainMs: 1_000,
    client: { requestTimeoutMs: 500 },
  } as const
  const listener = { assigned: () => {}, revoked: async () => {}, lost: () => {}, failed: () => {} }
  const plain = connect({ ...settings, transactionalId: undefined })
  assert.throws(() => plain.poll(), { code: 'NOT_STARTED' })
  await plain.start(listener)
  assert.throws(() => plain.resetProducer(), { code: 'NO_TRANSACTIONAL_ID' })
  await plain.close({})

  const writer = connect({ ...settings, transactionalId: 'payments' })
  await writer.start(listener)
  const output = publication('a')
  assert.equal((await writer.transact([], [output])).kind, 'committed')
  broker.faults.inject({ api: 'EndTxn', drop: 'after' })
  assert.equal((await writer.transact([], [output])).kind, 'unknown')
  broker.faults.clear()
  const next = await writer.transact([], [output])
  assert.ok(next.kind === 'unknown')
  assert.equal(codesOf(next.error)[0], 'PRODUCER_SPENT')
  await writer.close({})
})

test('TOKEN_UNAVAILABLE and TOKEN_INVALID: whoever gives the tokens is down, or gives something else', async (t) => {
  const { brokers } = await started(t, { sasl: { users: { ada: 'a password' } } })
  const sealed = (): Promise<never> => Promise.reject(new Error('the vault is sealed'))
  const spaced = (): Promise<{ value: string }> => Promise.resolve({ value: 'not a token' })
  for (const [token, code] of [
    [sealed, 'TOKEN_UNAVAILABLE'],
    [spaced, 'TOKEN_INVALID'],
  ] as const) {
    const { cluster, states } = clusterFor(t, brokers, { sasl: { mechanism: 'oauthbearer', token } })
    await cluster.ask(anyNode, heartbeatApi, {}, { timeoutMs: 1_000 }).catch(() => undefined)
    assert.ok(states[0]?.kind === 'unreachable')
    assert.equal(states[0].error.code, code)
  }
})

test('BROKER_UNKNOWN: a question to a broker that is not there', async (t) => {
  const { brokers } = await started(t)
  await using admin = await createAdmin({ brokers })
  await assert.rejects(admin.describeConfigs([{ type: 'broker', name: '9' }]), { code: 'BROKER_UNKNOWN' })
})

test('DEDUP_CLAIM_LOST: somebody else took the claim out of the store while the handler ran', async (t) => {
  const broker = await started(t)
  const path = join(temporaryDirectory(t), 'dedup.db')
  const store = sqliteDedup({ path })
  await using producer = await createProducer({ brokers: broker.brokers })
  await producer.send({ topic: 'orders', value: 'a' })
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const handle = async (): Promise<void> => {
    if (++runs === 1) await gate.promise
  }
  const consumer = await consuming(broker, { dedup: { store, claimMs: 1_000 }, handle })
  const lost = new Promise((resolve) => consumer.on('error', resolve))
  await until('the handler runs', () => runs === 1)
  const theirs = new DatabaseSync(path)
  theirs.exec("UPDATE fanlane_dedup SET owner = 'another process', until = until + 5000")
  theirs.close()
  assert.equal(codesOf(await within('it is told', lost))[0], 'DEDUP_CLAIM_LOST')
  gate.resolve()
  await consumer.close()
  await store.close()
})

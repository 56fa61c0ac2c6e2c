/** What administration changes for good: it is durable, it takes effect, and requests that meet do no harm. */
import assert from 'node:assert/strict'
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Broker } from '../../../../src/broker/broker.ts'
import { adminRoutes } from '../../../../src/broker/handlers/admin.ts'
import { type BrokerOptions, startBroker } from '../../../../src/broker/index.ts'
import { noAnswer } from '../../../../src/broker/server/route.ts'
import { errorCodes } from '../../../../src/protocol/errors.ts'
import { produceApi } from '../../../../src/protocol/generated/00-produce.ts'
import { metadataApi } from '../../../../src/protocol/generated/03-metadata.ts'
import { saslHandshakeApi } from '../../../../src/protocol/generated/17-sasl-handshake.ts'
import { createTopicsApi } from '../../../../src/protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../../../../src/protocol/generated/20-delete-topics.ts'
import { deleteRecordsApi } from '../../../../src/protocol/generated/21-delete-records.ts'
import { offsetForLeaderEpochApi } from '../../../../src/protocol/generated/23-offset-for-leader-epoch.ts'
import { describeConfigsApi } from '../../../../src/protocol/generated/32-describe-configs.ts'
import { describeLogDirsApi } from '../../../../src/protocol/generated/35-describe-log-dirs.ts'
import { saslAuthenticateApi } from '../../../../src/protocol/generated/36-sasl-authenticate.ts'
import { createPartitionsApi } from '../../../../src/protocol/generated/37-create-partitions.ts'
import { describeDelegationTokenApi } from '../../../../src/protocol/generated/41-describe-delegation-token.ts'
import { incrementalAlterConfigsApi } from '../../../../src/protocol/generated/44-incremental-alter-configs.ts'
import { describeClientQuotasApi } from '../../../../src/protocol/generated/48-describe-client-quotas.ts'
import { alterClientQuotasApi } from '../../../../src/protocol/generated/49-alter-client-quotas.ts'
import { alterUserScramCredentialsApi } from '../../../../src/protocol/generated/51-alter-user-scram-credentials.ts'
import { unregisterBrokerApi } from '../../../../src/protocol/generated/64-unregister-broker.ts'
import { Reader } from '../../../../src/protocol/reader.ts'
import { encodeBatch } from '../../../../src/protocol/record-batch/writer.ts'
import { Writer } from '../../../../src/protocol/writer.ts'
import { RawClient } from '../../../support/raw-client.ts'

const timeoutMs = 30_000
const types = { topic: 2, broker: 4, group: 32 } as const

async function withBroker<T>(options: BrokerOptions, work: (client: RawClient) => Promise<T>): Promise<T> {
  await using broker = await startBroker(options)
  const client = await RawClient.connect(broker.brokers[0]!)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

async function set(client: RawClient, resourceType: number, resourceName: string, name: string, value: string) {
  const resources = [{ resourceType, resourceName, configs: [{ name, configOperation: 0, value }] }]
  const { responses } = await client.send(incrementalAlterConfigsApi, 1, { resources })
  return responses[0]!.errorCode
}

async function value(client: RawClient, resourceType: number, resourceName: string, key: string): Promise<string> {
  const resources = [{ resourceType, resourceName, configurationKeys: [key] }]
  const { results } = await client.send(describeConfigsApi, 4, { resources })
  const config = results[0]!.configs[0]!
  return `${config.value}@${config.configSource}`
}

async function create(client: RawClient, name: string, numPartitions = 1): Promise<number> {
  const topics = [{ name, numPartitions, replicationFactor: -1 }]
  const { topics: created } = await client.send(createTopicsApi, 7, { topics, timeoutMs })
  return created[0]!.errorCode
}

async function produce(client: RawClient, name: string, bytes: number): Promise<number> {
  const records = encodeBatch({ records: [{ key: null, value: Buffer.alloc(bytes), timestampMs: Date.now() }] })
  const topicData = [{ name, partitionData: [{ index: 0, records }] }]
  const { responses } = await client.send(produceApi, 9, { acks: -1, timeoutMs, topicData })
  return responses[0]!.partitionResponses[0]!.errorCode
}

async function partitionCount(client: RawClient, name: string): Promise<number> {
  const { topics } = await client.send(metadataApi, 12, { topics: [{ name }], allowAutoTopicCreation: false })
  return topics[0]!.partitions.length
}

describe('Q8 · what was configured is there after a restart', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-admin-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))

  test('topics, broker, cluster, groups, quotas', async () => {
    await withBroker({ dataDir }, async (client) => {
      assert.equal(await create(client, 'kept', 3), 0)
      assert.equal(await set(client, types.topic, 'kept', 'retention.ms', '12345'), 0)
      assert.equal(await set(client, types.broker, '', 'log.segment.bytes', '3000000'), 0)
      assert.equal(await set(client, types.broker, '1', 'message.max.bytes', '4000000'), 0)
      assert.equal(await set(client, types.group, 'g', 'consumer.session.timeout.ms', '50000'), 0)
      const entity = [{ entityType: 'user', entityName: null }]
      const ops = [{ key: 'producer_byte_rate', value: 7, remove: false }]
      await client.send(alterClientQuotasApi, 1, { entries: [{ entity, ops }], validateOnly: false })
    })
    await withBroker({ dataDir }, async (client) => {
      assert.equal(await partitionCount(client, 'kept'), 3)
      assert.equal(await value(client, types.topic, 'kept', 'retention.ms'), '12345@1')
      assert.equal(await value(client, types.topic, 'kept', 'segment.bytes'), '3000000@3')
      assert.equal(await value(client, types.topic, 'kept', 'max.message.bytes'), '4000000@2')
      assert.equal(await value(client, types.group, 'g', 'consumer.session.timeout.ms'), '50000@8')
      const { entries } = await client.send(describeClientQuotasApi, 1, { components: [], strict: false })
      assert.deepEqual(entries, [
        { entity: [{ entityType: 'user', entityName: null }], values: [{ key: 'producer_byte_rate', value: 7 }] },
      ])
    })
  })

  test('a data directory has a size', async () => {
    await withBroker({ dataDir }, async (client) => {
      const { results } = await client.send(describeLogDirsApi, 4, { topics: null })
      assert.equal(results[0]!.logDir, dataDir)
      assert.ok(results[0]!.usableBytes > 0n && results[0]!.usableBytes <= results[0]!.totalBytes)
    })
  })
})

test('a restart raises the leader epoch, and the old one has an end', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-epochs-'))
  const ask = async (client: RawClient, currentLeaderEpoch: number, leaderEpoch: number): Promise<string> => {
    const topics = [{ topic: 'epochs', partitions: [{ partition: 0, currentLeaderEpoch, leaderEpoch }] }]
    const { topics: answers } = await client.send(offsetForLeaderEpochApi, 4, { replicaId: -1, topics })
    const { errorCode, leaderEpoch: epoch, endOffset } = answers[0]!.partitions[0]!
    return errorCode === 0 ? `${epoch} ends at ${endOffset}` : `error ${errorCode}`
  }
  try {
    await withBroker({ dataDir }, async (client) => {
      await create(client, 'epochs')
      for (let i = 0; i < 3; i++) assert.equal(await produce(client, 'epochs', 10), 0)
    })
    await withBroker({ dataDir }, async (client) => {
      assert.equal(await produce(client, 'epochs', 10), 0)
      assert.equal(await ask(client, -1, 0), '0 ends at 3')
      assert.equal(await ask(client, 1, 1), '1 ends at 4')
      assert.equal(await ask(client, -1, 2), '-1 ends at -1')
      assert.equal(await ask(client, 0, 0), `error ${errorCodes.FENCED_LEADER_EPOCH}`)
      assert.equal(await ask(client, 2, 0), `error ${errorCodes.UNKNOWN_LEADER_EPOCH}`)
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

describe('what is configured takes effect', () => {
  test('at once, for a topic and for all topics', () =>
    withBroker({}, async (client) => {
      await create(client, 'small')
      assert.equal(await produce(client, 'small', 500), 0)
      assert.equal(await set(client, types.topic, 'small', 'max.message.bytes', '200'), 0)
      assert.equal(await produce(client, 'small', 500), errorCodes.MESSAGE_TOO_LARGE)
      await create(client, 'other')
      assert.equal(await set(client, types.broker, '', 'message.max.bytes', '200'), 0)
      assert.equal(await produce(client, 'other', 500), errorCodes.MESSAGE_TOO_LARGE)
    }))

  test('from the options: no deletion, more replicas than there are brokers', () => {
    const config = { 'delete.topic.enable': 'false', 'default.replication.factor': '2' }
    return withBroker({ config, topics: { here: 1 } }, async (client) => {
      const { responses } = await client.send(deleteTopicsApi, 5, { topicNames: ['here'], timeoutMs })
      assert.equal(responses[0]!.errorCode, errorCodes.TOPIC_DELETION_DISABLED)
      assert.equal(await create(client, 'there'), errorCodes.INVALID_REPLICATION_FACTOR)
    })
  })
})

test('Q8 · quotas are told in the order of Kafka', () =>
  withBroker({}, async (client) => {
    const entity = [
      { entityType: 'user', entityName: 'u' },
      { entityType: 'client-id', entityName: 'c' },
    ]
    const keys = ['producer_byte_rate', 'consumer_byte_rate', 'request_percentage']
    const ops = keys.map((key) => ({ key, value: 5, remove: false }))
    const altered = await client.send(alterClientQuotasApi, 1, { entries: [{ entity, ops }], validateOnly: false })
    assert.deepEqual(
      altered.entries[0]!.entity.map(({ entityType }) => entityType),
      ['client-id', 'user'],
    )
    const { entries } = await client.send(describeClientQuotasApi, 1, { components: [], strict: false })
    assert.deepEqual(
      entries![0]!.entity.map(({ entityType }) => entityType),
      ['client-id', 'user'],
    )
    assert.deepEqual(
      entries![0]!.values.map(({ key }) => key),
      ['consumer_byte_rate', 'request_percentage', 'producer_byte_rate'],
    )
  }))

describe('the broker keeps what it needs', () => {
  test('its own topics and itself', () =>
    withBroker({}, async (client) => {
      const topics = [{ name: '__consumer_offsets', partitions: [{ partitionIndex: 0, offset: 0n }] }]
      const deleted = await client.send(deleteRecordsApi, 2, { topics, timeoutMs })
      assert.equal(deleted.topics[0]!.partitions[0]!.errorCode, errorCodes.INVALID_TOPIC_EXCEPTION)
      const { errorCode } = await client.send(unregisterBrokerApi, 0, { brokerId: 1 })
      assert.equal(errorCode, errorCodes.POLICY_VIOLATION)
      assert.equal(await create(client, 'still-here'), 0)
    }))

  test('configuration has a bound', () =>
    withBroker({}, async (client) => {
      assert.equal(await set(client, types.broker, '1', 'plug-in.x', 'x'.repeat(2 ** 20)), errorCodes.POLICY_VIOLATION)
      assert.equal(await set(client, types.broker, '1', 'plug-in.x', 'x'.repeat(2 ** 10)), 0)
    }))
})

describe('requests that meet', () => {
  test('two that add partitions leave one topic with the larger number', () =>
    withBroker({}, async (client) => {
      await create(client, 'grows')
      const grow = async (count: number): Promise<number> => {
        const topics = [{ name: 'grows', count, assignments: null }]
        const { results } = await client.send(createPartitionsApi, 3, { topics, timeoutMs })
        return results[0]!.errorCode
      }
      assert.deepEqual(await Promise.all([grow(3), grow(5), grow(4)]), [0, 0, errorCodes.INVALID_PARTITIONS])
      assert.equal(await partitionCount(client, 'grows'), 5)
    }))

  test('one that adds partitions and one that deletes', () =>
    withBroker({}, async (client) => {
      await create(client, 'goes')
      const topics = [{ name: 'goes', count: 3, assignments: null }]
      const grown = client.send(createPartitionsApi, 3, { topics, timeoutMs })
      const gone = client.send(deleteTopicsApi, 5, { topicNames: ['goes'], timeoutMs })
      assert.equal((await grown).results[0]!.errorCode, 0)
      assert.equal((await gone).responses[0]!.errorCode, 0)
      assert.equal(await partitionCount(client, 'goes'), 0)
      assert.equal(await create(client, 'goes', 2), 0)
      assert.equal(await partitionCount(client, 'goes'), 2)
    }))

  test('changes of different keys are all kept', () =>
    withBroker({}, async (client) => {
      await create(client, 'changes')
      const keys = ['retention.ms', 'segment.ms', 'delete.retention.ms', 'retention.bytes']
      await Promise.all(keys.map((key) => set(client, types.topic, 'changes', key, '77')))
      for (const key of keys) assert.equal(await value(client, types.topic, 'changes', key), '77@1')
      const ofBroker = ['log.retention.bytes', 'log.cleaner.backoff.ms', 'log.roll.ms']
      await Promise.all(ofBroker.map((key) => set(client, types.broker, '1', key, '77')))
      for (const key of ofBroker) assert.equal(await value(client, types.broker, '1', key), '77@2')
    }))
})

describe('SCRAM credentials that are set while the broker runs', () => {
  const salt = Buffer.from('some salt')
  const iterations = 4_096
  const salted = (password: string): Buffer => pbkdf2Sync(password, salt, iterations, 32, 'sha256')

  /** The client's half of SCRAM-SHA-256. */
  async function logIn(address: string, user: string, password: string): Promise<RawClient | undefined> {
    const client = await RawClient.connect(address)
    await client.send(saslHandshakeApi, 1, { mechanism: 'SCRAM-SHA-256' })
    const tell = (text: string) => client.send(saslAuthenticateApi, 2, { authBytes: Buffer.from(text) })
    const bare = `n=${user},r=nonce`
    const first = await tell(`n,,${bare}`)
    if (first.errorCode !== 0) return client.close().then(() => undefined)
    const challenge = first.authBytes.toString()
    const withoutProof = `c=biws,${challenge.split(',')[0]}`
    const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
    const clientKey = hmac(salted(password), 'Client Key')
    const stored = createHash('sha256').update(clientKey).digest()
    const signature = hmac(stored, `${bare},${challenge},${withoutProof}`)
    const proof = Buffer.from(clientKey.map((byte, i) => byte ^ signature[i]!)).toString('base64')
    const { errorCode } = await tell(`${withoutProof},p=${proof}`)
    return errorCode === 0 ? client : client.close().then(() => undefined)
  }

  test('let a user in, also after a restart, until they are deleted', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-scram-'))
    const options: BrokerOptions = { dataDir, sasl: { users: { admin: 'secret' } } }
    const plain = Buffer.from('\0admin\0secret')
    const asAdmin = async (address: string): Promise<RawClient> => {
      const client = await RawClient.connect(address)
      await client.send(saslHandshakeApi, 1, { mechanism: 'PLAIN' })
      await client.send(saslAuthenticateApi, 2, { authBytes: plain })
      return client
    }
    try {
      await using first = await startBroker(options)
      const [address = ''] = first.brokers
      assert.equal(await logIn(address, 'bob', 'pw'), undefined)
      const admin = await asAdmin(address)
      const saltedPassword = salted('pw')
      const upsertions = [{ name: 'bob', mechanism: 1, iterations, salt, saltedPassword }]
      await admin.send(alterUserScramCredentialsApi, 0, { upsertions })
      assert.equal(await logIn(address, 'bob', 'wrong'), undefined)
      const bob = await logIn(address, 'bob', 'pw')
      assert.equal(await create(bob!, 'bobs'), 0)
      const tokens = await bob!.send(describeDelegationTokenApi, 3, { owners: null })
      assert.equal(tokens.errorCode, errorCodes.DELEGATION_TOKEN_AUTH_DISABLED)
      await bob!.close()
      await admin.close()
      await first.close()

      await using second = await startBroker(options)
      const again = await logIn(second.brokers[0]!, 'bob', 'pw')
      assert.ok(again !== undefined)
      await again.send(alterUserScramCredentialsApi, 0, { deletions: [{ name: 'bob', mechanism: 1 }] })
      await again.close()
      assert.equal(await logIn(second.brokers[0]!, 'bob', 'pw'), undefined)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })
})

test('every request can be refused in every version', () => {
  const connection = {
    id: 1,
    host: '/127.0.0.1',
    principal: 'User:ANONYMOUS',
    authentication: { kind: 'not-needed' as const },
    departures: new Set<() => void>(),
  }
  for (const { api, refuse } of adminRoutes({} as Broker)) {
    for (let version = api.minVersion; version <= api.maxVersion; version++) {
      const request = new Writer()
      api.writeRequest(request, {}, version)
      const context = { version, correlationId: 1, clientId: '', connection }
      const answer = refuse(
        api.readRequest(new Reader(request.toBuffer()), version),
        errorCodes.UNKNOWN_SERVER_ERROR,
        context,
      )
      assert.notEqual(answer, noAnswer)
      const writer = new Writer()
      api.writeResponse(writer, answer as object, version)
      assert.doesNotThrow(() => api.readResponse(new Reader(writer.toBuffer()), version), `${api.name} v${version}`)
    }
  }
})

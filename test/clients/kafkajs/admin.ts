/** KafkaJS's admin client. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import kafkajs from 'kafkajs'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, ready } from './support.ts'

const { ConfigResourceTypes, KafkaJSAggregateError, KafkaJSProtocolError } = kafkajs

/** The protocol's name of a refusal, wherever KafkaJS put it. */
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => assert.fail('expected a refusal'),
    (reason: unknown) => reason,
  )
  const first = error instanceof KafkaJSAggregateError ? error.errors[0] : error
  assert.ok(first instanceof KafkaJSProtocolError, String(error))
  return first.type
}

export function kafkaJsAdmin(target: Target): void {
  describe('admin', () => {
    // Tests and tools create their topics first: a topic that is created but not yet known breaks them at random.
    test('Q1 · topics are created, listed, described and deleted', async (t) => {
      const admin = await new Clients(t, target).admin()
      const topic = unique('topic')
      assert.equal(await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: false }), true)
      await ready(admin, topic, 3)
      assert.equal(await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: false }), false)
      assert.ok((await admin.listTopics()).includes(topic))
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      assert.deepEqual(
        topics[0]?.partitions.map(({ partitionId, partitionErrorCode }) => [partitionId, partitionErrorCode]).sort(),
        [
          [0, 0],
          [1, 0],
          [2, 0],
        ],
      )
      await admin.deleteTopics({ topics: [topic] })
      await until('the topic is gone', async () => !(await admin.listTopics()).includes(topic))
    })

    test('Q1 · bad names and bad counts are refused by name', async (t) => {
      const admin = await new Clients(t, target).admin()
      const create = (topic: string, numPartitions: number): Promise<string> =>
        refusal(admin.createTopics({ topics: [{ topic, numPartitions }], waitForLeaders: false }))
      assert.equal(await create('no/slash', 1), 'INVALID_TOPIC_EXCEPTION')
      assert.equal(await create('..', 1), 'INVALID_TOPIC_EXCEPTION')
      assert.equal(await create('x'.repeat(250), 1), 'INVALID_TOPIC_EXCEPTION')
      assert.equal(await create(unique('topic'), 0), 'INVALID_PARTITIONS')
      const configEntries = [{ name: 'no.such.setting', value: '1' }]
      const unknown = admin.createTopics({
        topics: [{ topic: unique('topic'), configEntries }],
        waitForLeaders: false,
      })
      assert.equal(await refusal(unknown), 'INVALID_CONFIG')
      // KafkaJS would ask again for a minute: a topic may be new.
      const once = await new Clients(t, target, { retry: { retries: 0 } }).admin()
      await assert.rejects(once.deleteTopics({ topics: [unique('none')] }), /does not host this topic-partition/)
    })

    test('Q8 · partitions are added while the topic is in use, never taken away', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic(2)
      await admin.createPartitions({ topicPartitions: [{ topic, count: 5 }] })
      await ready(admin, topic, 5)
      await clients.fill(topic, 3, 4)
      const fewer = admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] })
      assert.equal(await refusal(fewer), 'INVALID_PARTITIONS')
    })

    test('Q8 · configuration is described and altered', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic(1, { 'retention.ms': '3600000' })
      const resource = { type: ConfigResourceTypes.TOPIC, name: topic }
      const read = async (name: string): Promise<{ value: string; isDefault: boolean } | undefined> => {
        const { resources } = await admin.describeConfigs({ resources: [resource], includeSynonyms: false })
        const entry = resources[0]?.configEntries.find(({ configName }) => configName === name)
        return entry && { value: entry.configValue, isDefault: entry.isDefault }
      }
      assert.equal((await read('retention.ms'))?.value, '3600000')
      assert.equal((await read('cleanup.policy'))?.value, 'delete')
      const configEntries = [{ name: 'cleanup.policy', value: 'compact' }]
      await admin.alterConfigs({ validateOnly: true, resources: [{ ...resource, configEntries }] })
      assert.equal((await read('cleanup.policy'))?.value, 'delete')
      await admin.alterConfigs({ validateOnly: false, resources: [{ ...resource, configEntries }] })
      await until('the new policy', async () => (await read('cleanup.policy'))?.value === 'compact')
      // The old request replaces all of a topic's settings: what it does not name goes back to the default.
      await until('the default again', async () => (await read('retention.ms'))?.value === '604800000')
    })

    test('the cluster describes itself', async (t) => {
      const admin = await new Clients(t, target).admin()
      const { brokers, controller, clusterId } = await admin.describeCluster()
      assert.ok(brokers.length >= 1)
      assert.ok(brokers.some(({ nodeId }) => nodeId === controller))
      assert.ok(clusterId.length > 0)
    })

    test('Q2 · offsets at the ends and by time', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic()
      const producer = await clients.producer()
      const start = Date.now() - 60_000
      for (const n of [0, 1, 2]) {
        await producer.send({ topic, messages: [{ value: String(n), timestamp: String(start + n * 1000) }] })
      }
      assert.deepEqual(await admin.fetchTopicOffsets(topic), [{ partition: 0, offset: '3', high: '3', low: '0' }])
      const at = async (time: number): Promise<string | undefined> =>
        (await admin.fetchTopicOffsetsByTimestamp(topic, time))[0]?.offset
      assert.equal(await at(start), '0')
      assert.equal(await at(start + 1), '1')
      assert.equal(await at(start + 2000), '2')
      // KafkaJS asks again for the end of the log where no record is that young.
      assert.equal(await at(start + 2001), '3')
    })

    test('Q3 · deleted records are gone for readers, and the log starts later', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic()
      await clients.fill(topic, 10)
      assert.equal((await admin.fetchTopicOffsets(topic))[0]?.low, '0')
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '4' }] })
      assert.equal((await admin.fetchTopicOffsets(topic))[0]?.low, '4')
      const reader = await clients.member({ groupId: unique('group') }, [topic])
      assert.equal((await reader.has(6))[0]?.offset, '4')
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '-1' }] })
      assert.deepEqual(await admin.fetchTopicOffsets(topic), [{ partition: 0, offset: '10', high: '10', low: '10' }])
    })

    test('Q7 · groups are listed, described and deleted; a group with members is not', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic(2)
      const groupId = unique('group')
      await clients.fill(topic, 1)
      const member = await clients.member({ groupId }, [topic])
      await member.has(1)
      assert.ok((await admin.listGroups()).groups.some((group) => group.groupId === groupId))
      const { groups } = await admin.describeGroups([groupId])
      assert.equal(groups[0]?.state, 'Stable')
      assert.equal(groups[0]?.protocolType, 'consumer')
      assert.equal(groups[0]?.protocol, 'RoundRobinAssigner')
      assert.equal(groups[0]?.members.length, 1)
      assert.match(groups[0]?.members[0]?.memberId ?? '', /^topic|kafkajs/)
      const refused = await admin.deleteGroups([groupId]).catch((error: unknown) => error)
      assert.match(JSON.stringify(refused), /NON_EMPTY_GROUP/)
      await member.consumer.disconnect()
      await until('empty', async () => (await admin.describeGroups([groupId])).groups[0]?.state === 'Empty')
      await admin.deleteGroups([groupId])
      assert.equal((await admin.describeGroups([groupId])).groups[0]?.state, 'Dead')
      assert.ok(!(await admin.listGroups()).groups.some((group) => group.groupId === groupId))
    })

    test('Q7 G5 · committed offsets are read and reset', async (t) => {
      const clients = new Clients(t, target)
      const admin = await clients.admin()
      const topic = await clients.topic(2)
      const groupId = unique('group')
      const offsets = async (): Promise<(string | undefined)[]> => {
        const found = await admin.fetchOffsets({ groupId, topics: [topic] })
        return found[0]?.partitions.sort((a, b) => a.partition - b.partition).map(({ offset }) => offset) ?? []
      }
      await clients.fill(topic, 5)
      assert.deepEqual(await offsets(), ['-1', '-1'])
      const first = await clients.member({ groupId }, [topic], { autoCommit: false })
      await first.has(5)
      await first.consumer.commitOffsets([{ topic, partition: 0, offset: '3' }])
      assert.deepEqual(await offsets(), ['3', '-1'])
      await first.consumer.disconnect()
      // KafkaJS commits −2 for «earliest»; Kafka stores it like any number, and the next member knows what it means.
      await admin.resetOffsets({ groupId, topic, earliest: true })
      assert.deepEqual(await offsets(), ['-2', '-2'])
      const second = await clients.member({ groupId }, [topic])
      assert.equal((await second.has(5))[0]?.offset, '0')
    })
  })
}

/** The admin client of @platformatic/kafka. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigResourceTypes, FindCoordinatorKeyTypes, IncrementalAlterConfigOperationTypes } from '@platformatic/kafka'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, refusals } from './support.ts'

export function platformaticAdmin(target: Target): void {
  describe('admin', () => {
    test('Q1 · topics are created with their settings, listed and deleted', async (t) => {
      const admin = new Clients(t, target).admin()
      const topic = unique('topic')
      const configs = [{ name: 'retention.ms', value: '3600000' }]
      const [created] = await admin.createTopics({ topics: [topic], partitions: 3, replicas: 1, configs })
      assert.equal(created?.name, topic)
      assert.equal(created?.partitions, 3)
      assert.equal(created?.replicas, 1)
      assert.equal(created?.configuration['retention.ms'], '3600000')
      assert.match(created?.id ?? '', /^[0-9a-f]{8}-/)
      await until('listed', async () => (await admin.listTopics()).includes(topic))
      const again = admin.createTopics({ topics: [topic], partitions: 3, replicas: 1 })
      assert.deepEqual(await refusals(again), ['TOPIC_ALREADY_EXISTS'])
      await admin.deleteTopics({ topics: [topic] })
      await until('gone', async () => !(await admin.listTopics()).includes(topic))
    })

    test('Q1 · a topic has an id, and a new topic of the same name has another', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = unique('topic')
      const create = async (): Promise<string | undefined> =>
        (await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 }))[0]?.id
      const first = await create()
      await admin.deleteTopics({ topics: [topic] })
      await until('gone', async () => !(await admin.listTopics()).includes(topic))
      const second = await create()
      assert.notEqual(first, second)
      await until('the new id', async () => {
        const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
        return topics.get(topic)?.id === second
      })
    })

    test('Q8 · partitions are added, never taken away', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin({ retries: 0 })
      const topic = await clients.topic(2)
      const grow = (count: number, validateOnly = false): Promise<void> =>
        admin.createPartitions({ topics: [{ name: topic, count }], validateOnly })
      const count = async (): Promise<number | undefined> =>
        (await admin.metadata({ topics: [topic], forceUpdate: true })).topics.get(topic)?.partitionsCount
      await grow(4, true)
      assert.equal(await count(), 2)
      await grow(4)
      await until('four partitions', async () => (await count()) === 4)
      assert.deepEqual(await refusals(grow(3)), ['INVALID_PARTITIONS'])
      assert.deepEqual(await refusals(grow(4)), ['INVALID_PARTITIONS'])
    })

    test('Q8 · configuration is changed entry by entry, appended to and taken from', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = await clients.topic()
      const { SET, DELETE, APPEND, SUBTRACT } = IncrementalAlterConfigOperationTypes
      const resource = { resourceType: ConfigResourceTypes.TOPIC, resourceName: topic }
      const read = async (name: string): Promise<string | null | undefined> => {
        const [found] = await admin.describeConfigs({ resources: [{ ...resource, configurationKeys: [name] }] })
        return found?.configs.find((config) => config.name === name)?.value
      }
      const change = (configs: Parameters<typeof admin.incrementalAlterConfigs>[0]['resources'][0]['configs']) =>
        admin.incrementalAlterConfigs({ resources: [{ ...resource, configs }] })
      await change([
        { name: 'max.message.bytes', configOperation: SET, value: '5000' },
        { name: 'cleanup.policy', configOperation: APPEND, value: 'compact' },
      ])
      await until('changed', async () => (await read('max.message.bytes')) === '5000')
      assert.deepEqual((await read('cleanup.policy'))?.split(',').sort(), ['compact', 'delete'])
      await change([
        { name: 'max.message.bytes', configOperation: DELETE },
        { name: 'cleanup.policy', configOperation: SUBTRACT, value: 'delete' },
      ])
      await until('changed back', async () => (await read('max.message.bytes')) === '1048588')
      assert.equal(await read('cleanup.policy'), 'compact')
      const bad = change([{ name: 'max.message.bytes', configOperation: SET, value: 'many' }])
      assert.deepEqual(await refusals(bad), ['INVALID_CONFIG'])
    })

    test('Q2 · offsets at the ends, by time, and of the largest time', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = await clients.topic()
      const start = BigInt(Date.now() - 60_000)
      const times = [start, start + 2000n, start + 1000n]
      const messages = times.map((timestamp, i) => ({ topic, partition: 0, value: String(i), timestamp }))
      for (const message of messages) await clients.producer().send({ messages: [message] })
      const at = async (timestamp: bigint): Promise<[bigint | undefined, bigint | undefined]> => {
        const [found] = await admin.listOffsets({
          topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp }] }],
        })
        return [found?.partitions[0]?.offset, found?.partitions[0]?.timestamp]
      }
      assert.deepEqual(await at(-2n), [0n, -1n])
      assert.deepEqual(await at(-1n), [3n, -1n])
      assert.deepEqual(await at(-3n), [1n, start + 2000n])
      assert.deepEqual(await at(start + 1n), [1n, start + 2000n])
      assert.deepEqual(await at(start), [0n, start])
      assert.deepEqual(await at(start + 5000n), [-1n, -1n])
    })

    test('Q3 · deleted records are gone, and the log starts later', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = await clients.topic()
      await clients.fill(topic, 10)
      const [deleted] = await admin.deleteRecords({
        topics: [{ name: topic, partitions: [{ partition: 0, offset: 4n }] }],
      })
      assert.deepEqual(deleted?.partitions, [{ partition: 0, lowWatermark: 4n }])
      assert.equal((await clients.read([topic], 6))[0]?.offset, 4n)
    })

    test('Q7 · offsets of a group are set, listed and deleted; the group goes', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = await clients.topic(2)
      const groupId = unique('group')
      await admin.alterConsumerGroupOffsets({
        groupId,
        topics: [{ name: topic, partitionOffsets: [0, 1].map((partition) => ({ partition, offset: 5n })) }],
      })
      const offsets = async (): Promise<[number, bigint][] | undefined> => {
        const [group] = await admin.listConsumerGroupOffsets({ groups: [groupId], requireStable: true })
        return group?.topics[0]?.partitions
          .map(({ partitionIndex, committedOffset }): [number, bigint] => [partitionIndex, committedOffset])
          .sort(([a], [b]) => a - b)
      }
      assert.deepEqual(await offsets(), [
        [0, 5n],
        [1, 5n],
      ])
      await admin.deleteConsumerGroupOffsets({ groupId, topics: [{ name: topic, partitionIndexes: [1] }] })
      assert.deepEqual(await offsets(), [[0, 5n]])
      assert.match((await admin.listGroups()).get(groupId)?.state ?? '', /^empty$/i)
      await admin.deleteGroups({ groups: [groupId] })
      assert.equal((await admin.listGroups()).has(groupId), false)
    })

    test('Q7 · a group with members is described, and not deleted', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin({ retries: 0 })
      const topic = await clients.topic(2)
      const groupId = unique('group')
      const member = await clients.member(clients.consumer(groupId), { topics: [topic] })
      await until('both partitions', () => member.owns(topic).length === 2)
      const group = (await admin.describeGroups({ groups: [groupId] })).get(groupId)
      assert.match(group?.state ?? '', /^stable$/i)
      assert.equal(group?.members.size, 1)
      const [described] = group?.members.values() ?? []
      assert.deepEqual(described?.assignments?.get(topic)?.partitions.sort(), [0, 1])
      assert.deepEqual(await refusals(admin.deleteGroups({ groups: [groupId] })), ['NON_EMPTY_GROUP'])
    })

    test('coordinators are found, log directories are described', async (t) => {
      const clients = new Clients(t, target)
      const admin = clients.admin()
      const topic = await clients.topic(2)
      for (const keyType of [FindCoordinatorKeyTypes.GROUP, FindCoordinatorKeyTypes.TRANSACTION]) {
        const keys = [unique('a'), unique('b')]
        const found = await until('coordinators', async () => {
          // Kafka creates its internal topics when first asked, and says "not available" meanwhile.
          try {
            return await admin.findCoordinator({ keyType, keys })
          } catch {
            return undefined
          }
        })
        assert.deepEqual(
          found.map(({ key }) => key),
          keys,
        )
        assert.ok(found.every(({ nodeId, port }) => nodeId >= 0 && port > 0))
      }
      await clients.fill(topic, 3)
      const [directory] = await admin.describeLogDirs({ topics: [{ name: topic, partitions: [0, 1] }] })
      const partitions = directory?.results.flatMap(({ topics }) => topics).flatMap((found) => found.partitions) ?? []
      assert.equal(partitions.length, 2)
      assert.ok(partitions.some(({ partitionSize }) => partitionSize > 0n))
    })
  })
}

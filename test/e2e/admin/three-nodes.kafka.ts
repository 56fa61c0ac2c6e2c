/** An admin and three nodes of Apache Kafka: everybody is asked for what is theirs, also when one of them dies. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Kafka, KafkaUnavailable, startKafka } from '../../support/kafka.ts'
import { loudly, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { adminOf } from './support.ts'

/** Undefined, and loudly so, where there is no Java. */
async function threeNodes(): Promise<Kafka | undefined> {
  if (process.env.FANLANE_TARGET === 'embedded') return undefined
  try {
    return await startKafka({ nodes: 3 })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`THREE NODES OF APACHE KAFKA NOT RUN: ${error.message}`)
    return undefined
  }
}

const ids = [1, 2, 3]
const kafka = await threeNodes()
if (kafka !== undefined) {
  describe('an admin and three nodes of Apache Kafka', { timeout: 240_000 }, () => {
    after(() => kafka.stop())

    test('every broker is asked for what is its own', async (t) => {
      // One address is enough to find all.
      const admin = adminOf(t, { brokers: kafka.brokers.slice(0, 1) })
      const cluster = await admin.describeCluster()
      assert.deepEqual(
        cluster.brokers.map(({ id }) => id),
        ids,
      )
      const topic = unique('spread')
      const [created] = await admin.createTopics([{ name: topic, partitions: 6, replicationFactor: 3 }])
      assert.deepEqual([created?.partitions, created?.replicationFactor], [6, 3])
      const partitions = Array.from({ length: 6 }, (_, partition) => ({ topic, partition }))
      const ends = await admin.listOffsets(partitions.map((each) => ({ ...each, at: 'latest' })))
      assert.deepEqual(
        ends.map(({ partition, offset }) => [partition, offset]),
        partitions.map(({ partition }) => [partition, 0]),
      )
      const [described] = await admin.describeTopics([topic])
      assert.deepEqual([...new Set(described?.partitions.map(({ leader }) => leader))].sort(), ids)
      assert.ok(described?.partitions.every(({ replicas }) => replicas.length === 3))
      await admin.deleteRecords(partitions.map((each) => ({ ...each, before: 'all' })))
      assert.equal((await admin.describeProducers(partitions)).length, 6)

      const groups = Array.from({ length: 12 }, () => unique('spread'))
      await Promise.all(groups.map((group) => admin.alterOffsets(group, [{ topic, partition: 0, offset: 1 }])))
      const listed = (await admin.listGroups()).filter(({ id }) => groups.includes(id))
      assert.equal(listed.length, groups.length)
      assert.ok(new Set(listed.map(({ coordinator }) => coordinator)).size > 1)
      assert.deepEqual(
        (await admin.describeGroups(groups)).map(({ id, state }) => [id, state]),
        groups.map((id) => [id, 'Empty']),
      )
      await admin.deleteGroups(groups)

      const resources = ids.map((id) => ({ type: 'broker', name: String(id), keys: ['node.id'] }) as const)
      assert.deepEqual(
        (await admin.describeConfigs(resources)).map(({ configs }) => configs['node.id']?.value),
        ['1', '2', '3'],
      )
      // Followers open their logs a moment after the leader.
      await until('on every disk', async () => {
        const dirs = await admin.describeLogDirs()
        const replicas = dirs.filter((dir) => dir.replicas.filter((each) => each.topic === topic).length === 6)
        return replicas.length === 3
      })
      for (const id of ids) assert.equal((await admin.apiVersions(id)).node, id)
    })

    // The leader and coordinator dies with requests on their way to it; whoever follows it answers them.
    test('Q12 · a node is killed: what is asked meanwhile is answered by those who take over', async (t) => {
      const admin = adminOf(t, kafka, { timeoutMs: 60_000 })
      const topic = unique('killed')
      await admin.createTopics([{ name: topic, partitions: 3, replicationFactor: 3 }])
      const partitions = [0, 1, 2].map((partition) => ({ topic, partition }))
      const group = unique('killed')
      await admin.alterOffsets(group, [{ topic, partition: 0, offset: 3 }])
      const coordinator = (await admin.describeGroups([group]))[0]?.coordinator
      const node = kafka.nodes.find(({ id }) => id === coordinator)
      assert.ok(node)
      await node.stop('SIGKILL')
      const another = unique('after')
      const [ends, stored, created] = await Promise.all([
        admin.listOffsets(partitions.map((each) => ({ ...each, at: 'latest' }))),
        // Without it, a coordinator that has just taken over may tell an older one.
        admin.committed(group, undefined, { requireStable: true }),
        admin.createTopics([{ name: another, partitions: 1, replicationFactor: 2 }]),
      ])
      assert.equal(ends.length, 3)
      assert.equal(stored[0]?.offset, 3)
      assert.equal(created.length, 1)
      await admin.alterOffsets(group, [{ topic, partition: 0, offset: 4 }])
      assert.notEqual((await admin.describeGroups([group]))[0]?.coordinator, coordinator)
      const now = await until('two are left', async () => {
        const { brokers } = await admin.describeCluster()
        return brokers.filter(({ isFenced }) => !isFenced).length === 2 && brokers
      })
      assert.ok(now.every(({ id, isFenced }) => isFenced === (id === coordinator)))
      assert.ok((await admin.listGroups()).some(({ id }) => id === group))
      const [described] = await admin.describeTopics([topic])
      assert.ok(described?.partitions.every(({ leader, isr }) => leader !== coordinator && isr.length === 2))
      await node.start()
      await until('all in sync', async () =>
        (await admin.describeTopics([topic]))[0]?.partitions.every(({ isr }) => isr.length === 3),
      )
    })
  })
}

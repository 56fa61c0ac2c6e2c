/** Topics, their configurations, and the cluster that they are in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AdminError, settled } from '../../../src/admin/index.ts'
import { OptionError } from '../../../src/errors.ts'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { adminOf, newTopic } from './support.ts'

export function topicSuite(target: Target): void {
  describe('topics', () => {
    test('Q1 Q8 · created, described, listed, grown, deleted', async (t) => {
      const admin = adminOf(t, target)
      const name = unique('life')
      const [created] = await admin.createTopics([
        {
          name,
          partitions: 3,
          replicationFactor: 1,
          configs: { 'retention.ms': 3_600_000, 'cleanup.policy': 'compact' },
        },
      ])
      assert.ok(created)
      const { id, ...rest } = created
      assert.deepEqual(rest, { name, partitions: 3, replicationFactor: 1, confirmed: true })
      assert.match(id ?? '', /^[\w-]{22}$/)
      const [described] = await admin.describeTopics([name, name])
      assert.equal(described?.id, id)
      assert.equal(described?.isInternal, false)
      assert.deepEqual(
        described?.partitions.map(({ partition, leader, replicas, isr, offline }) => ({
          partition,
          same: [leader, ...replicas].every((node) => node === leader) && isr.length === 1 && offline.length === 0,
        })),
        [0, 1, 2].map((partition) => ({ partition, same: true })),
      )
      await until('listed', async () => {
        const found = (await admin.listTopics()).find((each) => each.name === name)
        return found !== undefined && assert.deepEqual(found, listing(name, id, 3)) === undefined
      })
      assert.deepEqual(await admin.createPartitions([{ topic: name, count: 5 }]), [{ name, confirmed: true }])
      await until('grown', async () => (await admin.describeTopics([name]))[0]?.partitions.length === 5)
      assert.deepEqual(await admin.deleteTopics([name]), [{ name, confirmed: true }])
      await until('gone', async () => !(await admin.listTopics()).some((each) => each.name === name))
      await assert.rejects(admin.describeTopics([name]), { code: 'UNKNOWN_TOPIC_OR_PARTITION' })
    })

    test('the defaults of the cluster, partitions placed by hand, and only looking', async (t) => {
      const admin = adminOf(t, target)
      const plain = unique('plain')
      const placed = unique('placed')
      const [node] = (await admin.describeCluster()).brokers.map((broker) => broker.id)
      assert.ok(node !== undefined)
      const created = await admin.createTopics([{ name: plain }, { name: placed, assignments: [[node], [node]] }])
      assert.deepEqual(
        created.map(({ partitions, replicationFactor }) => [partitions, replicationFactor]),
        [
          [1, 1],
          [2, 1],
        ],
      )
      const wish = unique('wish')
      const [looked] = await admin.createTopics([{ name: wish, partitions: 4 }], { validateOnly: true })
      assert.equal(looked?.partitions, 4)
      await admin.createPartitions([{ topic: plain, count: 9 }], { validateOnly: true })
      const names = (await admin.listTopics()).map(({ name }) => name)
      assert.ok(!names.includes(wish))
      assert.equal((await admin.describeTopics([plain]))[0]?.partitions.length, 1)
    })

    // One bad topic in a list: the others are made, and the error says which one was not, and why.
    test('one that is refused hides neither the others nor itself', async (t) => {
      const admin = adminOf(t, target)
      const taken = await newTopic(admin)
      const fresh = unique('fresh')
      const wishes = [{ name: taken }, { name: fresh }, { name: 'no/slash' }]
      await assert.rejects(admin.createTopics(wishes), (error) => {
        assert.ok(error instanceof AdminError)
        assert.equal(error.code, 'SEVERAL_FAILURES')
        assert.match(error.message, /^2 of 3 failed in CreateTopics\. CreateTopics of /)
        assert.deepEqual(
          error.failures.map(({ name, error: { code } }) => [name, code]),
          [
            [taken, 'TOPIC_ALREADY_EXISTS'],
            ['no/slash', 'INVALID_TOPIC_EXCEPTION'],
          ],
        )
        assert.deepEqual(
          (error.results as { name: string }[]).map(({ name }) => name),
          [fresh],
        )
        return true
      })
      const missing = unique('missing')
      const { results, failures } = await settled(admin.describeTopics([fresh, missing]))
      assert.deepEqual([results[0]?.name, failures[0]?.name], [fresh, missing])
      await assert.rejects(
        admin.deleteTopics([missing]),
        /^AdminError: DeleteTopics of missing.*There is no such topic/,
      )
      await assert.rejects(admin.createPartitions([{ topic: fresh, count: 1 }]), { code: 'INVALID_PARTITIONS' })
      await assert.rejects(admin.createTopics([{ name: unique('many'), replicationFactor: 9 }]), {
        code: 'INVALID_REPLICATION_FACTOR',
      })
    })

    test('what cannot be meant is refused before it is sent', async (t) => {
      const admin = adminOf(t, target)
      await assert.rejects(admin.describeTopics('orders' as unknown as string[]), OptionError)
      await assert.rejects(admin.createTopics([{ name: 'a' }, { name: 'a' }]), /topics names a twice/)
      await assert.rejects(admin.createTopics([{ name: 'a', partitions: 0 }]), OptionError)
      await assert.rejects(admin.listTopics({ timeoutMs: Number.NaN }), OptionError)
      assert.deepEqual(await admin.describeTopics([]), [])
    })

    test('its own topics are shown only to those who ask', async (t) => {
      const admin = adminOf(t, target)
      const topic = await newTopic(admin)
      await admin.alterOffsets(unique('group'), [{ topic, partition: 0, offset: 0 }])
      const internal = '__consumer_offsets'
      assert.ok(!(await admin.listTopics()).some(({ name }) => name === internal))
      const all = await admin.listTopics({ internal: true })
      assert.equal(all.find(({ name }) => name === internal)?.isInternal, true)
    })
  })

  describe('configurations', () => {
    test('Q8 · of a topic: described, set, appended, taken back', async (t) => {
      const admin = adminOf(t, target)
      const name = await newTopic(admin)
      const resource = { type: 'topic', name } as const
      const described = async (key: string) => {
        const [found] = await admin.describeConfigs([{ ...resource, keys: [key] }])
        return found?.configs[key]
      }
      const before = await described('retention.ms')
      assert.deepEqual([before?.value, before?.isDefault, before?.isReadOnly], ['604800000', true, false])
      const change = { ...resource, set: { 'retention.ms': 60_000 }, append: { 'cleanup.policy': 'compact' } }
      assert.deepEqual(await admin.alterConfigs([change]), [resource])
      const after = await until('changed', async () => {
        const entry = await described('retention.ms')
        return entry?.value === '60000' && entry
      })
      assert.deepEqual([after.source, after.isDefault], ['topic', false])
      assert.equal(after.synonyms[0]?.value, '60000')
      assert.deepEqual((await described('cleanup.policy'))?.value?.split(',').sort(), ['compact', 'delete'])
      await admin.alterConfigs([{ ...resource, delete: ['retention.ms'], subtract: { 'cleanup.policy': 'delete' } }])
      await until('back', async () => (await described('retention.ms'))?.value === '604800000')
      assert.equal((await described('cleanup.policy'))?.value, 'compact')
      const whole = await admin.describeConfigs([resource], { documentation: true })
      assert.ok(Object.keys(whole[0]?.configs ?? {}).length > 20)
    })

    test('of a broker, from that broker; what nobody knows is an error of its own', async (t) => {
      const admin = adminOf(t, target)
      const [node] = (await admin.describeCluster()).brokers.map((broker) => String(broker.id))
      const [broker] = await admin.describeConfigs([{ type: 'broker', name: node ?? '' }])
      assert.ok(broker?.configs['num.partitions'])
      const name = await newTopic(admin)
      const missing = unique('missing')
      const { results, failures } = await settled(
        admin.describeConfigs([
          { type: 'topic', name: missing },
          { type: 'topic', name },
        ]),
      )
      assert.equal(results[0]?.name, name)
      assert.deepEqual([failures[0]?.name, failures[0]?.error.code], [`topic ${missing}`, 'UNKNOWN_TOPIC_OR_PARTITION'])
      const nonsense = { type: 'topic', name, set: { 'retention.ms': 'soon' } } as const
      await assert.rejects(admin.alterConfigs([nonsense]), { code: 'INVALID_CONFIG' })
      await assert.rejects(admin.alterConfigs([{ type: 'shelf' as 'topic', name }]), OptionError)
    })
  })

  describe('the cluster', () => {
    test('who is in it, what it can do, what it holds', async (t) => {
      const admin = adminOf(t, target)
      const cluster = await admin.describeCluster()
      assert.ok(cluster.id.length > 0)
      assert.equal(cluster.brokers.length, 1)
      const [broker] = cluster.brokers
      assert.ok(broker)
      assert.equal(cluster.controller, broker.id)
      assert.equal(`${broker.host}:${broker.port}`, target.brokers[0])
      assert.deepEqual([broker.rack, broker.isFenced], [null, false])
      const level = cluster.features.find(({ name }) => name === 'transaction.version')
      assert.deepEqual([level?.level, level?.supported?.max], [2, 2])
      const versions = await admin.apiVersions(broker.id)
      assert.equal(versions.node, broker.id)
      assert.deepEqual(
        versions.apis.find(({ name }) => name === 'Fetch'),
        { key: 1, name: 'Fetch', min: 4, max: 18 },
      )
      const topic = await newTopic(admin, 2)
      const [dir] = await until('on disk', async () => {
        const dirs = await admin.describeLogDirs()
        const found = dirs.flatMap(({ replicas }) => replicas.filter((each) => each.topic === topic))
        return found.length === 2 && dirs
      })
      assert.equal(dir?.broker, broker.id)
      assert.equal(dir?.error, null)
      assert.deepEqual(
        dir?.replicas.filter((each) => each.topic === topic).sort((a, b) => a.partition - b.partition),
        [0, 1].map((partition) => ({ topic, partition, bytes: 0, offsetLag: 0, isFuture: false })),
      )
    })
  })
}

const listing = (name: string, id: string | null, partitions: number) => ({
  name,
  id,
  isInternal: false,
  partitions,
  replicationFactor: 1,
})

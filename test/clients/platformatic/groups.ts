/** Groups of @platformatic/kafka, in the classic protocol and in the one of KIP-848. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Target, unique } from '../../support/targets.ts'
import { until } from '../../support/wait.ts'
import { Clients, protocols } from './support.ts'

export function platformaticGroups(target: Target): void {
  for (const protocol of protocols) {
    describe(`groups, ${protocol} protocol`, () => {
      test('Q2 G3 · two members share the partitions, and each reads its own', async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic(4)
        const groupId = unique('group')
        const first = await clients.member(clients.consumer(groupId, protocol), { topics: [topic] })
        await until('all partitions', () => first.owns(topic).length === 4)
        const second = await clients.member(clients.consumer(groupId, protocol), { topics: [topic] })
        await until('two partitions each', () => first.owns(topic).length === 2 && second.owns(topic).length === 2)
        assert.deepEqual([...first.owns(topic), ...second.owns(topic)].sort(), [0, 1, 2, 3])
        for (const partition of [0, 1, 2, 3]) await clients.fill(topic, 5, partition)
        // Records of a partition that was just taken away still come from this client: only those of owners count.
        for (const member of [first, second]) {
          const own = () => member.records.filter(({ partition }) => member.owns(topic).includes(partition))
          await until('all records of its partitions', () => own().length >= 10)
          assert.equal(own().length, 10)
        }
        const group = (await clients.admin().listGroups({ types: [protocol] })).get(groupId)
        assert.equal(group?.groupType?.toLowerCase(), protocol)
      })

      test('G2 · a member leaves and the other takes over', async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic(2)
        const groupId = unique('group')
        const first = await clients.member(clients.consumer(groupId, protocol), { topics: [topic] })
        const second = await clients.member(clients.consumer(groupId, protocol), { topics: [topic] })
        await until('one partition each', () => first.owns(topic).length === 1 && second.owns(topic).length === 1)
        await second.close()
        await until('both partitions', () => first.owns(topic).length === 2)
        for (const partition of [0, 1]) await clients.fill(topic, 3, partition)
        await first.has(6)
      })

      test('G5 G6 · commits carry a group over a restart', async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic()
        const groupId = unique('group')
        await clients.fill(topic, 10)
        const first = await clients.member(clients.consumer(groupId, protocol), { topics: [topic], autocommit: false })
        const records = await first.has(10)
        await records[5]?.commit()
        await first.close()
        const committed = await clients.admin().listConsumerGroupOffsets({ groups: [groupId] })
        assert.equal(committed[0]?.topics[0]?.partitions[0]?.committedOffset, 6n)
        const second = await clients.member(clients.consumer(groupId, protocol), { topics: [topic] })
        assert.deepEqual(
          (await second.has(4)).map(({ value }) => value),
          ['6', '7', '8', '9'],
        )
      })

      test('G5 · a given offset, the first and the last', async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic()
        await clients.fill(topic, 5)
        const offsets = [{ topic, partition: 0, offset: 3n }]
        const fromThree = await clients.member(clients.consumer(unique('group'), protocol), {
          topics: [topic],
          mode: 'manual',
          offsets,
        })
        assert.equal((await fromThree.has(2))[0]?.offset, 3n)
        const last = await clients.member(clients.consumer(unique('group'), protocol), {
          topics: [topic],
          mode: 'latest',
        })
        await until('the partition', () => last.owns(topic).length === 1)
        let written = 5
        await until('a new record', async () => {
          await clients.fill(topic, 1, 0, written++)
          return last.records.length > 0
        })
        assert.ok((last.records[0]?.offset ?? 0n) >= 5n)
      })

      test('Q8 · partitions that are added are handed out', async (t) => {
        const clients = new Clients(t, target)
        const topic = await clients.topic(1)
        const consumer = clients.consumer(unique('group'), protocol, { metadataMaxAge: 200 })
        const member = await clients.member(consumer, { topics: [topic] })
        await until('one partition', () => member.owns(topic).length === 1)
        await clients.admin().createPartitions({ topics: [{ name: topic, count: 3 }] })
        // The classic protocol has no way to tell: whoever leads the group has to look, and this client does not.
        if (protocol === 'consumer') await until('three partitions', () => member.owns(topic).length === 3)
      })
    })
  }

  // In the classic protocol this client leaves for good when it is closed, so only the newer one is asked.
  test('G4 · a static member that comes back keeps its partitions', async (t) => {
    const clients = new Clients(t, target)
    const topic = await clients.topic(2)
    const groupId = unique('group')
    const other = await clients.member(clients.consumer(groupId, 'consumer', { groupInstanceId: 'other' }), {
      topics: [topic],
    })
    const options = { groupInstanceId: 'static' }
    const first = await clients.member(clients.consumer(groupId, 'consumer', options), { topics: [topic] })
    await until('one partition each', () => first.owns(topic).length === 1 && other.owns(topic).length === 1)
    const before = first.owns(topic)
    const kept = other.owns(topic)
    await first.close()
    const again = await clients.member(clients.consumer(groupId, 'consumer', options), { topics: [topic] })
    await until('one partition each', () => again.owns(topic).length === 1 && other.owns(topic).length === 1)
    assert.deepEqual([again.owns(topic), other.owns(topic)], [before, kept])
  })

  test('G1 · lag is what the group has not committed', async (t) => {
    const clients = new Clients(t, target)
    const topic = await clients.topic()
    const groupId = unique('group')
    await clients.fill(topic, 10)
    const member = await clients.member(clients.consumer(groupId), { topics: [topic], autocommit: false })
    const records = await member.has(10)
    await records[6]?.commit()
    const lag = await member.consumer.getLag({ topics: [topic] })
    assert.deepEqual(lag.get(topic), [3n])
    const committed = await member.consumer.listCommittedOffsets({ topics: [{ topic, partitions: [0] }] })
    assert.deepEqual(committed.get(topic), [7n])
  })
}

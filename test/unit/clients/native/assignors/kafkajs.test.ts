/** In one group with KafkaJS, whoever leads: KafkaJS's own code reads our bytes and makes the plan that we make. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import kafkajs, { type Cluster } from 'kafkajs'
import { kafkaJsRoundRobin } from '../../../../../src/clients/native/group/assignors/kafkajs-round-robin.ts'
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../../../src/clients/native/group/assignors/subscription.ts'
import { counts, listed, member, partitions, plan } from './support.ts'

const { AssignerProtocol, PartitionAssigners } = kafkajs
const sizes = { orders: 5, payments: 3, audit: 1 }
const topics = ['payments', 'orders', 'audit']

const cluster = {
  findTopicPartitionMetadata: (topic: keyof typeof sizes) =>
    Array.from({ length: sizes[topic] }, (_, partitionId) => ({ partitionId })),
} as unknown as Cluster
const theirs = PartitionAssigners.roundRobin({ cluster, groupId: 'group', logger: undefined as never })

describe('with KafkaJS in one group', () => {
  test('G3 · the same name, the same bytes of a subscription', () => {
    assert.equal(kafkaJsRoundRobin.name, theirs.name)
    const { metadata } = theirs.protocol({ topics: topics.toSorted() })
    const ours = encodeSubscription(
      { ...member('m', topics.join(' ')), userData: kafkaJsRoundRobin.userData?.([], -1) ?? null },
      kafkaJsRoundRobin.version,
    )
    assert.deepEqual(ours, metadata)
    assert.deepEqual(decodeSubscription(metadata, 'm').topics, topics.toSorted())
    assert.equal(decodeSubscription(metadata, 'm').generationId, -1)
  })

  test('G3 · the same plan as a KafkaJS leader makes', async () => {
    const ids = ['m-b', 'm-c', 'm-a', 'm-d']
    const assigned = await theirs.assign({
      members: ids.map((memberId) => ({ memberId, memberMetadata: Buffer.alloc(0) })),
      topics,
    })
    const expected = Object.fromEntries(
      assigned.map(({ memberId, memberAssignment }) => [memberId, listed(decodeAssignment(memberAssignment))]),
    )
    const ours = kafkaJsRoundRobin.assign(
      ids.map((id) => member(id, topics.join(' '))),
      counts(sizes),
    )
    assert.deepEqual(plan(ours), expected)
  })

  test('G3 · KafkaJS reads the assignment that we make as leader', () => {
    const bytes = encodeAssignment(partitions('orders:4 payments:0 orders:1'), kafkaJsRoundRobin.version)
    assert.deepEqual(AssignerProtocol.MemberAssignment.decode(bytes), {
      version: 0,
      assignment: { orders: [1, 4], payments: [0] },
      userData: Buffer.alloc(0),
    })
  })

  test('G3 · a KafkaJS leader says nothing to members that get nothing', () => {
    assert.deepEqual(decodeAssignment(Buffer.alloc(0)), [])
  })

  test('G3 · nobody gets a topic that it does not read', () => {
    const members = [member('m1', 'orders'), member('m2', 'orders payments')]
    const ours = plan(kafkaJsRoundRobin.assign(members, counts(sizes)))
    assert.deepEqual(ours, {
      m1: 'orders:0 orders:2 orders:4',
      m2: 'orders:1 orders:3 payments:0 payments:1 payments:2',
    })
  })
})

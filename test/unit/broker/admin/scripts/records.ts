/** What partitions hold: DeleteRecords, OffsetForLeaderEpoch, DescribeLogDirs, DescribeProducers, and moves of replicas. */
import { produceApi } from '../../../../../src/protocol/generated/00-produce.ts'
import { deleteRecordsApi } from '../../../../../src/protocol/generated/21-delete-records.ts'
import { initProducerIdApi } from '../../../../../src/protocol/generated/22-init-producer-id.ts'
import { offsetForLeaderEpochApi } from '../../../../../src/protocol/generated/23-offset-for-leader-epoch.ts'
import { alterReplicaLogDirsApi } from '../../../../../src/protocol/generated/34-alter-replica-log-dirs.ts'
import { describeLogDirsApi } from '../../../../../src/protocol/generated/35-describe-log-dirs.ts'
import { electLeadersApi } from '../../../../../src/protocol/generated/43-elect-leaders.ts'
import { alterPartitionReassignmentsApi } from '../../../../../src/protocol/generated/45-alter-partition-reassignments.ts'
import { listPartitionReassignmentsApi } from '../../../../../src/protocol/generated/46-list-partition-reassignments.ts'
import { describeProducersApi } from '../../../../../src/protocol/generated/61-describe-producers.ts'
import { encodeBatch } from '../../../../../src/protocol/record-batch/writer.ts'
import type { Conversation, Script } from '../transcript.ts'
import { newTopic } from './topics.ts'

const timeoutMs = 30_000

/** Until the leader is there: in Kafka that can come after the answer to CreateTopics. */
async function produce(to: Conversation, name: string, index: number, count: number, producerId = -1n): Promise<void> {
  // The clock's time: Kafka forgets a producer that writes old records at once.
  const timestampMs = Date.now()
  const records = Array.from({ length: count }, (_, i) => ({
    key: Buffer.from(`k${i}`),
    value: Buffer.from(`v${i}`),
    timestampMs: timestampMs + i,
  }))
  const producer = producerId < 0n ? {} : { producerId: Number(producerId), producerEpoch: 0, baseSequence: 0 }
  for (;;) {
    const topicData = [{ name, partitionData: [{ index, records: encodeBatch({ records, ...producer }) }] }]
    const { responses } = await to.quietly(produceApi, 9, { acks: -1, timeoutMs, topicData })
    if (responses[0]!.partitionResponses[0]!.errorCode === 0) return
  }
}

export const recordDeletion: Script = async (to) => {
  const topics = {
    records: 'delete',
    'records-compact': 'compact',
    'records-both': 'compact,delete',
    'records-none': '',
  }
  for (const [name, policy] of Object.entries(topics)) await newTopic(to, name, 2, { 'cleanup.policy': policy })
  for (const name of Object.keys(topics)) await produce(to, name, 0, 10)
  await produce(to, 'records', 1, 1)
  type Wish = readonly [topic: string, ...partitions: (readonly [index: number, offset: number])[]]
  const remove = (say: string, wishes: Wish[], version = 2, more = {}) => {
    const list = wishes.map(([name, ...partitions]) => ({
      name,
      partitions: partitions.map(([partitionIndex, offset]) => ({ partitionIndex, offset: BigInt(offset) })),
    }))
    return to.ask(say, deleteRecordsApi, version, { topics: list, timeoutMs, ...more })
  }
  await remove('in the middle', [['records', [0, 3]]])
  await remove('behind the beginning', [['records', [0, 2]]])
  await remove('as it was then', [['records', [0, 4]]], 0)
  await remove('beyond the end', [['records', [0, 11]]])
  await remove('-2', [['records', [0, -2]]])
  await remove('everything', [['records', [0, -1]]])
  await remove('everything, again', [['records', [0, -1]]])
  await remove('an unknown partition', [['records', [5, 1]]])
  await remove('unknown topics', [
    ['nope', [0, 1]],
    ['bad name', [0, 1]],
  ])
  await remove('a compacted topic', [['records-compact', [0, 1]]])
  await remove('a topic that is compacted and deleted', [['records-both', [0, 1]]])
  await remove('a topic with no policy', [['records-none', [0, 1]]])
  await remove('an empty partition', [['records-both', [1, 0]]])
  await remove('everything of an empty partition', [['records-both', [1, -1]]])
  await remove('a partition twice', [['records', [1, 0], [1, 5]]])
  await remove('a topic twice', [
    ['records', [1, 0]],
    ['records', [0, 10]],
  ])
  await remove('no time', [['records-both', [0, 2]]], 2, { timeoutMs: 0 })
  await remove('nothing', [])
}

export const epochs: Script = async (to) => {
  await newTopic(to, 'epochs', 2)
  await produce(to, 'epochs', 0, 10)
  await produce(to, 'epochs', 1, 1)
  const ask = (
    say: string,
    partition: number,
    currentLeaderEpoch: number,
    leaderEpoch: number,
    version = 4,
    more = {},
  ) => {
    const topics = [{ topic: 'epochs', partitions: [{ partition, currentLeaderEpoch, leaderEpoch }], ...more }]
    return to.ask(say, offsetForLeaderEpochApi, version, { ...(version > 2 ? { replicaId: -1 } : {}), topics })
  }
  await ask('where it ends', 0, -1, 0)
  for (const version of [2, 3]) await ask('as it was then', 0, -1, 0, version)
  await ask('an epoch to come', 0, -1, 1)
  await ask('no epoch', 0, -1, -1)
  await ask('the current epoch is right', 0, 0, 0)
  await ask('the current epoch is to come', 0, 1, 0)
  await ask('an unknown partition', 9, -1, 0)
  await ask('an unknown topic', 0, -1, 0, 4, { topic: 'nope' })
}

export const sizes: Script = async (to) => {
  await newTopic(to, 'sizes', 2)
  await produce(to, 'sizes', 0, 10)
  await produce(to, 'sizes', 1, 1)
  type Wish = { topic: string; partitions: number[] }[]
  const describe = (say: string, topics: Wish, version = 4) => to.ask(say, describeLogDirsApi, version, { topics })
  for (const version of [1, 2, 3, 4]) await describe('one', [{ topic: 'sizes', partitions: [0] }], version)
  await describe('known and unknown', [
    { topic: 'sizes', partitions: [0, 7] },
    { topic: 'nope', partitions: [0] },
  ])
  await describe('twice', [
    { topic: 'sizes', partitions: [0, 0] },
    { topic: 'sizes', partitions: [1, 0] },
  ])
  await describe('no partitions', [{ topic: 'sizes', partitions: [] }])
  await describe('no topics', [])
  const all = await to.quietly(describeLogDirsApi, 4, { topics: null })
  const mine = all.results[0]!.topics.filter(({ name }) => name === 'sizes')
  await to.ask('among all', describeLogDirsApi, 4, { topics: null }, () => mine)

  const move = (say: string, path: string) => {
    const topics = [
      { name: 'sizes', partitions: [0, 7] },
      { name: 'nope', partitions: [0] },
    ]
    return to.ask(say, alterReplicaLogDirsApi, 2, { dirs: [{ path, topics }] })
  }
  await move('to where they are', all.results[0]!.logDir)
  await move('to a directory that is not there', '/nope')
  await move('to a relative path', 'nope')
}

async function newProducerId(to: Conversation): Promise<bigint> {
  const request = { transactionalId: null, transactionTimeoutMs: timeoutMs, producerId: -1n, producerEpoch: -1 }
  for (;;) {
    const { errorCode, producerId } = await to.quietly(initProducerIdApi, 4, request)
    // A fresh Kafka has to get its first ids from the controller.
    if (errorCode === 0) return producerId
  }
}

export const producers: Script = async (to) => {
  await newTopic(to, 'producers', 2)
  const producerId = await newProducerId(to)
  await produce(to, 'producers', 0, 3, producerId)
  await produce(to, 'producers', 1, 3)
  const topics = [
    { name: 'producers', partitionIndexes: [0, 1, 9] },
    { name: 'nope', partitionIndexes: [0] },
    { name: 'bad name', partitionIndexes: [0] },
  ]
  await to.ask('known and unknown', describeProducersApi, 0, { topics }, (answer) =>
    answer.topics.map((topic) => ({
      ...topic,
      partitions: topic.partitions.map((partition) => ({
        ...partition,
        activeProducers: partition.activeProducers.map((p) => ({
          ...p,
          producerId: p.producerId === producerId,
          lastTimestamp: p.lastTimestamp > 0n,
        })),
      })),
    })),
  )
}

export const replicas: Script = async (to) => {
  await newTopic(to, 'replicas', 2)
  await to.settle()
  await produce(to, 'replicas', 0, 1)
  await produce(to, 'replicas', 1, 1)
  const elect = (
    say: string,
    electionType: number,
    topicPartitions: { topic: string; partitions: number[] }[],
    more = {},
  ) => to.ask(say, electLeadersApi, 2, { electionType, topicPartitions, timeoutMs, ...more })
  for (const type of [0, 1, 5]) {
    await elect(`election of type ${type}`, type, [
      { topic: 'replicas', partitions: [0, 1, 5] },
      { topic: 'nope', partitions: [0] },
    ])
  }
  await elect('twice', 0, [
    { topic: 'replicas', partitions: [0, 0] },
    { topic: 'replicas', partitions: [0] },
  ])
  await elect('no time', 0, [{ topic: 'replicas', partitions: [0] }], { timeoutMs: 0 })
  await elect('nothing', 0, [])
  await to.ask('all', electLeadersApi, 2, { electionType: 0, topicPartitions: null, timeoutMs }, (answer) => ({
    ...answer,
    replicaElectionResults: answer.replicaElectionResults.filter(({ topic }) => topic === 'replicas'),
  }))
  const topicPartitions = [{ topic: 'replicas', partitions: [0] }]
  for (const version of [0, 1]) await to.ask('as it was then', electLeadersApi, version, { topicPartitions, timeoutMs })

  type Wish = readonly [topic: string, ...partitions: (readonly [index: number, replicas: number[] | null])[]]
  const reassign = (say: string, wishes: Wish[], more = {}, version = 1) => {
    const topics = wishes.map(([name, ...partitions]) => ({
      name,
      partitions: partitions.map(([partitionIndex, list]) => ({ partitionIndex, replicas: list })),
    }))
    return to.ask(say, alterPartitionReassignmentsApi, version, { topics, timeoutMs, ...more })
  }
  await reassign('where it is', [['replicas', [0, [1]]]])
  await reassign('where it is, as it was then', [['replicas', [0, [1]]]], {}, 0)
  await reassign('cancelled', [['replicas', [0, null]]])
  await reassign('to another', [['replicas', [0, [2]]]])
  await reassign('to another too', [['replicas', [0, [1, 2]]]])
  await reassign('to the same twice', [['replicas', [0, [1, 1]]]])
  await reassign('to nobody', [['replicas', [0, []]]])
  await reassign('unknown ones', [
    ['replicas', [7, [1]]],
    ['nope', [0, [1]]],
    ['nope', [0, null]],
  ])
  await reassign('twice', [['replicas', [0, [1]], [0, [1]]]])
  await reassign('with as many replicas', [['replicas', [0, [1]]]], { allowReplicationFactorChange: false })
  await reassign('with as many replicas, to another too', [['replicas', [0, [1, 2]]]], {
    allowReplicationFactorChange: false,
  })
  await reassign('no time', [['replicas', [0, [1]]]], { timeoutMs: 0 })
  const list = (say: string, topics: { name: string; partitionIndexes: number[] }[] | null) =>
    to.ask(say, listPartitionReassignmentsApi, 0, { topics, timeoutMs })
  await list('all reassignments', null)
  await list('some reassignments', [
    { name: 'replicas', partitionIndexes: [0, 9] },
    { name: 'nope', partitionIndexes: [0] },
  ])
}

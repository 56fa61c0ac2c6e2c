/** Topics come, grow and go: CreateTopics, DeleteTopics, CreatePartitions, and how DescribeTopicPartitions tells of them. */
import { type CreateTopicsResponse, createTopicsApi } from '../../../../../src/protocol/generated/19-create-topics.ts'
import { deleteTopicsApi } from '../../../../../src/protocol/generated/20-delete-topics.ts'
import { createPartitionsApi } from '../../../../../src/protocol/generated/37-create-partitions.ts'
import { describeTopicPartitionsApi } from '../../../../../src/protocol/generated/75-describe-topic-partitions.ts'
import type { Conversation, Script } from '../transcript.ts'

const timeoutMs = 30_000

type Wish = {
  readonly partitions?: number
  readonly replicas?: number
  readonly assignments?: readonly [number, number[]][]
}

/** Only how many settings came back; all of them are compared once. */
const brief = ({ topics }: CreateTopicsResponse): unknown =>
  topics.map((topic) => ({ ...topic, configs: topic.configs?.length ?? null }))

function wished(name: string, { partitions = 1, replicas = 1, assignments = [] }: Wish = {}) {
  const list = assignments.map(([partitionIndex, brokerIds]) => ({ partitionIndex, brokerIds }))
  return { name, numPartitions: partitions, replicationFactor: replicas, assignments: list }
}

/** A topic to work with, and its id. */
export async function newTopic(
  to: Conversation,
  name: string,
  partitions = 1,
  configs: Readonly<Record<string, string>> = {},
): Promise<string> {
  const list = Object.entries(configs).map(([key, value]) => ({ name: key, value }))
  const topics = [{ name, numPartitions: partitions, replicationFactor: 1, configs: list }]
  const { topics: created } = await to.quietly(createTopicsApi, 7, { topics, timeoutMs })
  const topicId = created[0]!.topicId
  to.name(topicId, name)
  return topicId
}

export const creation: Script = async (to) => {
  const create = (say: string, topics: ReturnType<typeof wished>[], version = 7, more = {}) =>
    to.ask(say, createTopicsApi, version, { topics, timeoutMs, ...more }, brief)

  for (const version of [2, 3, 4, 5, 6, 7]) await create('as it was then', [wished(`created-v${version}`)], version)
  for (const version of [2, 4, 7]) {
    await create('defaults', [wished(`default-v${version}`, { partitions: -1, replicas: -1 })], version)
  }
  await create('it exists', [wished('created-v7')])
  await create('it exists, and all else is wrong too', [wished('created-v7', { partitions: 0, replicas: 9 })])
  await create('no partitions', [wished('t', { partitions: 0 })])
  await create('-2 partitions', [wished('t', { partitions: -2 })])
  await create('no replicas', [wished('t', { replicas: 0 })])
  await create('-2 replicas', [wished('t', { replicas: -2 })])
  await create('no replicas, no partitions', [wished('t', { replicas: 0, partitions: 0 })])
  await create('2 replicas', [wished('t', { replicas: 2 })])
  await create('3 replicas, no partitions', [wished('t', { replicas: 3, partitions: 0 })])
  for (const name of ['', '.', '..', 'a b', 'ä', 'x'.repeat(250), '__cluster_metadata']) {
    await create(`name ${name.slice(0, 10)}`, [wished(name)])
  }
  await create('the longest name', [wished('x'.repeat(249))])
  await create('twice in one request, and another', [
    wished('twice'),
    wished('twice', { partitions: 2 }),
    wished('once'),
  ])
  await create('a dot', [wished('col.lides')])
  await create('an underscore instead', [wished('col_lides')])
  await create('only validated', [wished('validated', { partitions: 3 })], 7, { validateOnly: true })
  await create('only validated, but it exists', [wished('once')], 7, { validateOnly: true })
  await create('no time', [wished('late')], 7, { timeoutMs: 0 })
  await create('nothing', [])
  await create('too many partitions', [wished('many', { partitions: 10_001 })], 7, { validateOnly: true })

  const assigned = (say: string, assignments: [number, number[]][], more: Wish = { partitions: -1, replicas: -1 }) =>
    create(`assigned ${say}`, [wished(`assigned-${say}`.replaceAll(/[ ,]/g, '-'), { ...more, assignments })])
  await assigned('in order', [
    [0, [1]],
    [1, [1]],
  ])
  await assigned('out of order', [
    [1, [1]],
    [0, [1]],
  ])
  await assigned('and counted', [[0, [1]]], { partitions: 1, replicas: -1 })
  await assigned('and replicated', [[0, [1]]], { partitions: -1, replicas: 1 })
  await assigned('counted and replicated', [[0, [1]]], { partitions: 1, replicas: 1 })
  await assigned('to another', [[0, [2]]])
  await assigned('to another too', [[0, [1, 2]]])
  await assigned('to the same twice', [[0, [1, 1]]])
  await assigned('to nobody', [[0, []]])
  await assigned('with a gap', [
    [0, [1]],
    [2, [1]],
  ])
  await assigned('twice', [
    [0, [1]],
    [0, [1]],
  ])
  await assigned('to -1', [[-1, [1]]])
  await assigned('unevenly', [
    [0, [1]],
    [1, [1, 1]],
  ])
}

export const creationConfigs: Script = async (to) => {
  const create = (say: string, configs: Readonly<Record<string, string | null>>, version = 7, validateOnly = true) => {
    const list = Object.entries(configs).map(([name, value]) => ({ name, value }))
    const topics = [{ ...wished(`with-${say.replaceAll(' ', '-')}`), configs: list }]
    return to.ask(say, createTopicsApi, version, { topics, timeoutMs, validateOnly }, validateOnly ? brief : undefined)
  }
  await create('settings', { 'retention.ms': ' 5 ', 'cleanup.policy': 'compact , delete' }, 7, false)
  await create('settings of v4', { 'retention.ms': '5' }, 4, false)
  await create('a setting for tests', { 'internal.segment.bytes': '14' }, 7, false)

  const values: readonly (readonly [string, string | null])[] = [
    ['foo', 'bar'],
    ['', 'x'],
    ['__proto__', 'x'],
    ['log.retention.ms', '5'],
    ['message.format.version', '3.0'],
    ['retention.ms', null],
    ['retention.ms', 'x'],
    ['retention.ms', '-5'],
    ['retention.ms', '-1'],
    ['retention.ms', ' 5 '],
    ['retention.ms', '+7'],
    ['retention.ms', '1.5'],
    ['retention.ms', ''],
    ['retention.ms', '9223372036854775807'],
    ['retention.ms', '9223372036854775808'],
    ['retention.bytes', '-5'],
    ['segment.bytes', '14'],
    ['segment.bytes', '1048576'],
    ['segment.bytes', '99999999999'],
    ['min.insync.replicas', '0'],
    ['min.cleanable.dirty.ratio', '1.5'],
    ['min.cleanable.dirty.ratio', '-1e-9'],
    ['min.cleanable.dirty.ratio', 'abc'],
    ['min.cleanable.dirty.ratio', '.5'],
    ['min.cleanable.dirty.ratio', '5e-1'],
    ['min.cleanable.dirty.ratio', '0.5d'],
    ['preallocate', 'yes'],
    ['preallocate', 'TRUE'],
    ['cleanup.policy', 'compact , delete'],
    ['cleanup.policy', 'delete,foo'],
    ['cleanup.policy', ''],
    ['cleanup.policy', 'delete,delete'],
    ['cleanup.policy', 'delete,,compact'],
    ['cleanup.policy', '[delete]'],
    ['compression.type', 'foo'],
    ['compression.type', ' gzip '],
    ['compression.type', 'none'],
    ['compression.gzip.level', '0'],
    ['compression.gzip.level', '10'],
    ['compression.gzip.level', '-1'],
    ['compression.lz4.level', '18'],
    ['compression.zstd.level', '23'],
    ['message.timestamp.type', 'x'],
    ['leader.replication.throttled.replicas', '0:1,1:1'],
    ['leader.replication.throttled.replicas', '*'],
    ['leader.replication.throttled.replicas', 'x'],
    ['follower.replication.throttled.replicas', '0:1,x'],
    ['local.retention.ms', '-3'],
    ['remote.storage.enable', 'true'],
    ['segment.jitter.ms', '700000000000'],
  ]
  for (const [name, value] of values) await create(`${name} = ${value}`, { [name]: value })
  await create('a lag that is longer than the longest', { 'min.compaction.lag.ms': '10', 'max.compaction.lag.ms': '5' })
  await create('two settings without a value', { 'retention.ms': null, 'segment.ms': null })
  await create('one unknown, one wrong', { 'retention.ms': 'x', foo: 'bar' })
}

export const deletion: Script = async (to) => {
  const ids = new Map<string, string>()
  for (const name of ['one', 'two', 'three', 'four', 'five', 'six']) ids.set(name, await newTopic(to, `delete-${name}`))
  const id = (name: string): string => ids.get(name)!
  const byName = (say: string, version: number, topicNames: string[], more = {}) =>
    to.ask(say, deleteTopicsApi, version, { topicNames, timeoutMs, ...more })
  const remove = (say: string, topics: { name?: string; topicId?: string }[], more = {}) => {
    const list = topics.map(({ name = null, topicId }) => ({ name, topicId }))
    return to.ask(say, deleteTopicsApi, 6, { topics: list, timeoutMs, ...more })
  }
  await byName('known, unknown and empty', 1, ['delete-one', 'nope', ''])
  await byName('known, unknown and illegal', 5, ['delete-two', 'nope', 'bad name'])
  await byName('twice', 5, ['delete-three', 'delete-three'])
  await remove('by id', [{ topicId: id('three') }])
  await remove('by id, again', [{ topicId: id('three') }])
  await remove('by both', [{ name: 'delete-four', topicId: id('four') }])
  await remove('by neither', [{}])
  await remove('by the same id twice', [{ topicId: id('four') }, { topicId: id('four') }])
  await remove('by name and by its id', [{ name: 'delete-four' }, { topicId: id('four') }])
  await remove('by id and by its name', [{ topicId: id('four') }, { name: 'delete-four' }])
  await remove('by the same name twice, and an unknown one', [
    { name: 'delete-four' },
    { name: 'delete-four' },
    { name: 'nope' },
  ])
  await remove('known and unknown', [{ name: 'delete-four' }, { name: 'nope' }, { topicId: id('one') }])
  await remove('no time', [{ name: 'delete-five' }, { name: 'nope' }], { timeoutMs: 0 })
  await remove('it is still there', [{ name: 'delete-five' }])
  await remove('the metadata', [{ name: '__cluster_metadata' }])
  await remove('nothing', [])
  const again = await newTopic(to, 'delete-five')
  await remove('a topic of the same name has another id', [{ topicId: id('five') }])
  await remove('the new one', [{ topicId: again }])
}

export const growth: Script = async (to) => {
  await newTopic(to, 'grow', 2)
  type Topic = { name: string; count: number; brokers?: number[][] }
  const grow = (say: string, topics: Topic[], more = {}) => {
    const list = topics.map(({ name, count, brokers }) => ({
      name,
      count,
      assignments: brokers?.map((brokerIds) => ({ brokerIds })) ?? null,
    }))
    return to.ask(say, createPartitionsApi, 3, { topics: list, timeoutMs, ...more })
  }
  await grow('an unknown topic', [{ name: 'nope', count: 3 }])
  await grow('as many', [{ name: 'grow', count: 2 }])
  await grow('fewer', [{ name: 'grow', count: 1 }])
  await grow('none', [{ name: 'grow', count: 0 }])
  await grow('less than none', [{ name: 'grow', count: -1 }])
  await grow('only validated', [{ name: 'grow', count: 4 }], { validateOnly: true })
  await grow('more', [{ name: 'grow', count: 4 }])
  await grow('assigned to none', [{ name: 'grow', count: 5, brokers: [] }])
  await grow('assigned', [{ name: 'grow', count: 5, brokers: [[1]] }])
  await grow('too few assigned', [{ name: 'grow', count: 7, brokers: [[1]] }])
  await grow('too many assigned', [{ name: 'grow', count: 6, brokers: [[1], [1]] }])
  await grow('fewer, and assigned', [{ name: 'grow', count: 3, brokers: [[1], [1]] }])
  await grow('to another', [{ name: 'grow', count: 6, brokers: [[2]] }])
  await grow('to another too', [{ name: 'grow', count: 6, brokers: [[1, 2]] }])
  await grow('to the same twice', [{ name: 'grow', count: 6, brokers: [[1, 1]] }])
  await grow('to nobody', [{ name: 'grow', count: 6, brokers: [[]] }])
  await grow('twice in one request', [
    { name: 'grow', count: 8 },
    { name: 'grow', count: 9 },
    { name: 'nope', count: 9 },
  ])
  await grow('no time', [{ name: 'grow', count: 10 }], { timeoutMs: 0 })
  await grow('nothing', [])
  for (const version of [0, 1, 2]) {
    const topics = [{ name: 'grow', count: 6 + version, assignments: null }]
    await to.ask('as it was then', createPartitionsApi, version, { topics, timeoutMs })
  }
  await to.settle()
  const topics = [{ name: 'grow' }]
  await to.ask('in the end', describeTopicPartitionsApi, 0, { topics, responsePartitionLimit: 100, cursor: null })
}

export const paging: Script = async (to) => {
  await newTopic(to, 'page-b', 3)
  await newTopic(to, 'page-c', 2)
  await newTopic(to, 'page-a', 1)
  await to.settle()
  type Cursor = { topicName: string; partitionIndex: number } | null
  const describe = (say: string, names: string[], responsePartitionLimit: number, cursor: Cursor = null) => {
    const topics = names.map((name) => ({ name }))
    const pick = (answer: { topics: readonly object[]; nextCursor: unknown }): object => ({
      'in order': answer.topics,
      nextCursor: answer.nextCursor,
    })
    return to.ask(say, describeTopicPartitionsApi, 0, { topics, responsePartitionLimit, cursor }, pick)
  }
  await describe('all on one page', ['page-c', 'page-b'], 10)
  await describe('a page ends in a topic', ['page-c', 'page-b'], 2)
  await describe('a page ends with a topic', ['page-c', 'page-b'], 3)
  await describe('a page ends with the last topic', ['page-b'], 3)
  await describe('a page ends, an unknown topic follows', ['page-b', 'page-x'], 3)
  await describe('the next page', ['page-c', 'page-b'], 2, { topicName: 'page-b', partitionIndex: 2 })
  await describe('no room', ['page-c'], 0)
  await describe('less than no room', ['page-c'], -1)
  await describe('unknown topics', ['nope', 'page-a', 'zzz'], 10)
  await describe('an illegal name', ['bad name', 'page-a'], 10)
  await describe('twice the same', ['page-a', 'page-a'], 10)
  await describe('a cursor for a topic that was not asked for', ['page-a', 'page-c'], 10, {
    topicName: 'page-b',
    partitionIndex: 0,
  })
  await describe('a cursor behind the end of a topic', ['page-b', 'page-c'], 10, {
    topicName: 'page-b',
    partitionIndex: 7,
  })
  await describe('a cursor before the beginning', ['page-b'], 10, { topicName: 'page-b', partitionIndex: -1 })
  await describe('a cursor at an unknown topic', ['nope', 'page-c'], 10, { topicName: 'nope', partitionIndex: 0 })
  await describe('all topics from there', [], 3, { topicName: 'page-b', partitionIndex: 1 })
}

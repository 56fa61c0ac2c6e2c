/** Whom an admin asks, in how many requests, and how long it waits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Admin, settled } from '../../../src/admin/index.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { type Asked, type Script, type Scripted, ScriptedWire } from './scripted-wire.ts'

const brokers = [1, 2, 3].map((nodeId) => ({ nodeId, host: 'h', port: 9000 + nodeId }))

/** Three brokers; partition p of every topic is led by broker p + 1; the controller is whoever `controller` says. */
function metadata({ request }: Asked, controllerId = 1): object {
  const topics = request.topics ?? []
  return {
    brokers,
    controllerId,
    topics: topics.map(({ name }) => ({
      name,
      errorCode: name === 'missing' ? errorCodes.UNKNOWN_TOPIC_OR_PARTITION : 0,
      partitions: name === 'missing' ? [] : [0, 1, 2].map((p) => ({ partitionIndex: p, leaderId: p + 1 })),
    })),
  }
}

function admin(script: Record<string, Script>, versions: Record<string, number> = {}) {
  const wire = new ScriptedWire((asked): Scripted => {
    const answer = script[asked.api] ?? (asked.api === 'Metadata' ? metadata : undefined)
    assert.ok(answer, `nobody expects ${asked.api}`)
    return answer(asked)
  }, versions)
  const asked = (api: string): Asked[] => wire.asked.filter((each) => each.api === api)
  return { wire, asked, admin: new Admin({ wire }) }
}

const listed: Script = ({ request }) => ({
  topics: request.topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      offset: 7n,
      timestamp: -1n,
      leaderEpoch: 2,
    })),
  })),
})

const ends = (...partitions: number[]) =>
  partitions.map((partition) => ({ topic: 't', partition, at: 'latest' }) as const)

describe('leaders', () => {
  test('each is asked once, for its own partitions', async () => {
    const { admin: it, asked } = admin({ ListOffsets: listed })
    const offsets = await it.listOffsets(ends(2, 0, 1))
    assert.deepEqual(
      offsets.map(({ partition, offset }) => [partition, offset]),
      [
        [2, 7],
        [0, 7],
        [1, 7],
      ],
    )
    assert.deepEqual(
      asked('ListOffsets').map(({ node }) => node),
      [3, 1, 2],
    )
  })

  test('begin and end of one partition are two requests: brokers refuse a partition that comes twice', async () => {
    const { admin: it, asked } = admin({ ListOffsets: listed })
    await it.listOffsets([...ends(0), { topic: 't', partition: 0, at: 'earliest' }])
    assert.equal(asked('ListOffsets').length, 2)
  })

  test('one that says nothing fails what is its own; the others are answered', async () => {
    const { admin: it, asked } = admin({ ListOffsets: (each) => (each.node === 2 ? null : listed(each)) })
    const { results, failures } = await settled(it.listOffsets(ends(0, 1, 2)))
    assert.deepEqual(
      results.map(({ partition }) => partition),
      [0, 2],
    )
    assert.deepEqual([failures[0]?.name, failures[0]?.error.code], ['t-1', 'TIMEOUT'])
    assert.match(failures[0]?.error.message ?? '', /not done within 30000 ms, \d tries; the last time broker 2 never/)
    // A third of the time for each try, so that there is more than one.
    assert.equal(asked('ListOffsets')[0]?.timeoutMs, 10_000)
    assert.equal(asked('ListOffsets').filter(({ node }) => node === 1).length, 1)
  })

  test('a topic that nobody knows is asked for a second, not for all the time there is', async () => {
    const { admin: it, wire } = admin({ ListOffsets: listed })
    const before = wire.clock.now()
    await assert.rejects(it.listOffsets([{ topic: 'missing', partition: 0, at: 'latest' }]), {
      code: 'UNKNOWN_TOPIC_OR_PARTITION',
    })
    assert.ok(wire.clock.now() - before < 3_000)
  })

  test('an election: the metadata is read again', async () => {
    let elections = 2
    const { admin: it, asked } = admin({
      ListOffsets: (each) => {
        if (elections-- <= 0) return listed(each)
        const code = errorCodes.NOT_LEADER_OR_FOLLOWER
        return { topics: [{ name: 't', partitions: [{ partitionIndex: 0, errorCode: code }] }] }
      },
    })
    assert.equal((await it.listOffsets(ends(0)))[0]?.offset, 7)
    assert.equal(asked('Metadata').length, 3)
  })
})

describe('the controller', () => {
  const created: Script = ({ request }) => ({
    topics: [{ name: request.topics[0]?.name, topicId: 'AAAAAAAAAAAAAAAAAAAAAQ' }],
  })

  test('is looked up once, and again when it is elsewhere', async () => {
    let controller = 2
    const { admin: it, asked } = admin({
      Metadata: (each) => metadata(each, controller),
      CreateTopics: (each) => {
        if (each.node === controller) return created(each)
        return { topics: [{ name: each.request.topics[0]?.name, errorCode: errorCodes.NOT_CONTROLLER }] }
      },
    })
    await it.createTopics([{ name: 'a' }])
    await it.createTopics([{ name: 'b' }])
    assert.equal(asked('Metadata').length, 1)
    controller = 3
    await it.createTopics([{ name: 'c' }])
    assert.deepEqual(
      asked('CreateTopics').map(({ node }) => node),
      [2, 2, 2, 3],
    )
  })

  test('brokers that delete by name only', async () => {
    const answer: Script = ({ request }) => ({ responses: request.topicNames.map((name) => ({ name })) })
    const { admin: it } = admin({ DeleteTopics: answer }, { DeleteTopics: 5 })
    assert.deepEqual(await it.deleteTopics(['a']), [{ name: 'a', confirmed: true }])
  })
})

describe('coordinators', () => {
  const place = (key: string): object => ({ key, nodeId: key === 'b' ? 2 : 1, host: 'h', port: 9001 })
  const found: Script = ({ request }) => ({ coordinators: request.coordinatorKeys.map(place) })
  const deleted: Script = ({ request }) => ({
    results: request.groupsNames.map((groupId) => ({ groupId })),
  })

  test('are found in one request, and asked for their own groups', async () => {
    const { admin: it, asked } = admin({ FindCoordinator: found, DeleteGroups: deleted })
    await it.deleteGroups(['a', 'b', 'c'])
    assert.equal(asked('FindCoordinator').length, 1)
    assert.deepEqual(
      asked('DeleteGroups').map(({ node, request }) => [node, request.groupsNames]),
      [
        [1, ['a', 'c']],
        [2, ['b']],
      ],
    )
  })

  test('one by one where brokers are too old for more', async () => {
    const single: Script = ({ request }) => place(request.key)
    const { admin: it, asked } = admin({ FindCoordinator: single, DeleteGroups: deleted }, { FindCoordinator: 3 })
    assert.equal((await it.deleteGroups(['a', 'b', 'c'])).length, 3)
    assert.equal(asked('FindCoordinator').length, 3)
  })

  test('a group that we may not see fails alone', async () => {
    const { admin: it } = admin({
      FindCoordinator: ({ request }) => ({
        coordinators: request.coordinatorKeys.map((key) => {
          return key === 'b' ? { key, nodeId: -1, errorCode: errorCodes.GROUP_AUTHORIZATION_FAILED } : place(key)
        }),
      }),
      DeleteGroups: deleted,
    })
    const { results, failures } = await settled(it.deleteGroups(['a', 'b']))
    assert.deepEqual([results[0]?.id, failures[0]?.name], ['a', 'b'])
    assert.match(failures[0]?.error.message ?? '', /GROUP_AUTHORIZATION_FAILED.*Allow this user to read the group/)
  })

  test('brokers that do not know the newer protocol describe the classic one', async () => {
    const { admin: it } = admin({
      FindCoordinator: found,
      ConsumerGroupDescribe: () => 'unserved',
      DescribeGroups: () => ({
        groups: [
          { groupId: 'a', groupState: 'Empty', protocolType: 'consumer' },
          { groupId: 'dead', groupState: 'Dead' },
        ],
      }),
    })
    const { results, failures } = await settled(it.describeGroups(['a', 'dead']))
    assert.deepEqual([results[0]?.type, results[0]?.state, results[0]?.assignor], ['classic', 'Empty', null])
    assert.deepEqual([failures[0]?.name, failures[0]?.error.code], ['dead', 'GROUP_ID_NOT_FOUND'])
  })

  test('bytes of other clients that make no sense are no assignment, and no error', async () => {
    const members = ['', '00', '0000ffff', '000300000000ffffffff'].map((hex, i) => ({
      memberId: String(i),
      memberMetadata: Buffer.from(hex, 'hex'),
      memberAssignment: Buffer.from(hex, 'hex'),
    }))
    const { admin: it } = admin({
      FindCoordinator: found,
      ConsumerGroupDescribe: () => ({ groups: [{ groupId: 'a', errorCode: errorCodes.GROUP_ID_NOT_FOUND }] }),
      DescribeGroups: () => ({ groups: [{ groupId: 'a', groupState: 'Stable', protocolType: 'consumer', members }] }),
    })
    const [group] = await it.describeGroups(['a'])
    assert.deepEqual(
      group?.members.map(({ assignment }) => assignment),
      [[], null, null, []],
    )
  })

  test('offsets from brokers that take one group at a time', async () => {
    const answer: Script = () => ({
      topics: [
        {
          name: 't',
          partitions: [{ partitionIndex: 1, committedOffset: 5n, committedLeaderEpoch: -1, metadata: null }],
        },
      ],
    })
    const { admin: it } = admin({ FindCoordinator: found, OffsetFetch: answer }, { OffsetFetch: 7 })
    assert.deepEqual(await it.committed('a'), [
      { topic: 't', partition: 1, offset: 5, leaderEpoch: null, metadata: '' },
    ])
  })
})

describe('every broker', () => {
  test('one that is down fails by its name, with the groups of the others', async () => {
    const { admin: it } = admin({
      ListGroups: ({ node }) => (node === 3 ? null : { groups: [{ groupId: `g${node}`, groupState: 'Empty' }] }),
    })
    const { results, failures } = await settled(it.listGroups())
    assert.deepEqual(
      results.map(({ id, coordinator }) => [id, coordinator]),
      [
        ['g1', 1],
        ['g2', 2],
      ],
    )
    assert.deepEqual([failures[0]?.name, failures[0]?.error.code], ['broker 3', 'TIMEOUT'])
  })

  test('a node that is not in the cluster is an error at once', async () => {
    const { admin: it } = admin({})
    const message = 'There is no broker 9 in the cluster now; there are 1, 2, 3. Ask one of those, or start it.'
    await assert.rejects(it.apiVersions(9), { code: 'BROKER_UNKNOWN', message })
    await assert.rejects(it.describeConfigs([{ type: 'broker', name: '9' }]), { code: 'BROKER_UNKNOWN', message })
  })

  test('brokers from before DescribeCluster tell by their metadata', async () => {
    const { admin: it } = admin({ DescribeCluster: () => 'unserved', ApiVersions: () => ({}) })
    const cluster = await it.describeCluster()
    assert.deepEqual([cluster.controller, cluster.brokers.map(({ id }) => id)], [1, [1, 2, 3]])
  })
})

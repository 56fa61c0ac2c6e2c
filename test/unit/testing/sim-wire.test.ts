/** The wire of the simulator: how it asks, what it refuses, and what a reader finds in a fetch. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import { type AskOptions, anyNode, type Question } from '../../../src/cluster/wire.ts'
import type { Api } from '../../../src/protocol/api.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { type FetchRequest, fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import { offsetFetchApi } from '../../../src/protocol/generated/09-offset-fetch.ts'
import { findCoordinatorApi } from '../../../src/protocol/generated/10-find-coordinator.ts'
import { joinGroupApi } from '../../../src/protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../src/protocol/generated/12-heartbeat.ts'
import { syncGroupApi } from '../../../src/protocol/generated/14-sync-group.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { initProducerIdApi } from '../../../src/protocol/generated/22-init-producer-id.ts'
import { addPartitionsToTxnApi } from '../../../src/protocol/generated/24-add-partitions-to-txn.ts'
import { endTxnApi } from '../../../src/protocol/generated/26-end-txn.ts'
import { readMarker } from '../../../src/protocol/record-batch/control.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import type { Input } from '../../../src/protocol/types.ts'
import { SimCluster } from '../../../src/testing/sim/cluster/sim-cluster.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'
import { SimWire } from '../../../src/testing/sim/wire/sim-wire.ts'
import { RequestTimeout, type SimTransport } from '../../../src/testing/sim/wire/transport.ts'

const topic = 'orders'
/** Partition 0 is led by node 1, partition 1 by node 2, partition 2 by node 1 again. */
const leader = 1

function setUp(call?: SimTransport['call']) {
  const clock = new VirtualClock(1)
  const cluster = new SimCluster({ topics: { [topic]: 3 } })
  const timeouts: number[] = []
  const direct: SimTransport['call'] = (request, timeoutMs) => {
    timeouts.push(timeoutMs)
    return new Promise((resolve) => cluster.request(clock.now(), request, resolve))
  }
  const wire = new SimWire({ clock, transport: { call: call ?? direct }, clientId: 'c', requestTimeoutMs: 300 })
  return { clock, cluster, timeouts, wire }
}

async function asked<Q, R>(wire: SimWire, node: number, api: Api<Q, R>, question: Question<Q>, options?: AskOptions) {
  const answer = await wire.ask(node, api, question, options)
  assert.ok(answer !== null)
  return answer
}

describe("the simulator's wire", () => {
  it('tells the version that the cluster models, and none above the one that is allowed', async () => {
    const { wire, clock, cluster } = setUp()
    cluster.append(0, topic, 0, [{ key: 'k', value: 'v', size: 20 }])
    const metadata = new Metadata(wire)
    const refreshed = metadata.refresh([topic])
    await clock.step()
    await refreshed
    const versions: number[] = []
    const question = (version: number): Input<FetchRequest> => {
      versions.push(version)
      const partitions = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 100 }]
      const name = version >= 13 ? { topicId: metadata.topic(topic)!.id } : { topic }
      return { maxWaitMs: 0, minBytes: 1, isolationLevel: 0, sessionEpoch: -1, topics: [{ ...name, partitions }] }
    }
    const newest = await asked(wire, leader, fetchApi, question)
    const older = await asked(wire, leader, fetchApi, question, { maxVersion: 12 })
    assert.deepEqual(versions, [17, 12])
    assert.deepEqual([newest.version, older.version], [17, 12])
    assert.equal(metadata.nameOf(newest.body.responses[0]!.topicId), topic)
    assert.equal(older.body.responses[0]!.topic, topic)
    assert.deepEqual(newest.body.responses[0]!.partitions, older.body.responses[0]!.partitions)
    assert.equal(newest.body.sessionId, 0)
    await assert.rejects(wire.ask(leader, fetchApi, question, { maxVersion: 11 }), /version 11: 12 to 17 are modelled/)
  })

  it('metadata and coordinators are found as on a real wire', async () => {
    const { wire, clock, cluster } = setUp()
    const metadata = new Metadata(wire)
    const answers = metadata.refresh([topic, 'missing'])
    await clock.step()
    assert.equal((await answers)?.get('missing'), errorCodes.UNKNOWN_TOPIC_OR_PARTITION)
    const found = metadata.topic(topic)
    assert.deepEqual(
      found?.partitions.map((partition) => partition.leader),
      [1, 2, 1],
    )
    assert.match(found?.id ?? '', /^[\w-]{22}$/)
    const { body } = await asked(wire, anyNode, metadataApi, { topics: [], allowAutoTopicCreation: false })
    assert.deepEqual(
      body.brokers.map(({ nodeId, host, port }) => ({ nodeId, host, port })),
      [
        { nodeId: 1, host: 'sim', port: 1 },
        { nodeId: 2, host: 'sim', port: 2 },
      ],
    )
    const coordinator = new Coordinator(wire, 'group', 'g')
    assert.equal(await coordinator.find(), 1)
    cluster.moveCoordinator(0, 'group')
    coordinator.learn(1, errorCodes.NOT_COORDINATOR)
    assert.equal(await coordinator.find(), 2)
  })

  it('answers bear the node that was asked; anybody is node 1', async () => {
    const { wire } = setUp()
    const question = { keyType: 0, coordinatorKeys: ['g'] }
    assert.equal((await asked(wire, anyNode, findCoordinatorApi, question)).node, 1)
    assert.equal((await asked(wire, 2, findCoordinatorApi, question)).node, 2)
  })

  it('waits as long as it is told, or as long as the client waits', async () => {
    const { wire, timeouts } = setUp()
    const question = { keyType: 1, coordinatorKeys: ['t'] }
    await wire.ask(anyNode, findCoordinatorApi, question)
    await wire.ask(anyNode, findCoordinatorApi, question, { timeoutMs: 7 })
    assert.deepEqual(timeouts, [300, 7])
  })

  it('silence is null; a mistake is not', async () => {
    const question = { keyType: 0, coordinatorKeys: ['g'] }
    const silent = setUp(({ kind }) => Promise.reject(new RequestTimeout(kind)))
    assert.equal(await silent.wire.ask(anyNode, findCoordinatorApi, question), null)
    const broken = setUp(() => Promise.reject(new Error('a bug')))
    await assert.rejects(broken.wire.ask(anyNode, findCoordinatorApi, question), /a bug/)
  })

  it('closed: what is under way ends in silence, and so does all that comes after, unheard', async () => {
    let calls = 0
    const { wire } = setUp(() => {
      calls++
      return new Promise(() => undefined)
    })
    const question = { keyType: 0, coordinatorKeys: ['g'] }
    const underWay = wire.ask(anyNode, findCoordinatorApi, question)
    assert.ok(wire.isOpen)
    wire.close()
    assert.ok(!wire.isOpen)
    assert.equal(await underWay, null)
    assert.equal(await wire.ask(anyNode, findCoordinatorApi, question), null)
    assert.equal(calls, 1)
  })
})

describe("a group over the simulator's wire", () => {
  it('subscriptions and assignments keep every byte, and the same bytes are the same subscription', async () => {
    const { wire } = setUp()
    const node = 1
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const join = async (memberId: string, metadata: Buffer) => {
      const times = { sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000 }
      const question = {
        groupId: 'g',
        memberId,
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata }],
        ...times,
      }
      return (await asked(wire, node, joinGroupApi, question)).body
    }
    const { memberId, errorCode } = await join('', all)
    assert.equal(errorCode, errorCodes.MEMBER_ID_REQUIRED)
    const joined = await join(memberId, all)
    assert.equal(joined.generationId, 1)
    assert.deepEqual(joined.members, [{ memberId, groupInstanceId: null, metadata: all }])
    // A repeated join is known by its subscription, and begins no rebalance; another one does.
    assert.equal((await join(memberId, Buffer.from(all))).generationId, 1)
    assert.equal((await join(memberId, all.subarray(1))).generationId, 2)
    const assignments = [{ memberId, assignment: all }]
    const sync = {
      groupId: 'g',
      generationId: 2,
      memberId,
      protocolType: 'consumer',
      protocolName: 'range',
      assignments,
    }
    assert.deepEqual((await asked(wire, node, syncGroupApi, sync)).body.assignment, all)
  })
})

const one = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 100 }]
const byName: AskOptions = { maxVersion: 12 }
const plainBatch = encodeBatch({ records: [{ key: null, value: null, timestampMs: 0 }] })

type Refusal = readonly [title: string, ask: (wire: SimWire) => Promise<unknown>, message: RegExp]

// biome-ignore format: one refusal, one line
const refusals: readonly Refusal[] = [
  ['an API', (w) => w.ask(anyNode, createTopicsApi, {}), /CreateTopics: .* does not know this request/],
  ['a request without an answer', (w) => w.post(1, produceApi), /without an answer/],
  ['all topics', (w) => w.ask(anyNode, metadataApi, { topics: null }), /all topics/],
  ['a topic by id', (w) => w.ask(anyNode, metadataApi, { topics: [{ name: null }] }), /topics by id/],
  ['an id that nobody told', (w) => w.ask(1, fetchApi, { topics: [{ topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', partitions: one }] }), /no Metadata answer has ever named/],
  ['a fetch session', (w) => w.ask(1, fetchApi, { sessionId: 5, sessionEpoch: 1 }, byName), /fetch session 5/],
  ['forgotten topics', (w) => w.ask(1, fetchApi, { forgottenTopicsData: [{ topic, partitions: [0] }] }, byName), /nothing to forget/],
  ['a follower', (w) => w.ask(1, fetchApi, { replicaId: 2 }, byName), /followers/],
  ['a divergence check', (w) => w.ask(1, fetchApi, { topics: [{ topic, partitions: [{ ...one[0], lastFetchedEpoch: 0 }] }] }, byName), /OffsetForLeaderEpoch/],
  ['an isolation level', (w) => w.ask(1, fetchApi, { isolationLevel: 2 }, byName), /isolation level 2/],
  ['a fetch from anybody', (w) => w.ask(anyNode, fetchApi, { topics: [{ topic, partitions: one }] }, byName), /goes to the leader/],
  ['a question to anybody that only the leader can answer', (w) => w.ask(anyNode, listOffsetsApi, { replicaId: -1, topics: [{ name: topic, partitions: [{ timestamp: -1n }] }] }), /goes to the leader/],
  ['offsets by time', (w) => w.ask(1, listOffsetsApi, { replicaId: -1, topics: [{ name: topic, partitions: [{ timestamp: 5n }] }] }), /offsets by time \(5\)/],
  ['acks=1', (w) => w.ask(1, produceApi, { acks: 1 }), /acks=1/],
  ['a write to anybody', (w) => w.ask(anyNode, produceApi, { acks: -1, topicData: [{ name: topic, partitionData: [{ index: 1, records: plainBatch }] }] }), /goes to the leader/],
  ['share groups', (w) => w.ask(anyNode, findCoordinatorApi, { keyType: 2, coordinatorKeys: ['k'] }), /coordinators of type 2/],
  ['several coordinators at once', (w) => w.ask(anyNode, findCoordinatorApi, { coordinatorKeys: ['a', 'b'] }), /several/],
  ['a heartbeat to anybody', (w) => w.ask(anyNode, heartbeatApi, { groupId: 'g' }), /goes to a coordinator/],
  ['a transactional id at anybody', (w) => w.ask(anyNode, initProducerIdApi, { transactionalId: 't' }), /goes to a coordinator/],
  ['several groups at once', (w) => w.ask(1, offsetFetchApi, { groups: [{ groupId: 'a' }, { groupId: 'b' }] }), /one group/],
  ['members of the newer protocol', (w) => w.ask(1, offsetFetchApi, { groups: [{ groupId: 'a', memberId: 'm', memberEpoch: 3 }] }), /newer group protocol/],
  ['a field that the version does not have', (w) => w.ask(anyNode, findCoordinatorApi, { key: 'g' }), /FindCoordinatorRequest\.key/],
  ['a number beyond all offsets', (w) => w.ask(1, fetchApi, { topics: [{ topic, partitions: [{ ...one[0], fetchOffset: 2n ** 60n }] }] }, byName), /larger than any offset/],
]

describe("the simulator's wire refuses what the cluster does not model", () => {
  for (const [title, ask, message] of refusals) {
    it(title, async () => {
      const { wire, timeouts } = setUp()
      await assert.rejects(ask(wire), message)
      assert.deepEqual(timeouts, [])
    })
  }
})

/** A transaction of one batch in partition 0, ended or left open. */
async function transaction(wire: SimWire, id: string, values: readonly string[], end: 'commit' | 'abort' | 'open') {
  const node = 1
  const init = { transactionalId: id, transactionTimeoutMs: 1000, producerId: -1n, producerEpoch: -1 }
  const { producerId, producerEpoch } = (await asked(wire, node, initProducerIdApi, init)).body
  await asked(wire, node, addPartitionsToTxnApi, {
    v3AndBelowTransactionalId: id,
    v3AndBelowProducerId: producerId,
    v3AndBelowProducerEpoch: producerEpoch,
    v3AndBelowTopics: [{ name: topic, partitions: [0] }],
  })
  const records = encodeBatch({
    producerId: Number(producerId),
    producerEpoch,
    baseSequence: 0,
    transactional: true,
    records: values.map((value) => ({ key: Buffer.from('k'), value: Buffer.from(value), timestampMs: 5 })),
  })
  const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }]
  const written = await asked(wire, leader, produceApi, { transactionalId: id, acks: -1, timeoutMs: 1, topicData })
  assert.equal(written.body.responses[0]!.partitionResponses[0]!.errorCode, errorCodes.NONE)
  const ended = { transactionalId: id, producerId, producerEpoch, committed: end === 'commit' }
  if (end !== 'open') assert.equal((await asked(wire, node, endTxnApi, ended)).body.errorCode, errorCodes.NONE)
  return producerId
}

async function fetched(wire: SimWire, fetchOffset: bigint, isolationLevel: number) {
  const partitions = [{ partition: 0, fetchOffset, partitionMaxBytes: 10_000 }]
  const question = { maxWaitMs: 0, minBytes: 1, isolationLevel, sessionEpoch: -1, topics: [{ topic, partitions }] }
  const { body } = await asked(wire, leader, fetchApi, question, byName)
  return body.responses[0]!.partitions[0]!
}

/** `0–2 a c` is a batch of the offsets 0 to 2 with two records left; `3 abort` is a marker. */
function shown(records: Buffer): string[] {
  return [...eachBatch(records)].map((at) => {
    assert.ok(header.crcMatches(records, at))
    const first = header.baseOffset(records, at)
    if (header.isControl(records, at)) return `${first} ${readMarker(records, at)?.kind}`
    const values: string[] = []
    const cursor = new RecordCursor().reset(records, at, 1024)
    while (cursor.next()) values.push(`${cursor.offset}=${cursor.value()}`)
    return `${first}–${header.lastOffset(records, at)} ${values.join(' ')}`
  })
}

describe("a fetch over the simulator's wire", () => {
  it('brings holes, markers, and whose records were aborted', async () => {
    const { wire, cluster } = setUp()
    cluster.append(
      3,
      topic,
      0,
      ['a', 'b', 'c'].map((value) => ({ key: value, value, size: 20 })),
    )
    const aborted = await transaction(wire, 't1', ['x', 'y'], 'abort')
    await transaction(wire, 't2', ['d'], 'commit')
    await transaction(wire, 't3', ['open'], 'open')
    cluster.removeRecords(topic, 0, [1])

    const committed = await fetched(wire, 0n, 1)
    assert.equal(committed.errorCode, errorCodes.NONE)
    assert.deepEqual(shown(committed.records!), ['0–2 0=a 2=c', '3–4 3=x 4=y', '5 abort', '6–6 6=d', '7 commit'])
    assert.deepEqual(committed.abortedTransactions, [{ producerId: aborted, firstOffset: 3n }])
    assert.equal(committed.highWatermark, 9n)
    assert.equal(committed.lastStableOffset, 8n)
    assert.equal(committed.logStartOffset, 0n)

    const all = await fetched(wire, 4n, 0)
    assert.deepEqual(shown(all.records!), ['3–4 3=x 4=y', '5 abort', '6–6 6=d', '7 commit', '8–8 8=open'])
    assert.equal(all.abortedTransactions, null)

    const atEnd = await fetched(wire, 8n, 1)
    assert.equal(atEnd.records?.length, 0)
    assert.deepEqual(atEnd.abortedTransactions, [])

    const beyond = await fetched(wire, 10n, 1)
    assert.equal(beyond.errorCode, errorCodes.OFFSET_OUT_OF_RANGE)
    assert.equal(beyond.records?.length, 0)
    assert.equal(beyond.highWatermark, -1n)
  })

  it('each answer has bytes of its own', async () => {
    const { wire, cluster } = setUp()
    cluster.append(3, topic, 0, [{ key: 'k', value: 'v'.repeat(5000), size: 20 }])
    const first = (await fetched(wire, 0n, 0)).records!
    const before = Buffer.from(first)
    first.fill(0)
    assert.deepEqual((await fetched(wire, 0n, 0)).records, before)
  })

  it('that is content with nothing does not wait; another waits until there is something', async () => {
    const { wire, cluster } = setUp()
    const topics = [{ topic, partitions: one }]
    const at = { isolationLevel: 0, sessionEpoch: -1, maxWaitMs: 500, topics }
    const empty = await asked(wire, leader, fetchApi, { ...at, minBytes: 0 }, byName)
    assert.equal(empty.body.responses[0]!.partitions[0]!.records?.length, 0)
    const waiting = asked(wire, leader, fetchApi, { ...at, minBytes: 1 }, byName)
    cluster.append(3, topic, 0, [{ key: null, value: 'v', size: 20 }])
    assert.deepEqual(shown((await waiting).body.responses[0]!.partitions[0]!.records!), ['0–0 0=v'])
  })
})

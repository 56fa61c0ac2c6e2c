/** Leaders of the simulated cluster move, and whoever is asked for what it does not lead says so. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { Wire } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { listOffsetsApi } from '../../../src/protocol/generated/02-list-offsets.ts'
import { offsetForLeaderEpochApi } from '../../../src/protocol/generated/23-offset-for-leader-epoch.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { SimCluster } from '../../../src/testing/sim/cluster/sim-cluster.ts'
import { VirtualClock } from '../../../src/testing/sim/virtual-clock.ts'
import { Delivery } from '../../../src/testing/sim/wire/delivery.ts'
import { SimWire } from '../../../src/testing/sim/wire/sim-wire.ts'

const topic = 'orders'

function setUp() {
  const clock = new VirtualClock(1)
  const cluster = new SimCluster({ topics: { [topic]: 2 } })
  const delivery = new Delivery(clock, cluster, {
    fateOf: () => ({ isLost: false, lateMs: 0, isAnswerLost: () => false }),
    delay: () => 1,
    arrives: (request) => request,
  })
  const process = clock.process('p')
  const transport = delivery.transport(process)
  const wire = new SimWire({ clock: process, transport, clientId: 'c', requestTimeoutMs: 300 })
  const soon = async <T>(promise: Promise<T>): Promise<T> => {
    let isThere = false
    promise.then(() => {
      isThere = true
    }, assert.fail)
    assert.ok(await clock.runUntil(() => isThere, 10_000))
    return promise
  }
  return { clock, cluster, wire, soon }
}

type Ask = (wire: Wire, node: number) => Promise<number | undefined>

const asks: Readonly<Record<string, Ask>> = {
  async Fetch(wire, node) {
    const partitions = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 100 }]
    const question = { isolationLevel: 1, sessionEpoch: -1, maxWaitMs: 0, topics: [{ topic, partitions }] }
    const answer = await wire.ask(node, fetchApi, question, { maxVersion: 12 })
    return answer?.body.responses[0]?.partitions[0]?.errorCode
  },
  async ListOffsets(wire, node) {
    const topics = [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }]
    const answer = await wire.ask(node, listOffsetsApi, { replicaId: -1, topics })
    return answer?.body.topics[0]?.partitions[0]?.errorCode
  },
  async OffsetForLeaderEpoch(wire, node) {
    const topics = [{ topic, partitions: [{ partition: 0, leaderEpoch: 0 }] }]
    const answer = await wire.ask(node, offsetForLeaderEpochApi, { replicaId: -1, topics })
    return answer?.body.topics[0]?.partitions[0]?.errorCode
  },
  async Produce(wire, node) {
    const records = encodeBatch({ records: [{ key: null, value: null, timestampMs: 0 }] })
    const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }]
    const answer = await wire.ask(node, produceApi, { acks: -1, timeoutMs: 1, topicData })
    return answer?.body.responses[0]?.partitionResponses[0]?.errorCode
  },
}

describe('leaders of the simulated cluster', () => {
  for (const [name, ask] of Object.entries(asks)) {
    it(`${name}: the leader answers, another broker says that it is not, and an election changes places`, async () => {
      const { cluster, wire, soon } = setUp()
      assert.equal(await soon(ask(wire, 1)), errorCodes.NONE)
      assert.equal(await soon(ask(wire, 2)), errorCodes.NOT_LEADER_OR_FOLLOWER)
      cluster.elect(topic, 0)
      assert.equal(await soon(ask(wire, 1)), errorCodes.NOT_LEADER_OR_FOLLOWER)
      assert.equal(await soon(ask(wire, 2)), errorCodes.NONE)
    })
  }

  it('Metadata tells the new leader and its epoch', async () => {
    const { cluster, wire, soon } = setUp()
    const metadata = new Metadata(wire)
    await soon(metadata.refresh([topic]))
    assert.deepEqual(metadata.topic(topic)?.partitions, [
      { leader: 1, leaderEpoch: 0 },
      { leader: 2, leaderEpoch: 0 },
    ])
    cluster.elect(topic, 1)
    await soon(metadata.refresh([topic]))
    assert.deepEqual(metadata.partition(topic, 1), { leader: 1, leaderEpoch: 1 })
  })

  it('a fetch that waits is answered when the leader moves; the partitions that it still leads wait no longer', async () => {
    const { clock, cluster, wire, soon } = setUp()
    const partitions = [{ partition: 0, fetchOffset: 0n, currentLeaderEpoch: 0, partitionMaxBytes: 100 }]
    const question = {
      isolationLevel: 1,
      sessionEpoch: -1,
      minBytes: 1,
      maxWaitMs: 200,
      topics: [{ topic, partitions }],
    }
    const asked = wire.ask(1, fetchApi, question, { maxVersion: 12, timeoutMs: 5_000 })
    await clock.runUntil(50)
    cluster.elect(topic, 0)
    const answer = await soon(asked)
    assert.ok(clock.now() < 100)
    assert.equal(answer?.body.responses[0]?.partitions[0]?.errorCode, errorCodes.NOT_LEADER_OR_FOLLOWER)
    assert.equal(answer?.body.responses[0]?.partitions[0]?.records?.length, 0)
  })
})

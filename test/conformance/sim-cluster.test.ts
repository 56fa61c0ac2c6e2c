/** What the simulated cluster offers to the simulator beyond Kafka's answers: looking in, deadlines, and faults on demand. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertKnownAnswer } from '../../src/testing/sim/cluster/answers.ts'
import type { AppliedCommit } from '../../src/testing/sim/cluster/groups/offset-store.ts'
import type { ClusterOptions } from '../../src/testing/sim/cluster/options.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../../src/testing/sim/cluster/requests.ts'
import { SimCluster } from '../../src/testing/sim/cluster/sim-cluster.ts'

const options: ClusterOptions = { topics: { in: 1, out: 1 }, sessionTimeoutMinMs: 100 }
const group = { node: 1, groupId: 'g', groupInstanceId: null }

function ask<K extends RequestKind>(cluster: SimCluster, nowMs: number, request: RequestOf<K>): ResponseOf<K> {
  let answer: ResponseOf<K> | null = null
  cluster.request(nowMs, request, (response) => {
    answer = response
  })
  assert.ok(answer !== null, `${request.kind} was not answered at once`)
  return answer
}

function commits(cluster: SimCluster): AppliedCommit[] {
  const seen: AppliedCommit[] = []
  cluster.onCommitted((commit) => seen.push(commit))
  return seen
}

function offset(committedOffset: number, committedMetadata = 'm') {
  return [{ topic: 'in', partition: 0, committedOffset, committedLeaderEpoch: 0, committedMetadata }]
}

function transaction(cluster: SimCluster, nowMs: number) {
  const init = { kind: 'InitProducerId', node: 1, transactionalId: 't', transactionTimeoutMs: 60_000 } as const
  const { producerId, producerEpoch } = ask(cluster, nowMs, { ...init, producerId: -1, producerEpoch: -1 })
  const producer = { node: 1, transactionalId: 't', producerId, producerEpoch }
  const batch = { topic: 'out', partition: 0, producerId, producerEpoch, isTransactional: true }
  ask(cluster, nowMs, { kind: 'AddPartitionsToTxn', ...producer, partitions: [{ topic: 'out', partition: 0 }] })
  ask(cluster, nowMs, { kind: 'AddOffsetsToTxn', ...producer, groupId: 'g' })
  return {
    write: (value: string, baseSequence: number) =>
      ask(cluster, nowMs, {
        kind: 'Produce',
        transactionalId: 't',
        partitions: [{ ...batch, baseSequence, records: [{ key: null, value, size: 1 }] }],
      }),
    commitOffset: (committedOffset: number) =>
      ask(cluster, nowMs, {
        kind: 'TxnOffsetCommit',
        ...producer,
        ...group,
        generationId: -1,
        memberId: '',
        partitions: offset(committedOffset),
      }),
    end: (committed: boolean) => ask(cluster, nowMs, { kind: 'EndTxn', ...producer, committed }).errorCode,
  }
}

describe('simulated cluster: looking in', () => {
  it('reports every applied commit: a plain one at once, one in a transaction with its marker', () => {
    const cluster = new SimCluster({ ...options, markerDelayMs: (target) => (target === 'group' ? 30 : 10) })
    const seen = commits(cluster)
    ask(cluster, 1, { kind: 'OffsetCommit', ...group, generationId: -1, memberId: '', partitions: offset(3) })
    const txn = transaction(cluster, 2)
    txn.write('x', 0)
    txn.commitOffset(7)
    assert.equal(txn.end(true), 'NONE')
    assert.equal(cluster.committed('g', 'in', 0)?.offset, 3)
    assert.equal(cluster.transactionState('t'), 'PrepareCommit')
    assert.equal(cluster.nextDeadline(), 12)
    cluster.tick(12)
    assert.deepEqual(cluster.bounds('out', 0), { start: 0, end: 2, lastStableOffset: 2 })
    assert.equal(cluster.nextDeadline(), 32)
    cluster.tick(32)
    assert.equal(cluster.transactionState('t'), 'CompleteCommit')
    assert.equal(cluster.nextDeadline(), Number.POSITIVE_INFINITY)
    assert.deepEqual(
      seen.map(({ nowMs, offset, transactional }) => [nowMs, offset, transactional]),
      [
        [1, 3, false],
        [32, 7, true],
      ],
    )
  })

  it('reports nothing for an aborted transaction, nor for one that a plain commit has overtaken', () => {
    const cluster = new SimCluster(options)
    const seen = commits(cluster)
    const aborted = transaction(cluster, 0)
    aborted.commitOffset(7)
    aborted.end(false)
    const overtaken = transaction(cluster, 0)
    overtaken.commitOffset(8)
    ask(cluster, 1, { kind: 'OffsetCommit', ...group, generationId: -1, memberId: '', partitions: offset(4) })
    overtaken.end(true)
    assert.deepEqual(
      seen.map((commit) => commit.offset),
      [4],
    )
  })

  it('I9 · shows the read_committed view: no aborted record, nothing from an open transaction on', () => {
    const cluster = new SimCluster(options)
    const values = () => cluster.readCommitted('out', 0).map(({ value }) => value)
    const aborted = transaction(cluster, 0)
    aborted.write('aborted', 0)
    cluster.append(0, 'out', 0, [{ key: null, value: 'plain', size: 1 }])
    assert.deepEqual(values(), [])
    aborted.end(false)
    const committed = transaction(cluster, 0)
    committed.write('one', 0)
    committed.write('two', 1)
    committed.end(true)
    cluster.append(0, 'out', 0, [{ key: null, value: 'last', size: 1 }])
    transaction(cluster, 0).write('open', 0)
    assert.deepEqual(values(), ['plain', 'one', 'two', 'last'])
  })
})

describe('simulated cluster: faults on demand', () => {
  it('starts a log anywhere, and leaves holes, at its end too', () => {
    const cluster = new SimCluster({ topics: { in: { partitions: 1, logStartsAt: 5_000_000_000 } } })
    const first = cluster.append(0, 'in', 0, [{ key: 'a', value: 1, size: 1 }])
    const second = cluster.append(0, 'in', 0, [{ key: 'b', value: 2, size: 1 }])
    assert.deepEqual([first, second], [5_000_000_000, 5_000_000_001])
    cluster.removeRecords('in', 0, [second])
    assert.equal(cluster.bounds('in', 0).end, second + 1)
    const asked = { topic: 'in', partition: 0, currentLeaderEpoch: -1, fetchOffset: second, partitionMaxBytes: 100 }
    const read = ask(cluster, 0, {
      kind: 'Fetch',
      maxWaitMs: 0,
      maxBytes: 100,
      isolationLevel: 'read_committed',
      partitions: [asked],
    })
    assert.equal(read.partitions[0]?.batches[0]?.lastOffset, second)
  })

  it('puts out a member whose session the simulator ends', () => {
    const cluster = new SimCluster(options)
    const join = { kind: 'JoinGroup', ...group, clientId: 'c', sessionTimeoutMs: 500, rebalanceTimeoutMs: 500 } as const
    const protocols = [{ name: 'range', metadata: null }]
    const { memberId } = ask(cluster, 0, { ...join, memberId: '', protocolType: 'consumer', protocols })
    ask(cluster, 0, { ...join, memberId, protocolType: 'consumer', protocols })
    assert.deepEqual(cluster.groupState('g'), { state: 'CompletingRebalance', generationId: 1, members: [memberId] })
    cluster.expireSession(1, 'g', memberId)
    assert.deepEqual(cluster.groupState('g'), { state: 'Empty', generationId: 2, members: [] })
    const heartbeat = ask(cluster, 2, { kind: 'Heartbeat', ...group, generationId: 1, memberId })
    assert.equal(heartbeat.errorCode, 'UNKNOWN_MEMBER_ID')
  })

  it('refuses to give an answer that is not in the table', () => {
    assert.throws(() => assertKnownAnswer({ kind: 'Heartbeat', errorCode: 'PRODUCER_FENCED' }), /never answered with/)
    const partitions = [{ topic: 'in', partition: 0, errorCode: 'FENCED_LEADER_EPOCH' as const }]
    assert.throws(() => assertKnownAnswer({ kind: 'OffsetCommit', partitions }), /never answered with/)
  })
})

/** Which requests a transaction of the consumer's client consists of, in both flows, and how offsets are split over them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Transactions } from '../../../src/clients/native/produce/transactions.ts'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import { splitBySize } from '../../../src/producer/transactions/offset-commits.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { coreDefaults, FakeCluster } from './fake-cluster.ts'
import { entry, publication } from './sim-bench.ts'

function make(cluster: FakeCluster, isGenerated = true): Transactions {
  return new Transactions({
    wire: cluster,
    metadata: new Metadata(cluster),
    backoff: coreDefaults.backoff,
    groupCoordinator: new Coordinator(cluster, 'group', 'g'),
    group: 'g',
    member: {
      memberName: () => ({ memberId: 'm', generationId: 4, groupInstanceId: 'i' }),
      refused: () => undefined,
      holds: () => true,
    },
    transactionalId: 'id',
    transactionalIdIsGenerated: isGenerated,
    transactionTimeoutMs: 15_000,
    produce: coreDefaults,
  })
}

const cluster = (isImplicit: boolean): FakeCluster => {
  const made = new FakeCluster(1, { in: 400, out: 2 })
  made.features = { 'transaction.version': isImplicit ? 2 : 1 }
  return made
}

const names = (made: FakeCluster): string[] => {
  const left = new Set(['Metadata', 'FindCoordinator'])
  return made.seen.filter(({ api }) => !left.has(api)).map(({ api, version }) => `${api} v${version}`)
}

describe('X2 · the requests of a transaction', () => {
  test('explicit: partitions and groups are added first', async () => {
    const made = cluster(false)
    const outcome = await made.during(make(made).transact([entry(0, 1, 'map')], [publication('x')]))
    assert.equal(outcome.kind, 'committed')
    assert.deepEqual(names(made), [
      'InitProducerId v5',
      'AddPartitionsToTxn v3',
      'Produce v11',
      'AddOffsetsToTxn v4',
      'TxnOffsetCommit v4',
      'EndTxn v4',
    ])
    const [init] = made.requests('InitProducerId')
    assert.deepEqual([init?.body.producerId, init?.body.producerEpoch], [-1n, -1], 'a new instance')
    assert.ok(made.arrived.every(({ isTransactional }) => isTransactional))
    const [offsets] = made.requests('TxnOffsetCommit')
    const { memberId, generationId, groupInstanceId } = offsets!.body
    assert.deepEqual([memberId, generationId, groupInstanceId], ['m', 4, 'i'])
    assert.match(
      JSON.stringify(offsets!.body, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
      /"committedMetadata":"map"/,
    )
  })

  test('implicit: writing adds, and the end names the next epoch', async () => {
    const made = cluster(true)
    const transactions = make(made)
    for (let round = 0; round < 3; round++) {
      const outcome = await made.during(transactions.transact([entry(0, round)], [publication(`x${round}`)]))
      assert.equal(outcome.kind, 'committed')
    }
    assert.deepEqual(names(made), [
      'InitProducerId v5',
      ...[0, 1, 2].flatMap(() => ['Produce v13', 'TxnOffsetCommit v5', 'EndTxn v5']),
    ])
    assert.deepEqual(
      made.arrived.map(({ epoch, sequence }) => [epoch, sequence]),
      [
        [0, 0],
        [1, 0],
        [2, 0],
      ],
    )
  })

  test('implicit: an abort names it, too', async () => {
    const made = cluster(true)
    const transactions = make(made)
    made.fate = ({ api }) => (api === 'TxnOffsetCommit' ? { code: errorCodes.ILLEGAL_GENERATION } : 'deliver')
    assert.equal((await made.during(transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'aborted')
    made.fate = () => 'deliver'
    assert.equal((await made.during(transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'committed')
    assert.deepEqual(
      made.requests('EndTxn').map(({ body }) => [body.producerEpoch, body.committed]),
      [
        [0, false],
        [1, true],
      ],
    )
  })

  for (const [code, kind] of [
    ['PRODUCER_FENCED', 'fenced'],
    ['NONE', 'unknown'],
  ] as const) {
    test(`X3 · the epoch is over, and the coordinator says ${code} to an abort: ${kind}`, async () => {
      const made = cluster(true)
      made.fate = ({ api }) => {
        if (api === 'Produce') return { code: errorCodes.INVALID_PRODUCER_EPOCH }
        return api === 'EndTxn' ? { code: errorCodes[code] } : 'deliver'
      }
      assert.equal((await made.during(make(made, false).transact([], [publication('x')]))).kind, kind)
    })
  }

  test('the leader moves between two writes', async () => {
    const made = cluster(true)
    const transactions = make(made)
    await made.during(transactions.transact([], [publication('x')]))
    for (const partition of made.topics.get('out')!) partition.leader = 1
    made.fate = ({ api, node }) =>
      api === 'Produce' && node !== 1 ? { code: errorCodes.NOT_LEADER_OR_FOLLOWER } : 'deliver'
    assert.equal((await made.during(transactions.transact([], [publication('a', 'b', 'c', 'd')]))).kind, 'committed')
  })
})

describe('offsets of many partitions', () => {
  const many = (count: number, metadata: string) =>
    Array.from({ length: count }, (_, partition) => entry(partition, 5, metadata))
  const sizes = (made: FakeCluster): number[] =>
    made
      .requests('TxnOffsetCommit')
      .map(({ body }) => (body.topics as { partitions: unknown[] }[])[0]!.partitions.length)

  test('300 full maps: no request above 512 KB', async () => {
    const made = cluster(true)
    const outcome = await made.during(make(made).transact(many(300, '字'.repeat(4_000)), []))
    assert.equal(outcome.kind, 'committed')
    assert.equal(
      sizes(made).reduce((sum, size) => sum + size, 0),
      300,
    )
    assert.ok(Math.max(...sizes(made)) * 12_000 <= 512 * 1024)
  })

  for (const code of ['UNKNOWN_SERVER_ERROR', 'INVALID_COMMIT_OFFSET_SIZE'] as const) {
    test(`${code}: halved until they fit`, async () => {
      const made = cluster(true)
      made.fate = ({ api, body }) => {
        if (api !== 'TxnOffsetCommit') return 'deliver'
        const count = (body.topics as { partitions: unknown[] }[])[0]!.partitions.length
        return count > 3 ? { code: errorCodes[code] } : 'deliver'
      }
      assert.equal((await made.during(make(made).transact(many(10, 'x'), []))).kind, 'committed')
      assert.deepEqual(sizes(made), [10, 5, 2, 3, 5, 2, 3])
    })

    test(`${code} for a single one: too-large, and aborted`, async () => {
      const made = cluster(true)
      made.fate = ({ api }) => (api === 'TxnOffsetCommit' ? { code: errorCodes[code] } : 'deliver')
      assert.equal((await made.during(make(made).transact(many(2, 'x'), []))).kind, 'too-large')
      assert.equal(made.requests('EndTxn')[0]?.body.committed, false)
    })
  }

  test('one that is larger than a request goes alone', () => {
    const offset = { topic: 't', partition: 0, offset: 1, leaderEpoch: -1 }
    const large = { ...offset, metadata: 'x'.repeat(600_000) }
    const small = { ...offset, metadata: '' }
    assert.deepEqual(
      splitBySize([small, large, small]).map(({ length }) => length),
      [1, 1, 1],
    )
    assert.deepEqual(splitBySize([]), [])
  })
})

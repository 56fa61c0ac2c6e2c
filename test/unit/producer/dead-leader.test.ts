/** Leaders of an output's partitions that die or are not ready: what a transaction does then, and the one after it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { Wire } from '../../../src/cluster/wire.ts'
import { errorCodes } from '../../../src/protocol/errors.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { entry, publication, SimBench } from './sim-bench.ts'

type Fate = 'silence' | 'refusal' | 'delivery'

/** A writer whose Produce requests meet what `fate` says; `asked`: the nodes that they went to. */
function setUp(fate: (node: number, nth: number) => Fate) {
  const bench = new SimBench()
  const wire: Wire = bench.writer('other').wire
  const asked: number[] = []
  const tampered: Wire = {
    clock: wire.clock,
    get isOpen() {
      return wire.isOpen
    },
    async ask(node, api, question, options) {
      if (api.key !== produceApi.key) return wire.ask(node, api, question, options)
      asked.push(node)
      const what = fate(node, asked.length)
      if (what === 'silence') return null
      const answer = await wire.ask(node, api, what === 'delivery' ? question : nothing, options)
      if (what === 'delivery' || answer === null) return answer
      const version = options?.maxVersion ?? api.maxVersion
      return { ...answer, version, body: refusalOf((question as (version: number) => never)(version)) as never }
    },
    post: (...question) => wire.post(...question),
    learnNodes: (...nodes) => wire.learnNodes(...nodes),
    featureLevel: (name) => wire.featureLevel(name),
  }
  const metadata = new Metadata(tampered)
  const groupCoordinator = new Coordinator(tampered, 'group', 'g')
  const { transactions } = bench.writer('a', { wire: tampered, metadata, groupCoordinator })
  const transact = async (position: number, ...values: string[]): Promise<string> =>
    (await bench.during(transactions.transact([entry(0, position)], [publication(...values)]))).kind
  return { bench, metadata, asked, transact, reset: () => bench.during(transactions.reset()) }
}

const nothing = { acks: -1, timeoutMs: 1_000, topicData: [] } as never

interface Question {
  readonly topicData: readonly { readonly partitionData: readonly { readonly index: number }[] }[]
}

function refusalOf({ topicData }: Question): object {
  const errorCode = errorCodes.NOT_ENOUGH_REPLICAS
  return {
    throttleTimeMs: 0,
    responses: topicData.map(({ partitionData, ...topic }) => ({
      ...topic,
      partitionResponses: partitionData.map(({ index }) => ({
        index,
        errorCode,
        errorMessage: null,
        recordErrors: [],
      })),
    })),
  }
}

/** Values that fall into both partitions. */
const both = ['a/1', 'b/1', 'c/1', 'd/1', 'e/1', 'f/1']

test('X4 · a leader that is gone for good: after the silence its successor is asked', async () => {
  const dead = new Set<number>()
  const { bench, metadata, transact, reset } = setUp((node) => (dead.has(node) ? 'silence' : 'delivery'))
  assert.equal(await transact(1, 'x'), 'committed')
  const partition = [0, 1].find((each) => bench.cluster.readCommitted('out', each).length > 0)!
  dead.add(metadata.partition('out', partition).leader)
  bench.cluster.elect('out', partition)
  assert.equal(await transact(2, 'x'), 'unknown')
  await reset()
  assert.equal(await transact(2, 'x'), 'committed')
  assert.deepEqual(bench.values(), ['x', 'x'])
})

test('X4 · leaders that are not ready are tried again together, not one after the other', async () => {
  const { bench, asked, transact } = setUp((_, nth) => (nth <= 4 ? 'refusal' : 'delivery'))
  assert.equal(await transact(1, ...both), 'committed')
  assert.deepEqual(
    [asked.slice(0, 2), asked.slice(2, 4), asked.slice(4)].map((pair) => pair.toSorted()),
    [
      [1, 2],
      [1, 2],
      [1, 2],
    ],
  )
  assert.deepEqual(bench.values().toSorted(), both)
})

for (const silent of [1, 2]) {
  test(`X4 · where leader ${silent} is silent, nothing is sent to the others any more`, async () => {
    const { bench, asked, transact, reset } = setUp((node, nth) =>
      nth > 2 ? 'delivery' : node === silent ? 'silence' : 'refusal',
    )
    assert.equal(await transact(1, ...both), 'unknown')
    assert.equal(asked.length, 2)
    await reset()
    assert.equal(await transact(1, ...both), 'committed')
    assert.deepEqual(bench.values().toSorted(), both)
  })
}

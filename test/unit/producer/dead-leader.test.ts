/** The leader of an output's partition dies: another one leads, and the next transaction has to find it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import type { Wire } from '../../../src/cluster/wire.ts'
import { produceApi } from '../../../src/protocol/generated/00-produce.ts'
import { entry, publication, SimBench } from './sim-bench.ts'

test('X4 · a leader that is gone for good: after the silence its successor is asked', async () => {
  const bench = new SimBench()
  const { wire } = bench.writer('other')
  const dead = new Set<number>()
  const gone: Wire = {
    clock: wire.clock,
    get isOpen() {
      return wire.isOpen
    },
    ask: (node, api, ...rest) =>
      api.key === produceApi.key && dead.has(node) ? Promise.resolve(null) : wire.ask(node, api, ...rest),
    post: (...question) => wire.post(...question),
    learnNodes: (...nodes) => wire.learnNodes(...nodes),
    featureLevel: (name) => wire.featureLevel(name),
  }
  const metadata = new Metadata(gone)
  const { transactions } = bench.writer('a', {
    wire: gone,
    metadata,
    groupCoordinator: new Coordinator(gone, 'group', 'g'),
  })
  assert.equal((await bench.during(transactions.transact([entry(0, 1)], [publication('x')]))).kind, 'committed')

  const partition = [0, 1].find((each) => bench.cluster.readCommitted('out', each).length > 0)!
  dead.add(metadata.partition('out', partition).leader)
  bench.cluster.elect('out', partition)
  assert.equal((await bench.during(transactions.transact([entry(0, 2)], [publication('x')]))).kind, 'unknown')
  await bench.during(transactions.reset())
  assert.equal((await bench.during(transactions.transact([entry(0, 2)], [publication('x')]))).kind, 'committed')
  assert.deepEqual(bench.values(), ['x', 'x'])
})

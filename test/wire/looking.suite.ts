/** What a consumer tells about itself while one record holds its partition back: the same on a real broker as in memory. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consume, createAdmin, createProducer } from '../../src/index.ts'
import { openDashboard } from '../../src/open-dashboard.ts'
import { frame } from '../e2e/dashboard/support.ts'
import { notebook } from '../e2e/support.ts'
import { type Target, unique } from '../support/targets.ts'
import { until } from '../support/wait.ts'

export function looking(target: Target): void {
  test('P9 P6 · true lag, gap, the blocking record and what it is doing: from inside, in metrics, and from outside', async () => {
    const { brokers } = target
    const topic = unique('looking')
    const group = unique('group')
    await using admin = await createAdmin({ brokers })
    await admin.createTopics([{ name: topic, partitions: 1 }])
    await using producer = await createProducer({ brokers })
    const gate = Promise.withResolvers<void>()
    const logger = notebook()
    await using consumer = await consume({
      brokers,
      group,
      topics: [topic],
      logger,
      stalledAfterMs: 200,
      commit: { everyMs: 50 },
      dashboard: { port: 0 },
      handle: async ({ offset }, { attempt }) => {
        if (offset === 2) await gate.promise
        if (offset === 5 && attempt === 1) throw new Error('once')
      },
    })
    const stalled = new Promise<{ readonly offset: number; readonly reason: string }>((resolve) =>
      consumer.once('stalled', resolve),
    )
    await producer.send(Array.from({ length: 20 }, (_, n) => ({ topic, key: `k${n}`, value: `${n}` })))
    const stuck = await until('all others are done, and in the committed map', () => {
      const [partition] = consumer.snapshot().partitions
      return partition?.gap === 17 && partition.map.entries === 17 && partition
    })
    assert.equal(stuck.position, 2)
    assert.equal(stuck.committed, 2)
    assert.equal(stuck.logEnd, 20)
    assert.equal(stuck.trueLag, 18)
    assert.ok((stuck.lagMs ?? -1) >= 0)
    assert.equal(stuck.blocking?.offset, 2)
    assert.equal(stuck.blocking.key, 'k2')
    assert.equal(stuck.blocking.doing, 'running')
    assert.match(stuck.blocking.detail, /^running for \d+ ms$/)
    const { offset, reason } = await stalled
    assert.equal(offset, 2)
    assert.match(reason, /^running for \d+ ms, attempt 1$/)

    const url = consumer.dashboard?.url ?? ''
    const metrics = await (await fetch(`${url}metrics`)).text()
    const of = (name: string): number =>
      Number(new RegExp(`^${name}{[^}]*topic="${topic}"[^}]*} (.*)$`, 'm').exec(metrics)?.[1])
    assert.deepEqual(
      ['kafka_consumergroup_group_lag', 'fanlane_gap_records', 'fanlane_blocking_offset'].map(of),
      [18, 17, 2],
    )
    assert.ok(of('fanlane_blocking_seconds') > 0)

    const outside = await openDashboard({ brokers, group, port: 0, logger })
    try {
      const seen = await frame(
        outside.url,
        'page=partitions',
        ({ detail }) => detail.page === 'partitions' && detail.total === 1,
      )
      const [partition] = seen.detail.page === 'partitions' ? seen.detail.partitions : []
      assert.deepEqual([partition?.position, partition?.gap, partition?.lag], [2, 17, 18])
      assert.equal(partition?.strip.cells, `ccu${'f'.repeat(17)}`)
    } finally {
      await outside.close()
    }

    gate.resolve()
    await consumer.idle()
    const [moved] = consumer.snapshot().partitions
    assert.deepEqual([moved?.position, moved?.trueLag, moved?.gap, moved?.blocking], [20, 0, 0, null])
    assert.equal(consumer.snapshot().totals.retries, 1)
  })
}

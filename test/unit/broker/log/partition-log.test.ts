/** One partition, in memory and on a real disk: appending, reading, offsets, segments, restarts. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Disk } from '../../../../src/broker/log/disk.ts'
import { MemoryDisk } from '../../../../src/broker/log/memory-disk.ts'
import { NodeDisk } from '../../../../src/broker/log/node-disk.ts'
import { appendAll, batchOf, openLog, readAll, startMs, storageOn, temporaryDirectory, valuesOf } from './support.ts'

const disks: Record<string, (t: TestContext) => { disk: Disk; root: string }> = {
  memory: () => ({ disk: new MemoryDisk(), root: 'data' }),
  disk: (t) => ({ disk: new NodeDisk(), root: temporaryDirectory(t) }),
}

for (const [kind, make] of Object.entries(disks)) {
  test(`Q3 · ${kind}: what was appended is read back, whole batches, from any offset, over many segments`, async (t) => {
    const { disk, root } = make(t)
    const { storage, fatal } = storageOn(disk, { tailCacheBytesMax: 0 })
    const log = await openLog(storage, `${root}/t/0`, { segmentBytes: 1_000, indexIntervalBytes: 200 })
    const expected: string[] = []
    for (let i = 0; i < 200; i++) {
      const values = Array.from({ length: 1 + (i % 3) }, (_, j) => `value ${i}.${j}`)
      expected.push(...values)
      await appendAll(log, batchOf(values))
    }
    assert.equal(log.logEndOffset, expected.length)
    assert.equal(log.highWatermark, expected.length)
    assert.ok(log.segments.length > 10)
    assert.deepEqual(valuesOf(await readAll(log, 0)), expected)
    assert.deepEqual(valuesOf(await readAll(log, 0, 100_000)), expected)
    assert.deepEqual(valuesOf(await readAll(log, 0, 1)), expected)
    for (let from = 0; from < expected.length; from += 7) {
      const records = await readAll(log, from, 300)
      assert.deepEqual(valuesOf(records), expected.slice(from))
      assert.equal(records[0]?.offset, from)
    }
    assert.deepEqual(await log.read(expected.length, 100, 'high-watermark'), {
      kind: 'batches',
      chunks: [],
      bytes: 0,
      nextOffset: expected.length,
    })
    assert.equal((await log.read(expected.length + 1, 100, 'high-watermark')).kind, 'out-of-range')
    await log.close()
    assert.deepEqual(fatal, [])
  })

  test(`Q4 · ${kind}: bytes stay as they came, but for base offset and leader epoch`, async (t) => {
    const { disk, root } = make(t)
    const { storage } = storageOn(disk)
    const log = await openLog(storage, `${root}/t/0`, {}, { leaderEpoch: 7 })
    await appendAll(log, batchOf(['a', 'b']))
    const sent = batchOf(['c', 'd', 'e'])
    const before = Buffer.from(sent)
    await appendAll(log, sent)
    const result = await log.read(3, 1_000, 'high-watermark')
    assert.ok(result.kind === 'batches')
    const stored = Buffer.concat(result.chunks)
    assert.equal(stored.readBigInt64BE(0), 2n)
    assert.equal(stored.readInt32BE(12), 7)
    before.writeBigInt64BE(2n, 0)
    before.writeInt32BE(7, 12)
    assert.deepEqual(stored, before)
    await log.close()
  })
}

test('Q3 · a log that was closed opens again, reads nothing twice and goes on', async (t) => {
  const root = temporaryDirectory(t)
  const expected: string[] = []
  for (let round = 0; round < 4; round++) {
    const { storage, warnings } = storageOn(new NodeDisk(), { tailCacheBytesMax: 0 })
    const log = await openLog(
      storage,
      `${root}/t/0`,
      { segmentBytes: 2_000, indexIntervalBytes: 100 },
      { leaderEpoch: round },
    )
    assert.equal(log.logEndOffset, expected.length)
    assert.deepEqual(valuesOf(await readAll(log, 0)), expected)
    for (let i = 0; i < 30; i++) {
      expected.push(`${round}/${i}`)
      await appendAll(log, batchOf([`${round}/${i}`]))
    }
    assert.deepEqual(valuesOf(await readAll(log, 0)), expected)
    assert.deepEqual(log.endOffsetFor(round), { epoch: round, endOffset: expected.length })
    if (round > 0) assert.deepEqual(log.endOffsetFor(round - 1), { epoch: round - 1, endOffset: round * 30 })
    assert.deepEqual(log.endOffsetFor(round + 1), { epoch: -1, endOffset: -1 })
    await log.close()
    storage.close()
    assert.deepEqual(warnings, [])
  }
  assert.ok(readdirSync(`${root}/t/0`).includes('00000000000000000000.log'))
})

test('Q3 · records are found by time, also after a restart', async (t) => {
  const root = temporaryDirectory(t)
  const config = { segmentBytes: 1_500, indexIntervalBytes: 150 }
  const times = Array.from({ length: 60 }, (_, i) => startMs + ((i * 37) % 101) * 10)
  const first = (from: number) => times.findIndex((time) => time >= from)
  for (let round = 0; round < 2; round++) {
    const { storage } = storageOn(new NodeDisk())
    const log = await openLog(storage, `${root}/t/0`, config, { leaderEpoch: round })
    if (round === 0) for (const timestampMs of times) await appendAll(log, batchOf(['x'], { timestampMs }))
    for (let wanted = startMs - 5; wanted < startMs + 1_020; wanted += 5) {
      const found = await log.offsetForTimestamp(wanted)
      assert.equal(found?.offset ?? -1, first(wanted), `${wanted - startMs}`)
    }
    const latest = Math.max(...times)
    assert.deepEqual(await log.maxTimestampOffset(), {
      offset: times.indexOf(latest),
      timestampMs: latest,
      leaderEpoch: 0,
    })
    await log.close()
  }
})

/** How far readers of committed records may read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlBatch } from '../../../../src/protocol/record-batch/control.ts'
import { SimDisk } from '../../../support/sim-disk.ts'
import { appendAll, batchOf, openLog, startMs, storageOn } from './support.ts'

const transactional = (producerId: number, baseSequence: number) =>
  batchOf(['x'], { producerId, producerEpoch: 0, baseSequence, transactional: true })

const marker = (kind: 'commit' | 'abort', producerId: number) =>
  Buffer.from(controlBatch({ kind, producerId, producerEpoch: 0, timestampMs: startMs, coordinatorEpoch: 0 }))

test('X6 · a transaction is decided for readers only when its marker is on the disk', async () => {
  const disk = new SimDisk()
  disk.makeDirectory('d')
  const { storage } = storageOn(disk)
  const log = await openLog(storage, 'd/t/0')
  await appendAll(log, batchOf(['plain']), transactional(1, 0), transactional(2, 0))
  assert.equal(log.lastStableOffset, 1)

  const ends: (() => void)[] = []
  disk.hooks = { later: (end) => ends.push(end) }
  log.append(marker('commit', 1), 'coordinator')
  log.append(marker('abort', 2), 'coordinator')
  assert.equal(log.lastStableOffset, 1)
  const seen: number[] = []
  log.onAdvance(() => seen.push(log.lastStableOffset))
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  // The write, then the sync.
  for (let round = 0; round < 2; round++) {
    await settled()
    assert.equal(log.lastStableOffset, 1)
    for (const end of ends.splice(0)) end()
  }
  await settled()
  assert.deepEqual(seen, [5])
  assert.equal(log.lastStableOffset, 5)
  assert.deepEqual(log.abortedBetween(0, 5), [{ producerId: 2, firstOffset: 2 }])
  assert.deepEqual(log.openTransactions(), [])
})

test('X6 · of several transactions the oldest open one counts, whatever ends in between', async () => {
  const disk = new SimDisk()
  disk.makeDirectory('d')
  const { storage } = storageOn(disk)
  const log = await openLog(storage, 'd/t/0')
  await appendAll(log, transactional(1, 0), transactional(2, 0), transactional(3, 0))
  assert.equal(log.lastStableOffset, 0)
  await appendAll(log, marker('commit', 2))
  assert.equal(log.lastStableOffset, 0)
  await appendAll(log, marker('commit', 1))
  assert.equal(log.lastStableOffset, 2)
  assert.ok(log.hasOpenTransaction(3))
  const read = await log.read(0, 10_000, 'last-stable')
  assert.ok(read.kind === 'batches' && read.nextOffset === 2)

  const again = await openLog(storageOn(new SimDisk({}, disk.capture())).storage, 'd/t/0')
  assert.equal(again.lastStableOffset, 2)
  await again.deleteRecordsBefore(4)
  assert.equal(again.lastStableOffset, 4)
  await appendAll(again, marker('abort', 3))
  assert.equal(again.lastStableOffset, 6)
})

test('X1 · a batch that was appended before is answered with its first offsets, after a restart too', async () => {
  const disk = new SimDisk()
  disk.makeDirectory('d')
  const { storage } = storageOn(disk)
  const log = await openLog(storage, 'd/t/0')
  const batch = () => batchOf(['a', 'b'], { producerId: 7, producerEpoch: 0, baseSequence: 0 })
  await appendAll(log, batchOf(['first']), batch())
  const again = await openLog(storageOn(new SimDisk({}, disk.capture())).storage, 'd/t/0')
  for (const opened of [log, again]) {
    const result = opened.append(batch(), 'client')
    assert.deepEqual(result, { kind: 'duplicate', baseOffset: 1, lastOffset: 2, timestampMs: startMs })
    assert.equal(opened.logEndOffset, 3)
  }
})

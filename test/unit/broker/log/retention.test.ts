/** What makes a log shorter: retention by time and by size, deleted records, compaction; and a topic that goes away. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { NodeDisk } from '../../../../src/broker/log/node-disk.ts'
import { SimDisk } from '../../../support/sim-disk.ts'
import { appendAll, batchOf, openLog, readAll, startMs, storageOn, temporaryDirectory, valuesOf } from './support.ts'

const directory = 'd/t/0'
const values = Array.from({ length: 40 }, (_, i) => `value ${i}`)

function newDisk(): SimDisk {
  const disk = new SimDisk()
  disk.makeDirectory('d')
  return disk
}

/** One record a second. */
async function filled(disk: SimDisk, config: Parameters<typeof openLog>[2]) {
  const made = storageOn(disk, { tailCacheBytesMax: 0 })
  const log = await openLog(made.storage, directory, { segmentBytes: 400, indexIntervalBytes: 100, ...config })
  for (const [i, value] of values.entries()) {
    await appendAll(log, batchOf([value], { timestampMs: startMs + i * 1_000 }))
  }
  return { ...made, log }
}

test('Q3 · retention by time takes whole segments whose newest record is too old', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, { retentionMs: 10_000 })
  const bases = log.segments.map(({ baseOffset }) => baseOffset)
  assert.equal(await log.applyRetention(startMs + 10_000), 0)
  let moved = 0
  log.onAdvance(() => moved++)
  const count = await log.applyRetention(startMs + 25_500)
  // Segments with records up to second 15 only.
  assert.equal(count, bases.filter((base) => base > 0 && base <= 16).length)
  assert.equal(log.logStartOffset, bases[count])
  assert.equal(moved, 1)
  assert.equal((await log.read(0, 100, 'high-watermark')).kind, 'out-of-range')
  assert.deepEqual(valuesOf(await readAll(log, log.logStartOffset)), values.slice(log.logStartOffset))
  assert.equal([...disk.files().keys()].filter((path) => path.endsWith('.log')).length, bases.length - count)
})

test('Q3 · retention by size keeps what fits, and the rest of the segment in which the limit lies', async () => {
  const { log } = await filled(newDisk(), { retentionBytes: 1_000, retentionMs: -1 })
  await log.applyRetention(startMs)
  assert.ok(log.sizeBytes >= 1_000 && log.sizeBytes < 1_400, `${log.sizeBytes}`)
  assert.deepEqual(valuesOf(await readAll(log, log.logStartOffset)), values.slice(log.logStartOffset))
})

test('Q3 · retention can take everything; offsets go on where they were, after a restart too', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, { retentionMs: 1 })
  await log.applyRetention(startMs + 1_000_000)
  assert.deepEqual([log.logStartOffset, log.logEndOffset, log.sizeBytes], [40, 40, 0])
  assert.deepEqual(
    [...disk.files().keys()].filter((path) => path.endsWith('.log')),
    [],
  )
  const again = await openLog(storageOn(new SimDisk({}, disk.capture())).storage, directory)
  assert.deepEqual([again.logStartOffset, again.logEndOffset], [40, 40])
  await appendAll(log, batchOf(['next']))
  assert.deepEqual(await readAll(log, 40), [{ offset: 40, value: 'next' }])
})

test('Q3 · without the delete policy retention takes nothing', async () => {
  const { log } = await filled(newDisk(), { retentionMs: 1, retentionBytes: 1, deletes: false, compacts: true })
  assert.equal(await log.applyRetention(startMs + 1_000_000), 0)
})

test('Q3 · nothing above the high watermark is taken', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, { retentionMs: 1 })
  let last = ''
  const ends: (() => void)[] = []
  disk.hooks = {
    before: ({ kind }) => {
      last = kind
    },
    later: (end) => (last === 'sync' ? ends.push(end) : end()),
  }
  log.append(batchOf(['not yet durable']), 'client')
  const active = log.segments.at(-1)!.baseOffset
  const retaining = log.applyRetention(startMs + 1_000_000)
  while (ends.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(log.logStartOffset, active)
  disk.hooks = {}
  for (const end of ends) end()
  await retaining
  assert.deepEqual(valuesOf(await readAll(log, active)), [...values.slice(active), 'not yet durable'])
})

test('Q3 · deleted records are gone, the batch around the new start stays readable, restarts included', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, {})
  await appendAll(log, batchOf(['a', 'b', 'c', 'd']))
  await log.deleteRecordsBefore(42)
  assert.equal(log.logStartOffset, 42)
  await log.deleteRecordsBefore(41)
  assert.equal(log.logStartOffset, 42)
  const again = await openLog(storageOn(new SimDisk({}, disk.capture())).storage, directory)
  for (const opened of [log, again]) {
    assert.equal(opened.logStartOffset, 42)
    assert.equal((await opened.read(41, 100, 'high-watermark')).kind, 'out-of-range')
    assert.deepEqual(valuesOf(await readAll(opened, 42)), ['c', 'd'])
    assert.equal((await opened.offsetForTimestamp(0))?.offset, 42)
  }
  await log.deleteRecordsBefore(1_000)
  assert.equal(log.logStartOffset, 44)
})

test('segments are replaced by one: readers see the old ones or the new one, and offsets may have holes then', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, {})
  const old = log.closedSegments().slice(1, 4)
  const [from, to] = [old[0]!.baseOffset, old.at(-1)!.nextOffset]
  const cleaned = await log.createCleaned(old)
  for (const segment of old) {
    const kept: Buffer[] = []
    await log.scanSegment(segment, (buffer, at, size) => {
      if (buffer.readBigInt64BE(at) % 3n === 0n) kept.push(Buffer.from(buffer.subarray(at, at + size)))
      return undefined
    })
    await cleaned.file.append(kept)
  }
  const reading = readAll(log, 0, 1)
  assert.equal(await log.replaceSegments(old, cleaned), true)
  assert.equal((await reading).at(-1)?.value, 'value 39')
  const expected = values.filter((_, offset) => offset < from || offset >= to || offset % 3 === 0)
  assert.deepEqual(valuesOf(await readAll(log, 0)), expected)
  assert.deepEqual(
    valuesOf(await readAll(log, from + 1, 1)),
    expected.slice(values.indexOf(`value ${from}`)).slice(from % 3 === 0 ? 1 : 0),
  )
  const again = await openLog(storageOn(new SimDisk({}, disk.capture())).storage, directory)
  assert.deepEqual(valuesOf(await readAll(again, 0)), expected)
  assert.equal(again.dense, false)
})

test('a replacement of segments that were deleted meanwhile is thrown away', async () => {
  const disk = newDisk()
  const { log } = await filled(disk, {})
  const old = log.closedSegments().slice(0, 2)
  const cleaned = await log.createCleaned(old)
  await log.deleteRecordsBefore(old[1]!.baseOffset)
  assert.equal(await log.replaceSegments(old, cleaned), false)
  assert.ok([...disk.files().keys()].every((path) => !path.endsWith('.cleaned')))
  assert.deepEqual(valuesOf(await readAll(log, log.logStartOffset)), values.slice(log.logStartOffset))
})

test('a deleted partition leaves nothing behind, and one of the same name starts anew', async (t) => {
  const root = temporaryDirectory(t)
  const { storage, fatal } = storageOn(new NodeDisk())
  const log = await openLog(storage, `${root}/t/0`)
  await appendAll(log, batchOf(['a']))
  log.append(batchOf(['under way']), 'client')
  const saving = log.checkpoint()
  const outcome = Promise.allSettled([saving, log.whenDurable(2)])
  await log.delete()
  await outcome
  assert.deepEqual(readdirSync(`${root}/t`), [])
  assert.ok(!existsSync(`${root}/t/0`))
  const again = await openLog(storage, `${root}/t/0`)
  assert.equal(again.logEndOffset, 0)
  await appendAll(again, batchOf(['b']))
  assert.deepEqual(valuesOf(await readAll(again, 0)), ['b'])
  await again.close()
  assert.deepEqual(fatal, [])
})

test('segments are rolled by time, counted in the records’ own time', async () => {
  const { storage } = storageOn(newDisk())
  const log = await openLog(storage, directory, { segmentMs: 5_000 })
  for (const second of [0, 3, 5, 4, 6, 7, 20]) {
    await appendAll(log, batchOf(['x'], { timestampMs: startMs + second * 1_000 }))
  }
  assert.deepEqual(
    log.segments.map(({ baseOffset }) => baseOffset),
    [0, 4, 6],
  )
})

/** Opening a log after a stop, a crash, or after somebody damaged its files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogDamagedError } from '../../../../src/broker/log/damage.ts'
import type { PartitionLog } from '../../../../src/broker/log/partition-log.ts'
import { errorCodes } from '../../../../src/protocol/errors.ts'
import { type Operation, SimDisk } from '../../../support/sim-disk.ts'
import { appendAll, batchOf, openLog, readAll, startMs, storageOn, type TestStorage, valuesOf } from './support.ts'

const directory = 'd/t/0'
const config = { segmentBytes: 800, indexIntervalBytes: 100 }
const values = Array.from({ length: 60 }, (_, i) => `value ${i}`)

function newDisk(): SimDisk {
  const disk = new SimDisk()
  disk.makeDirectory('d')
  return disk
}

async function reopen(disk: SimDisk, leaderEpoch = 1): Promise<TestStorage & { log: PartitionLog }> {
  const made = storageOn(new SimDisk({}, disk.capture()), { tailCacheBytesMax: 0 })
  return { ...made, log: await openLog(made.storage, directory, config, { leaderEpoch }) }
}

/** Sixty records in some segments; the last one is open. */
async function filled(end: 'closed' | 'killed'): Promise<SimDisk> {
  const disk = newDisk()
  const { storage } = storageOn(disk)
  const log = await openLog(storage, directory, config)
  for (const [i, value] of values.entries()) await appendAll(log, batchOf([value], { timestampMs: startMs + i * 10 }))
  assert.ok(log.segments.length > 4)
  if (end === 'closed') await log.close()
  return disk
}

const filesOf = (disk: SimDisk, suffix: string): string[] =>
  [...disk.files().keys()].filter((path) => path.endsWith(suffix)).sort()

for (const end of ['closed', 'killed'] as const) {
  test(`L1 · ${end}: everything is there again`, async () => {
    const { log, warnings } = await reopen(await filled(end))
    assert.deepEqual(valuesOf(await readAll(log, 0)), values)
    assert.deepEqual(warnings, [])
  })
}

test('after a clean stop no byte of the log is read, and nothing is written', async () => {
  const disk = await filled('closed')
  const operations: Operation[] = []
  const again = new SimDisk({ before: (operation) => void operations.push(operation) }, disk.capture())
  const { storage } = storageOn(again)
  const log = await openLog(storage, directory, { segmentBytes: 800, indexIntervalBytes: 4_096 })
  assert.equal(log.logEndOffset, values.length)
  assert.deepEqual(
    operations.filter(({ kind, path }) => path.endsWith('.log') || kind === 'append'),
    [],
  )
})

test('after a crash only what lies behind the checkpoint is read', async () => {
  const disk = newDisk()
  const { storage } = storageOn(disk)
  const log = await openLog(storage, directory, config)
  for (const value of values) await appendAll(log, batchOf([value]))
  await log.checkpoint()
  await appendAll(log, batchOf(['one more']))
  const read: string[] = []
  const again = new SimDisk(
    {
      before: ({ kind, path }) => {
        if (kind === 'read' && path.endsWith('.log')) read.push(path)
      },
    },
    disk.capture(),
  )
  const opened = await openLog(storageOn(again).storage, directory, config)
  assert.equal(opened.logEndOffset, values.length + 1)
  const last = filesOf(disk, '.log').at(-1)
  assert.ok(read.length > 0)
  assert.ok(read.every((path) => path === last))
})

test('L5 · every length that the last segment can be cut to opens, and goes on where the last whole batch ends', async () => {
  const disk = await filled('killed')
  const path = filesOf(disk, '.log').at(-1)!
  const whole = Buffer.from(disk.files().get(path)!)
  for (let length = 0; length <= whole.length; length++) {
    disk.damage(path, () => whole.subarray(0, length))
    const { log, warnings } = await reopen(disk)
    const { logEndOffset } = log
    assert.ok(warnings.every(({ code }) => code === 'LOG_TAIL_CUT'))
    assert.deepEqual(valuesOf(await readAll(log, 0)), values.slice(0, logEndOffset))
    await appendAll(log, batchOf(['after']))
    assert.deepEqual(valuesOf(await readAll(log, logEndOffset)), ['after'])
  }
})

test('L5 · a flipped bit in a closed segment is never served and never cut; what lies before it can be read', async () => {
  const disk = await filled('closed')
  const path = filesOf(disk, '.log')[1]!
  const content = disk.files().get(path)!
  const base = Number(/(\d+)\.log$/.exec(path)?.[1])
  for (let bit = 0; bit < content.length * 8; bit += 13) {
    disk.damage(path, (bytes) => {
      content.copy(bytes)
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      return bytes
    })
    const { log, warnings, fatal } = await reopen(disk)
    assert.equal(log.logEndOffset, values.length)
    const seen: string[] = []
    let damaged: LogDamagedError | undefined
    for (let offset = 0; offset < values.length; ) {
      const result = await log.read(offset, 150, 'high-watermark')
      if (result.kind === 'damaged') {
        damaged ??= result.error
        offset++
        continue
      }
      assert.ok(result.kind === 'batches' && result.bytes > 0)
      for (const { value } of await readFrom(log, offset, result.nextOffset)) seen.push(value)
      offset = result.nextOffset
    }
    assert.ok(damaged !== undefined, `bit ${bit} of byte ${bit >> 3}`)
    assert.equal(damaged.code, 'LOG_DAMAGED')
    assert.equal(damaged.file, path)
    assert.ok(damaged.offset >= base && damaged.offset < base + 20)
    assert.deepEqual(seen.slice(0, damaged.offset), values.slice(0, damaged.offset))
    assert.ok(seen.every((value) => values.includes(value)))
    assert.equal(disk.files().get(path)?.length, content.length)
    await appendAll(log, batchOf(['goes on']))
    assert.deepEqual([warnings, fatal], [[], []])
  }
})

async function readFrom(log: PartitionLog, from: number, to: number): Promise<{ value: string }[]> {
  const found = await log.read(from, 150, 'high-watermark')
  assert.ok(found.kind === 'batches' && found.nextOffset === to)
  return values.slice(from, to).map((value) => ({ value }))
}

test('L5 · a flipped bit before the recovery point of the last segment is damage too, not a torn tail', async () => {
  const disk = await filled('closed')
  const path = filesOf(disk, '.log').at(-1)!
  const base = Number(/(\d+)\.log$/.exec(path)?.[1])
  disk.damage(path, (bytes) => {
    bytes[70]! ^= 1
    return bytes
  })
  const { log } = await reopen(disk)
  assert.equal(log.logEndOffset, values.length)
  assert.equal((await log.read(base, 100, 'high-watermark')).kind, 'damaged')
  assert.deepEqual(valuesOf(await readUpTo(log, base)), values.slice(0, base))
})

async function readUpTo(log: PartitionLog, end: number): Promise<{ offset: number; value: string }[]> {
  const records: { offset: number; value: string }[] = []
  for (let offset = 0; offset < end; ) {
    const result = await log.read(offset, 1, 'high-watermark')
    assert.ok(result.kind === 'batches')
    records.push({ offset, value: values[offset]! })
    offset = result.nextOffset
  }
  return records
}

const losses: Record<string, (disk: SimDisk) => void> = {
  'a closed segment is gone': (disk) => disk.remove(filesOf(disk, '.log')[2]!),
  'the last segment is gone': (disk) => disk.remove(filesOf(disk, '.log').at(-1)!),
  'the last segment is shorter than it was': (disk) =>
    disk.damage(filesOf(disk, '.log').at(-1)!, (content) => content.subarray(0, 50)),
  'a closed segment is shorter than it was': (disk) =>
    disk.damage(filesOf(disk, '.log')[1]!, (content) => content.subarray(0, 75)),
}

for (const [what, lose] of Object.entries(losses)) {
  test(`L5 · ${what}: that is said, and nothing takes its place`, async () => {
    const disk = await filled('closed')
    lose(disk)
    const { log } = await reopen(disk)
    assert.equal(log.logEndOffset, values.length)
    let damaged = 0
    for (let offset = 0; offset < values.length; offset++) {
      const result = await log.read(offset, 1, 'high-watermark')
      if (result.kind === 'damaged') damaged++
      else assert.ok(result.kind === 'batches' && result.nextOffset === offset + 1, `at ${offset}`)
    }
    assert.ok(damaged > 0)
    if (log.damage === undefined) return
    assert.deepEqual(log.append(batchOf(['x']), 'client'), {
      kind: 'refused',
      error: errorCodes.KAFKA_STORAGE_ERROR,
    })
    if (log.damage.isAtEnd) await assert.rejects(log.deleteRecordsBefore(60), { code: 'LOG_DAMAGED' })
    await log.checkpoint()
    await log.close()
  })
}

test('L5 · a damaged closed segment can be given up: deleted records take it away, and the partition works again', async () => {
  const disk = await filled('killed')
  const [first, second] = filesOf(disk, '.log')
  disk.damage(first!, (content) => content.fill(0, 100, 200))
  const { storage, warnings } = storageOn(disk, { tailCacheBytesMax: 0 })
  const log = await openLog(storage, directory, config, { leaderEpoch: 1 })
  assert.deepEqual([log.damage?.code, log.damage?.file, warnings.length], ['LOG_DAMAGED', first, 1])
  assert.equal(log.append(batchOf(['x']), 'client').kind, 'refused')
  const next = Number(/(\d+)\.log$/.exec(second!)?.[1])
  await log.deleteRecordsBefore(next)
  await log.close()
  const again = await reopen(disk, 2)
  assert.equal(again.log.damage, undefined)
  await appendAll(again.log, batchOf(['works']))
  assert.deepEqual(valuesOf(await readAll(again.log, next)), [...values.slice(next), 'works'])
})

const indexTroubles: Record<string, (content: Buffer) => Buffer> = {
  empty: () => Buffer.alloc(0),
  'zeros only': (content) => Buffer.alloc(content.length),
  'cut in the middle': (content) => content.subarray(0, content.length - 5),
  'full of nonsense': (content) => Buffer.from(content.map((_, i) => (i * 7 + 3) & 0xff)),
  'off by one': (content) => Buffer.from(content.map((byte, i) => (i % 4 === 3 ? byte + 1 : byte))),
}

for (const [what, trouble] of Object.entries(indexTroubles)) {
  for (const suffix of ['.index', '.timeindex']) {
    test(`Q3 · ${suffix} files that are ${what} mislead nobody`, async () => {
      const disk = await filled('closed')
      const paths = filesOf(disk, suffix)
      assert.ok(paths.length > 3)
      for (const path of paths) disk.damage(path, trouble)
      const { log } = await reopen(disk)
      for (let offset = values.length - 1; offset >= 0; offset--) {
        const result = await log.read(offset, 1, 'high-watermark')
        assert.ok(result.kind === 'batches' && result.nextOffset === offset + 1, `at ${offset}`)
      }
      assert.deepEqual(valuesOf(await readAll(log, 0)), values)
      for (let offset = 0; offset < values.length; offset++) {
        assert.equal((await log.offsetForTimestamp(startMs + offset * 10))?.offset, offset)
        assert.equal((await log.offsetForTimestamp(startMs + offset * 10 - 9))?.offset, offset)
      }
      assert.equal(await log.offsetForTimestamp(startMs + values.length * 10), undefined)
    })
  }
}

test('index files that are gone are made again', async () => {
  const disk = await filled('closed')
  const before = new Map([...disk.files()].filter(([path]) => path.endsWith('index')))
  for (const path of before.keys()) await disk.remove(path)
  const made = storageOn(disk, { tailCacheBytesMax: 0 })
  const log = await openLog(made.storage, directory, config)
  assert.deepEqual(valuesOf(await readAll(log, 5)), values.slice(5))
  for (const segment of log.closedSegments()) await log.read(segment.baseOffset + 1, 1, 'high-watermark')
  await appendAll(log, batchOf(['more']))
  await log.close()
  for (const [path, content] of before) {
    // The last segment is closed now: its time index has one more entry.
    assert.deepEqual(disk.files().get(path)?.subarray(0, content.length), content)
  }
})

test('a damaged checkpoint costs time, not records', async () => {
  const disk = await filled('closed')
  disk.damage(`${directory}/checkpoint`, (content) => {
    content[20]! ^= 1
    return content
  })
  const { log, warnings } = await reopen(disk)
  assert.deepEqual(valuesOf(await readAll(log, 0)), values)
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['LOG_CHECKPOINT_DAMAGED'],
  )
})

test('other partitions do not mind a damaged one', async () => {
  const disk = await filled('closed')
  disk.damage(filesOf(disk, '.log')[0]!, () => Buffer.from('nonsense'))
  const { storage, fatal } = storageOn(disk, { tailCacheBytesMax: 0 })
  const damaged = await openLog(storage, directory, config)
  const sound = await openLog(storage, 'd/t/1', config)
  assert.equal((await damaged.read(0, 100, 'high-watermark')).kind, 'damaged')
  await appendAll(sound, batchOf(['fine']))
  assert.deepEqual(valuesOf(await readAll(sound, 0)), ['fine'])
  assert.deepEqual(fatal, [])
})

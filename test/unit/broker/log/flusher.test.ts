/** Group commit: when something is acknowledged, what shares a sync, and what happens when the disk fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskError } from '../../../../src/broker/log/disk.ts'
import type { LogStorageOptions } from '../../../../src/broker/log/storage.ts'
import { errorCodes } from '../../../../src/protocol/errors.ts'
import { type Operation, SimDisk } from '../../../support/sim-disk.ts'
import { appendAll, batchOf, openLog, storageOn, type TestStorage } from './support.ts'

/** A disk whose operations end when the test says so. */
class SlowDisk {
  readonly operations: Operation[] = []
  readonly #ends: (() => void)[] = []
  readonly disk: SimDisk
  failing: ((operation: Operation) => boolean) | undefined
  readonly storage: TestStorage

  constructor(options: Partial<LogStorageOptions> = {}) {
    this.disk = new SimDisk()
    this.disk.makeDirectory('d')
    this.storage = storageOn(this.disk, { root: 'd', ...options })
  }

  slow(): void {
    this.disk.hooks = {
      before: (operation) => {
        if (operation.kind === 'read') return
        this.operations.push(operation)
        if (this.failing?.(operation) === true) throw failure(operation)
      },
      later: (end) => this.#ends.push(end),
    }
  }

  /** Ends everything that is under way, once. */
  async endAll(): Promise<void> {
    await settled()
    for (const end of this.#ends.splice(0)) end()
    await settled()
  }

  /** Until nothing is under way any more. */
  async drain(): Promise<void> {
    do await this.endAll()
    while (this.#ends.length > 0)
  }

  count(kind: Operation['kind']): number {
    return this.operations.filter((operation) => operation.kind === kind && operation.path.endsWith('.log')).length
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const failure = ({ kind, path }: Operation): Error =>
  diskError(kind, path, Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))

test('L1 · always: acknowledged after the sync, not after the write; readers wait for it too', async () => {
  const slow = new SlowDisk()
  const log = await openLog(slow.storage.storage, 'd/t/0')
  await appendAll(log, batchOf(['a']))
  slow.slow()
  let moved = 0
  log.onAdvance(() => moved++)
  log.append(batchOf(['b']), 'client')
  let acknowledged = false
  void log.whenDurable(2)?.then(() => {
    acknowledged = true
  })
  await settled()
  assert.equal(slow.count('append'), 1)
  assert.equal(log.highWatermark, 1)
  await slow.endAll()
  assert.equal(log.whenWritten(2), undefined)
  assert.equal(slow.count('sync'), 1)
  assert.deepEqual([log.highWatermark, acknowledged, moved], [1, false, 0])
  assert.equal((await log.read(1, 100, 'log-end')).kind, 'batches')
  await slow.endAll()
  assert.deepEqual([log.highWatermark, acknowledged, moved], [2, true, 1])
  assert.equal(log.whenDurable(2), undefined)
})

test('everything that waits goes out as one write, and shares one sync', async () => {
  const slow = new SlowDisk()
  const log = await openLog(slow.storage.storage, 'd/t/0')
  await appendAll(log, batchOf(['a']))
  slow.slow()
  for (let i = 0; i < 10; i++) log.append(batchOf([`b${i}`]), 'client')
  await settled()
  assert.equal(slow.count('append'), 1)
  const { flusher } = slow.storage.storage
  assert.ok(flusher.pendingBytes > 0)
  for (let i = 0; i < 100; i++) log.append(batchOf([`c${i}`]), 'client')
  await slow.drain()
  assert.equal(slow.count('append'), 2)
  assert.equal(slow.count('sync'), 2)
  assert.equal(log.highWatermark, 111)
  assert.equal(flusher.pendingBytes, 0)
})

test('partitions are synced side by side, and a slow one does not hold up the others', async () => {
  const slow = new SlowDisk({ syncsMax: 2 })
  const logs = await Promise.all([0, 1, 2, 3].map((i) => openLog(slow.storage.storage, `d/t/${i}`)))
  for (const log of logs) await appendAll(log, batchOf(['a']))
  slow.slow()
  for (const log of logs) log.append(batchOf(['b']), 'client')
  await slow.endAll()
  assert.equal(slow.count('sync'), 2)
  await slow.endAll()
  assert.deepEqual(
    logs.map((log) => log.highWatermark),
    [2, 2, 1, 1],
  )
  await slow.drain()
  assert.deepEqual(
    logs.map((log) => log.highWatermark),
    [2, 2, 2, 2],
  )
})

for (const kind of ['sync', 'append'] as const) {
  test(`L6 · a failed ${kind} ends everything: nothing is acknowledged, nothing tried again, the owner is told`, async () => {
    const slow = new SlowDisk()
    const { storage, fatal } = slow.storage
    const [log, other] = [await openLog(storage, 'd/t/0'), await openLog(storage, 'd/t/1')]
    await appendAll(log, batchOf(['a']))
    await appendAll(other, batchOf(['a']))
    slow.slow()
    slow.failing = (operation) => operation.kind === kind && operation.path.startsWith('d/t/0/')
    log.append(batchOf(['b']), 'client')
    other.append(batchOf(['b']), 'client')
    const waiting = [log.whenDurable(2), other.whenDurable(2)]
    const outcomes = Promise.allSettled(waiting)
    await slow.drain()
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.deepEqual([log.highWatermark, other.highWatermark], [1, 1])
    assert.deepEqual(
      fatal.map(({ code }) => code),
      ['LOG_FAILED'],
    )
    const syncs = slow.count('sync')
    for (const failed of [log, other]) {
      assert.deepEqual(failed.append(batchOf(['c']), 'client'), {
        kind: 'refused',
        error: errorCodes.KAFKA_STORAGE_ERROR,
      })
    }
    await assert.rejects(async () => log.whenDurable(2), { code: 'LOG_FAILED' })
    await log.close()
    await slow.drain()
    assert.equal(slow.count('sync'), syncs)
    assert.equal(log.highWatermark, 1)
  })
}

test('interval: the high watermark follows the writes, a sync comes now and then', async () => {
  const slow = new SlowDisk({ syncPolicy: 'interval', syncIntervalMs: 500 })
  const log = await openLog(slow.storage.storage, 'd/t/0')
  slow.slow()
  for (let i = 0; i < 5; i++) {
    log.append(batchOf(['a']), 'client')
    await slow.drain()
    assert.equal(log.highWatermark, i + 1)
  }
  assert.equal(slow.count('sync'), 0)
  slow.storage.clock.advance(499)
  await slow.drain()
  assert.equal(slow.count('sync'), 0)
  slow.storage.clock.advance(1)
  await slow.drain()
  assert.equal(slow.count('sync'), 1)
  slow.storage.clock.advance(10_000)
  await slow.drain()
  assert.equal(slow.count('sync'), 1)
})

test('os: no sync, but for a segment that is closed', async () => {
  const slow = new SlowDisk({ syncPolicy: 'os' })
  const log = await openLog(slow.storage.storage, 'd/t/0', { segmentBytes: 300 })
  slow.slow()
  for (let i = 0; i < 3; i++) log.append(batchOf(['a']), 'client')
  await slow.drain()
  assert.deepEqual([log.segments.length, slow.count('sync')], [1, 0])
  log.append(batchOf(['a'.repeat(200)]), 'client')
  await slow.drain()
  assert.deepEqual([log.segments.length, slow.count('sync')], [2, 1])
})

test('producers wait when too much waits for the disk', async () => {
  const slow = new SlowDisk({ pendingBytesMax: 1_000 })
  const { flusher } = slow.storage.storage
  const log = await openLog(slow.storage.storage, 'd/t/0')
  await appendAll(log, batchOf(['a']))
  slow.slow()
  assert.equal(flusher.whenRoom(), undefined)
  for (let i = 0; i < 12; i++) log.append(batchOf([`number ${i}`, 'x'.repeat(20)]), 'client')
  const room = flusher.whenRoom()
  assert.ok(room !== undefined)
  let isFree = false
  void room.then(() => {
    isFree = true
  })
  await settled()
  assert.equal(isFree, false)
  await slow.drain()
  assert.equal(isFree, true)
  assert.equal(flusher.whenRoom(), undefined)
})

/** What the tests of the log share: small batches, a storage, a real directory that goes away again. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ManualClock } from '../../../../src/broker/clock.ts'
import { defaultLogConfig, type LogConfig } from '../../../../src/broker/log/config.ts'
import type { Disk } from '../../../../src/broker/log/disk.ts'
import { type OpenOptions, PartitionLog, type UpTo } from '../../../../src/broker/log/partition-log.ts'
import { LogStorage, type LogStorageOptions } from '../../../../src/broker/log/storage.ts'
import type { FanlaneError } from '../../../../src/errors.ts'
import { batchSize, isControl } from '../../../../src/protocol/record-batch/header.ts'
import { RecordCursor } from '../../../../src/protocol/record-batch/reader.ts'
import { type BatchFields, encodeBatch } from '../../../../src/protocol/record-batch/writer.ts'

export const startMs = 1_700_000_000_000

export function batchOf(values: readonly string[], fields: BatchFields & { timestampMs?: number } = {}): Buffer {
  const timestampMs = fields.timestampMs ?? startMs
  const records = values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs }))
  return Buffer.from(encodeBatch({ ...fields, records }))
}

export interface TestStorage {
  readonly storage: LogStorage
  readonly clock: ManualClock
  readonly fatal: FanlaneError[]
  readonly warnings: FanlaneError[]
}

export function storageOn(disk: Disk, options: Partial<LogStorageOptions> = {}): TestStorage {
  const clock = new ManualClock(startMs)
  const fatal: FanlaneError[] = []
  const warnings: FanlaneError[] = []
  const storage = new LogStorage({
    disk,
    clock,
    onFatal: (error) => fatal.push(error),
    onWarning: (warning) => warnings.push(warning),
    ...options,
  })
  return { storage, clock, fatal, warnings }
}

export function openLog(
  storage: LogStorage,
  directory: string,
  config: Partial<LogConfig> = {},
  options: Partial<OpenOptions> = {},
): Promise<PartitionLog> {
  return PartitionLog.open({
    storage,
    directory,
    config: { ...defaultLogConfig, ...config },
    leaderEpoch: 0,
    ...options,
  })
}

/** Appends, and waits until it is as durable as it gets. */
export async function appendAll(log: PartitionLog, ...batches: readonly Buffer[]): Promise<void> {
  for (const batch of batches) {
    assert.equal(log.append(batch, isControl(batch, 0) ? 'coordinator' : 'client').kind, 'appended')
  }
  await log.whenDurable(log.logEndOffset)
}

export interface ReadRecord {
  readonly offset: number
  readonly value: string
}

export async function readAll(
  log: PartitionLog,
  fromOffset: number,
  bytesMax = 1_000,
  upTo: UpTo = 'high-watermark',
): Promise<ReadRecord[]> {
  const records: ReadRecord[] = []
  const cursor = new RecordCursor()
  for (let offset = fromOffset; ; ) {
    const result = await log.read(offset, bytesMax, upTo)
    if (result.kind === 'damaged') throw result.error
    assert.equal(result.kind, 'batches', `at ${offset}`)
    if (result.kind !== 'batches' || result.bytes === 0) return records
    for (const chunk of result.chunks) {
      for (let at = 0; at < chunk.length; at += batchSize(chunk, at)) {
        cursor.reset(chunk, at, 1_000_000)
        while (cursor.next()) {
          if (cursor.offset >= fromOffset) records.push({ offset: cursor.offset, value: String(cursor.value()) })
        }
      }
    }
    assert.ok(result.nextOffset > offset)
    offset = result.nextOffset
  }
}

export const valuesOf = (records: readonly ReadRecord[]): string[] => records.map(({ value }) => value)

export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-log-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/**
 * Random logs, compacted again and again. Whatever compaction removes, a reader who asks for the latest committed value
 * of every key sees the same, and so does a broker that reads the producers out of the log after a restart. And a crash at
 * any operation of the disk while a partition is compacted loses and invents nothing.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactBatches, compactPartition } from '../../../src/broker/log/compaction.ts'
import type { PartitionLog } from '../../../src/broker/log/partition-log.ts'
import { ProducerStates } from '../../../src/broker/log/producer-state.ts'
import { controlBatch, readMarker } from '../../../src/protocol/record-batch/control.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { encodeBatch } from '../../../src/protocol/record-batch/writer.ts'
import { type Capture, SimDisk } from '../../support/sim-disk.ts'
import { openLog, startMs, storageOn } from './log/support.ts'

const retentionMs = 10

/** Latest committed value of every key, as a read_committed reader finds it with the list of aborted transactions. */
function view(batches: readonly Buffer[], states: ProducerStates): Map<string, string | null> {
  const found = new Map<string, string | null>()
  const aborted = [...states.abortedBetween(0, Number.MAX_SAFE_INTEGER)].sort((a, b) => a.firstOffset - b.firstOffset)
  const skipping = new Set<number>()
  const cursor = new RecordCursor()
  for (const batch of batches) {
    while ((aborted[0]?.firstOffset ?? Number.POSITIVE_INFINITY) <= header.lastOffset(batch, 0)) {
      skipping.add(aborted.shift()!.producerId)
    }
    const producer = header.producerId(batch, 0)
    if (header.isControl(batch, 0)) {
      if (readMarker(batch, 0)?.kind === 'abort') skipping.delete(producer)
      continue
    }
    if (header.isTransactional(batch, 0) && skipping.has(producer)) continue
    cursor.reset(batch, 0, 1e6)
    while (cursor.next()) found.set(cursor.key()!.toString(), cursor.value()?.toString() ?? null)
  }
  // A tombstone and nothing at all are the same to this reader.
  for (const [key, value] of found) if (value === null) found.delete(key)
  return found
}

function rebuilt(batches: readonly Buffer[]): ProducerStates {
  const states = new ProducerStates()
  for (const batch of batches) states.apply(batch, 0)
  return states
}

const key = fc.integer({ min: 0, max: 4 })
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      /** 0 has no producer id, 1 is idempotent, the others are transactional. */
      producer: fc.integer({ min: 0, max: 3 }),
      records: fc.array(fc.record({ key, isTombstone: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      compression: fc.constantFrom(0, 1, 4),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      producer: fc.integer({ min: 2, max: 3 }),
      commit: fc.boolean(),
      raise: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('compact' as const),
      afterMs: fc.integer({ min: 0, max: 12 }),
      keyBytesMax: fc.constantFrom(100, 1e6),
    }),
  },
)

test('Q3 · I9 · compaction changes neither the latest committed value of a key nor what is known of producers', () => {
  let removed = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let batches: Buffer[] = []
      const states = new ProducerStates()
      const epochs = [0, 0, 0, 0]
      const sequences = [0, 0, 0, 0]
      let [end, value, nowMs, cleanTo] = [0, 0, 100, 0]
      const add = (batch: Buffer): void => {
        header.setBaseOffset(batch, 0, end)
        states.apply(batch, 0)
        batches.push(batch)
        end = header.lastOffset(batch, 0) + 1
      }
      for (const s of steps) {
        if (s.do === 'write') {
          const { producer } = s
          const records = s.records.map(({ key, isTombstone }) => ({
            key: Buffer.from(`k${key}`),
            value: isTombstone ? null : Buffer.from(`${value++}`),
            timestampMs: nowMs,
          }))
          const isKnown = producer > 0
          add(
            encodeBatch({
              records,
              compression: s.compression,
              transactional: producer > 1,
              ...(isKnown
                ? { producerId: producer, producerEpoch: epochs[producer]!, baseSequence: sequences[producer]! }
                : {}),
            }),
          )
          sequences[producer]! += records.length
        } else if (s.do === 'end') {
          if (s.raise) {
            epochs[s.producer]!++
            sequences[s.producer] = 0
          }
          const marker = { producerId: s.producer, producerEpoch: epochs[s.producer]!, timestampMs: nowMs }
          add(controlBatch({ kind: s.commit ? 'commit' : 'abort', coordinatorEpoch: 0, ...marker }))
        } else {
          nowMs += s.afterMs
          const endOffset = Math.min(end, states.firstUndecidedOffset)
          const cleanable = batches.filter((batch) => header.lastOffset(batch, 0) < endOffset)
          const rest = batches.slice(cleanable.length)
          if (cleanable.length === 0 || cleanTo >= endOffset) continue
          const before = view(cleanable, states)
          const done = compactBatches(cleanable, {
            firstDirtyOffset: cleanTo,
            endOffset,
            aborted: states.aborted,
            lastOf: (id) => states.lastOf(id),
            deleteRetentionMs: retentionMs,
            nowMs,
            keyBytesMax: s.keyBytesMax,
          })
          states.forgetAborted(done.emptyAborts)
          assert.ok(done.cleanTo > cleanTo, 'it gets on')
          cleanTo = done.cleanTo
          removed += cleanable.length - done.batches.length
          assert.deepEqual(view(done.batches, states), before)
          batches = [...done.batches, ...rest]
          const known = rebuilt(batches)
          assert.deepEqual(view(done.batches, known), before, 'after a restart')
          assert.equal(known.firstUndecidedOffset, states.firstUndecidedOffset)
          const essence = (of: ProducerStates) =>
            of
              .describe()
              .map(({ producerId, producerEpoch, lastSequence }) => ({ producerId, producerEpoch, lastSequence }))
          assert.deepEqual(new Set(essence(known)), new Set(essence(states)))
          let last = -1
          for (const batch of batches) {
            assert.ok(header.crcMatches(batch, 0) && header.baseOffset(batch, 0) > last)
            last = header.lastOffset(batch, 0)
          }
          assert.equal(last, end - 1, 'the log does not shrink')
        }
      }
    }),
    { numRuns: 600, seed: 4 },
  )
  assert.ok(removed > 1_000, `${removed} batches removed`)
})

// ── Crashes ────────────────────────────────────────────────────────────────────────────────────────────────────────

const settings = {
  deleteRetentionMs: 86_400_000,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  minCleanableDirtyRatio: 0,
  segmentBytes: 400,
}

const open = (disk: SimDisk): Promise<PartitionLog> =>
  openLog(storageOn(disk).storage, 'data/t/0', { compacts: true, deletes: false, segmentBytes: 200 })

async function latest(log: PartitionLog): Promise<{ values: Map<string, string>; end: number }> {
  const values = new Map<string, string>()
  const cursor = new RecordCursor()
  let previous = -1
  for (let offset = log.logStartOffset; offset < log.logEndOffset; ) {
    const read = await log.read(offset, 100_000, 'log-end')
    assert.equal(read.kind, 'batches')
    if (read.kind !== 'batches' || read.bytes === 0) break
    for (const chunk of read.chunks) {
      for (let at = 0; at < chunk.length; at += header.batchSize(chunk, at)) {
        cursor.reset(chunk, at, 1e6)
        while (cursor.next()) {
          assert.ok(cursor.offset > previous, 'no record twice')
          previous = cursor.offset
          values.set(cursor.key()!.toString(), cursor.value()!.toString())
        }
      }
    }
    offset = read.nextOffset
  }
  return { values, end: log.logEndOffset }
}

test('L3 · Q3 · a crash at any moment of a compaction loses nothing, and the next one completes it', async () => {
  const captures: Capture[] = []
  let isWatching = false
  const disk: SimDisk = new SimDisk({
    before: () => {
      if (isWatching) captures.push(disk.capture())
    },
  })
  disk.makeDirectory('data/t/0')
  await disk.syncDirectory('data/t')
  await disk.syncDirectory('data')
  const log = await open(disk)
  for (let n = 0; n < 24; n++) {
    const record = { key: Buffer.from(`k${n % 5}`), value: Buffer.from(`${n} ${'x'.repeat(20)}`), timestampMs: startMs }
    assert.equal(log.append(encodeBatch({ records: [record] }), 'client').kind, 'appended')
  }
  await log.whenDurable(log.logEndOffset)
  const expected = await latest(log)
  isWatching = true
  assert.equal(await compactPartition(log, settings, startMs), true)
  isWatching = false
  assert.deepEqual(await latest(log), expected)
  assert.ok(captures.length > 20)
  let seed = 1
  const flip = (): boolean => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed >= 2 ** 31
  }
  for (const capture of captures) {
    for (const crashed of [
      capture.processCrash(),
      capture.machineCrash(() => false),
      capture.machineCrash(flip),
      capture.machineCrash(flip),
    ]) {
      const again = await open(new SimDisk({}, crashed))
      assert.equal(again.damage, undefined)
      assert.deepEqual(await latest(again), expected)
      await compactPartition(again, settings, startMs)
      assert.deepEqual(await latest(again), expected)
      await again.close()
    }
  }
})

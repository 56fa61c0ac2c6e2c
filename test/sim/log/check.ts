/**
 * Opens a log as a crash left it and compares it with the model.
 *
 * L1 everything acknowledged as durable is there · L2 nothing is there that was not appended · L3 no gap · L4 nothing has
 * changed · L5 the log opens, takes appends, and a second crash changes nothing any more.
 */
import type { ManualClock } from '../../../src/broker/clock.ts'
import { defaultLogConfig } from '../../../src/broker/log/config.ts'
import { PartitionLog } from '../../../src/broker/log/partition-log.ts'
import { LogStorage } from '../../../src/broker/log/storage.ts'
import { batchSize, lastOffset, maxTimestamp } from '../../../src/protocol/record-batch/header.ts'
import { type Capture, SimDisk } from '../../support/sim-disk.ts'
import { batchOf } from './batches.ts'
import { describeProducers, type ModelBatch, type PartitionModel, type Promises } from './model.ts'
import type { Scenario } from './scenario.ts'

export class Violation extends Error {
  readonly invariant: string

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.name = 'Violation'
    this.invariant = invariant
  }
}

export function demand(holds: boolean, invariant: string, message: () => string): asserts holds {
  if (!holds) throw new Violation(invariant, message())
}

/** A disk as a crash left it, and what had been promised about one partition on it. */
export interface Crash {
  readonly capture: Capture
  readonly directory: string
  readonly model: PartitionModel
  readonly promises: Promises
  readonly leaderEpoch: number
  readonly thorough: boolean
}

/** Open it, compare, go on writing, crash again. */
export async function checkCrash(
  crash: Crash,
  scenario: Scenario,
  clock: ManualClock,
  random: () => number,
): Promise<void> {
  const { directory, model, promises, leaderEpoch } = crash
  const open = (capture: Capture, epoch: number): Promise<Opened> => opening(capture, scenario, clock, directory, epoch)
  const { disk, log, during } = await open(crash.capture, leaderEpoch)
  const { logStartOffset: start, logEndOffset: end } = log
  demand(log.damage === undefined, 'L5', () => `takes a crash for damage: ${log.damage?.message}`)
  demand(start >= promises.startMin, 'L1', () => `starts at ${start}, deleted up to ${promises.startMin}`)
  demand(start <= promises.startMax, 'L1', () => `starts at ${start}, at most ${promises.startMax} was deleted`)
  demand(end >= promises.durable, 'L1', () => `ends at ${end}, acknowledged up to ${promises.durable}`)
  const count = model.countBelow(end)
  const appended = model.batches.slice(0, promises.appended)
  demand(count <= appended.length, 'L2', () => `ends at ${end}, appended were ${appended.length} batches`)
  const boundary = count === 0 ? 0 : (appended[count - 1] as ModelBatch).lastOffset + 1
  demand(end === boundary || end === start, 'L3', () => `ends at ${end}, inside the batch that ends at ${boundary}`)
  demand(log.highWatermark === end, 'L5', () => `the high watermark is ${log.highWatermark}, the end ${end}`)
  await checkContent(log, model, start, end, 100_000)
  checkEpochs(log, model, count, start, end, leaderEpoch)
  const producers = describeProducers(log.producers)
  demand(
    producers === model.producersAfter(count),
    'L4',
    () => `producers ${producers}, not ${model.producersAfter(count)}`,
  )
  if (!crash.thorough) return
  const interrupted = during[Math.floor(random() * during.length)]
  if (interrupted !== undefined) {
    // A crash while the log was being opened after a crash.
    const capture = interrupted.machineCrash(() => random() < 0.5)
    await checkCrash({ ...crash, capture, thorough: false }, scenario, clock, random)
  }
  await checkSegments(log)
  await checkSearching(log, model, start, end, count, random)

  // What the log has shown is there for good.
  const again = await open(disk.capture().machineCrash(nothingKept), leaderEpoch + 1)
  const [start2, end2] = [again.log.logStartOffset, again.log.logEndOffset]
  demand(start2 === start && end2 === end, 'L1', () => `was ${start}–${end}, a second recovery gives ${start2}–${end2}`)
  await checkContent(again.log, model, start, end, 1)

  const batch = batchOf(['after the crash'], clock.now())
  const result = log.append(batch, 'client')
  demand(
    result.kind === 'appended' && result.baseOffset === end,
    'L5',
    () => `append at ${end}: ${JSON.stringify(result)}`,
  )
  await log.whenDurable(end + 1)
  if (scenario.syncPolicy !== 'always') await log.checkpoint()
  const third = await open(disk.capture().machineCrash(nothingKept), leaderEpoch + 1)
  demand(third.log.logEndOffset === end + 1, 'L1', () => `appended at ${end}, lost by the next crash`)
  const read = await third.log.read(end, 1_000, 'high-watermark')
  demand(read.kind === 'batches' && Buffer.concat(read.chunks).equals(batch), 'L4', () => `appended at ${end}, changed`)
}

const nothingKept = (): boolean => false

interface Opened {
  readonly disk: SimDisk
  readonly log: PartitionLog
  /** Moments at which opening could have been interrupted. */
  readonly during: readonly Capture[]
}

async function opening(
  capture: Capture,
  scenario: Scenario,
  clock: ManualClock,
  directory: string,
  leaderEpoch: number,
): Promise<Opened> {
  const during: Capture[] = []
  const disk = new SimDisk({}, capture)
  disk.hooks = {
    before: ({ kind }) => {
      if (kind !== 'read') during.push(disk.capture())
    },
  }
  const storage = new LogStorage({
    disk,
    clock,
    root: 'd',
    syncPolicy: scenario.syncPolicy,
    tailCacheBytesMax: 0,
    checkpointBytes: scenario.checkpointBytes,
    onFatal: (error) => {
      throw error
    },
  })
  const config = { ...defaultLogConfig, ...scenario.config }
  try {
    const log = await PartitionLog.open({ storage, directory, config, leaderEpoch })
    disk.hooks = {}
    return { disk, log, during }
  } catch (error) {
    throw new Violation('L5', `the log does not open: ${(error as Error).stack}`)
  }
}

/** Every offset is in one segment: no old one has come back beside what took its place. */
async function checkSegments(log: PartitionLog): Promise<void> {
  for (const [index, segment] of log.segments.slice(0, -1).entries()) {
    const next = log.segments[index + 1]?.baseOffset ?? 0
    await log.scanSegment(segment, (buffer, at) => {
      const last = lastOffset(buffer, at)
      demand(
        last < next,
        'L2',
        () => `offset ${last} is in the segment of ${segment.baseOffset} and in that of ${next}`,
      )
      return undefined
    })
  }
}

/** Reading from anywhere, by offset and by time: whatever the indexes say, the right batch comes. */
async function checkSearching(
  log: PartitionLog,
  model: PartitionModel,
  start: number,
  end: number,
  count: number,
  random: () => number,
): Promise<void> {
  for (let tries = 0; tries < 3 && end > start; tries++) {
    const offset = start + Math.floor(random() * (end - start))
    const read = await log.read(offset, 1, 'high-watermark')
    const { bytes, baseOffset } = model.batches[model.indexOf(offset)] as ModelBatch
    const isRight = read.kind === 'batches' && Buffer.concat(read.chunks).equals(bytes)
    demand(
      isRight,
      'L4',
      () => `reading at ${offset} does not give the batch at ${baseOffset}: ${JSON.stringify(read)}`,
    )
    const wanted = maxTimestamp(bytes, 0) + (random() < 0.5 ? 0 : 1)
    const candidates = model.batches.slice(model.indexOf(start), count)
    const match = candidates.find((batch) => maxTimestamp(batch.bytes, 0) >= wanted)
    const expected = match === undefined ? -1 : Math.max(start, match.baseOffset)
    const found = (await log.offsetForTimestamp(wanted))?.offset ?? -1
    demand(found === expected, 'L4', () => `time ${wanted} is at ${expected}, found at ${found}`)
  }
}

async function checkContent(
  log: PartitionLog,
  model: PartitionModel,
  start: number,
  end: number,
  bytesMax: number,
): Promise<void> {
  let index = model.indexOf(start)
  for (let offset = start; offset < end; ) {
    const read = await log.read(offset, bytesMax, 'high-watermark')
    demand(
      read.kind === 'batches' && read.bytes > 0,
      'L1',
      () => `nothing to read at ${offset}: ${JSON.stringify(read)}`,
    )
    for (const chunk of read.chunks) {
      for (let at = 0; at < chunk.length; index++) {
        const expected = model.batches[index]
        const size = batchSize(chunk, at)
        demand(expected !== undefined, 'L2', () => `a batch behind the last one at ${offset}`)
        const { bytes } = expected
        const same = size === bytes.length && bytes.compare(chunk, at, at + size) === 0
        demand(same, 'L4', () => `the batch at ${expected.baseOffset} is not what was appended`)
        at += size
      }
    }
    offset = read.nextOffset
  }
}

function checkEpochs(
  log: PartitionLog,
  model: PartitionModel,
  count: number,
  start: number,
  end: number,
  leaderEpoch: number,
): void {
  for (const { baseOffset, leaderEpoch: epoch } of model.batches.slice(0, count)) {
    if (baseOffset < start) continue
    const found = log.epochAt(baseOffset)
    demand(found === epoch, 'L4', () => `offset ${baseOffset} was written in epoch ${epoch}, the table says ${found}`)
  }
  const last = log.endOffsetFor(leaderEpoch)
  demand(last.endOffset === end, 'L4', () => `epoch ${leaderEpoch} ends at ${last.endOffset}, the log at ${end}`)
}

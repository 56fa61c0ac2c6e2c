/**
 * One life of a broker's logs on a simulated disk, from the opening to a stop, a failure of the disk, or a crash. Every
 * operation of the disk is a moment at which it could have crashed; each is kept with what had been promised by then.
 */
import type { ManualClock } from '../../../src/broker/clock.ts'
import { defaultLogConfig } from '../../../src/broker/log/config.ts'
import { diskError } from '../../../src/broker/log/disk.ts'
import { PartitionLog } from '../../../src/broker/log/partition-log.ts'
import type { CleanedFile } from '../../../src/broker/log/replacement.ts'
import { LogStorage } from '../../../src/broker/log/storage.ts'
import { controlBatch } from '../../../src/protocol/record-batch/control.ts'
import { blockBytes, type Capture, type Operation, SimDisk } from '../../support/sim-disk.ts'
import { batchOf } from './batches.ts'
import { Violation } from './check.ts'
import type { PartitionModel, Promises } from './model.ts'
import type { Scenario } from './scenario.ts'

export interface Moment {
  readonly capture: Capture
  readonly operation: Operation | undefined
  readonly promises: readonly Promises[]
}

interface Producer {
  readonly id: number
  epoch: number
  nextSequence: number
  isOpen: boolean
}

interface Partition {
  readonly directory: string
  readonly model: PartitionModel
  readonly log: PartitionLog
  readonly producers: Producer[]
  /** Below this everything was promised to be durable, whatever the policy. */
  durable: number
  raising: number
  isReplacing: boolean
}

export const directoryOf = (partition: number): string => `d/t/${partition}`

export class Life {
  readonly moments: Moment[] = []
  readonly disk: SimDisk
  readonly #scenario: Scenario
  readonly #clock: ManualClock
  readonly #random: () => number
  readonly #leaderEpoch: number
  readonly #models: readonly PartitionModel[]
  readonly #outstanding: (() => void)[] = []
  #storage: LogStorage
  #partitions: Partition[] = []
  #failAt: number
  #operations = 0
  #isOver = false
  #error: unknown

  constructor(
    capture: Capture | undefined,
    scenario: Scenario,
    models: readonly PartitionModel[],
    leaderEpoch: number,
    random: () => number,
    clock: ManualClock,
  ) {
    this.#scenario = scenario
    this.#clock = clock
    this.#random = random
    this.#leaderEpoch = leaderEpoch
    this.#models = models
    this.#failAt =
      scenario.failsWith === 'nothing'
        ? Number.POSITIVE_INFINITY
        : 1 + Math.floor(random() * (scenario.failsIn === 'any' ? 50 : 12))
    this.disk = new SimDisk({}, capture)
    if (capture === undefined) this.disk.makeDirectory('d')
    this.#storage = new LogStorage({
      disk: this.disk,
      clock,
      root: 'd',
      syncPolicy: scenario.syncPolicy,
      tailCacheBytesMax: random() < 0.5 ? 0 : 10_000,
      checkpointBytes: scenario.checkpointBytes,
      onFatal: () => {
        this.#isOver = true
      },
    })
  }

  /** Whether the disk failed. */
  get hasFailed(): boolean {
    return this.#isOver
  }

  async run(): Promise<void> {
    await this.#open()
    this.disk.hooks = {
      before: (operation) => this.#before(operation),
      ...(this.#scenario.slowDisk ? { later: (end: () => void) => this.#outstanding.push(end) } : {}),
    }
    for (let step = 0; step < this.#scenario.stepsPerLife && !this.#isOver; step++) {
      if (this.#outstanding.length > 0 && this.#random() < 0.7) this.#endOne()
      else this.#act()
      await settled()
      if (this.#error !== undefined) throw this.#error
    }
    if (!this.#isOver && this.#random() < 0.3) await this.#close()
    if (this.#error !== undefined) throw this.#error
    this.#keep(undefined)
    // Nothing that still happens belongs to this life.
    this.disk.hooks = {}
  }

  async #open(): Promise<void> {
    for (const [index, model] of this.#models.entries()) {
      const directory = directoryOf(index)
      const config = { ...defaultLogConfig, ...this.#scenario.config }
      const options = { storage: this.#storage, directory, config, leaderEpoch: this.#leaderEpoch }
      const log = await PartitionLog.open(options)
      // What the crash took away is gone; what the log shows now it has promised.
      model.truncate(log.logEndOffset)
      model.startAcknowledged = log.logStartOffset
      const known = new Map(log.producers.describe().map((producer) => [producer.producerId, producer]))
      const producers = [1, 2, 3].map((id): Producer => {
        const found = known.get(id)
        return {
          id,
          epoch: found?.producerEpoch ?? 0,
          nextSequence: (found?.lastSequence ?? -1) + 1,
          isOpen: (found?.openTransactionFrom ?? -1) >= 0,
        }
      })
      this.#partitions.push({
        directory,
        model,
        log,
        producers,
        durable: log.logEndOffset,
        raising: 0,
        isReplacing: false,
      })
    }
  }

  #before(operation: Operation): void {
    if (operation.kind === 'read') return
    this.#keep(operation)
    const { failsIn } = this.#scenario
    if (failsIn === 'any' || (operation.kind === failsIn && operation.path.endsWith('.log'))) this.#operations++
    if (this.#operations < this.#failAt) return
    this.#failAt = Number.POSITIVE_INFINITY
    const bytes = operation.kind === 'append' ? operation.bytes.length : 0
    const code = operation.kind === 'sync' ? 'EIO' : this.#scenario.failsWith
    const cause = Object.assign(new Error(`${code}: the disk failed`), { code })
    throw Object.assign(diskError(operation.kind, operation.path, cause), {
      bytesDone: Math.floor(this.#random() * bytes),
    })
  }

  #keep(operation: Operation | undefined): void {
    const promises = this.#partitions.map(({ model, log, durable }): Promises => {
      const promised = this.#scenario.syncPolicy === 'always' ? log.highWatermark : durable
      return {
        appended: model.batches.length,
        durable: promised,
        startMin: model.startAcknowledged,
        startMax: log.logStartOffset,
      }
    })
    this.moments.push({ capture: this.disk.capture(), operation, promises })
  }

  #endOne(): void {
    const [end] = this.#outstanding.splice(Math.floor(this.#random() * this.#outstanding.length), 1)
    end?.()
  }

  async #close(): Promise<void> {
    const closing = Promise.all(this.#partitions.map(({ log }) => log.close()))
    let isDone = false
    closing.then(
      () => {
        isDone = true
      },
      (error: unknown) => {
        isDone = true
        if (!this.#isOver) this.#error = error
      },
    )
    for (await settled(); !isDone && !this.#isOver; await settled()) this.#endOne()
  }

  #act(): void {
    const random = this.#random
    const partition = this.#partitions[Math.floor(random() * this.#partitions.length)] as Partition
    const { deletes, retains, replaces } = this.#scenario
    this.#clock.advance(Math.floor(random() * 5))
    let dice = random()
    const falls = (chance: number): boolean => {
      dice -= chance
      return dice < 0
    }
    if (deletes && falls(0.1)) this.#delete(partition)
    else if (retains && falls(0.08)) this.#raise(partition, partition.log.applyRetention(this.#clock.now()))
    else if (replaces && falls(0.2)) this.#run(this.#replace(partition))
    else if (falls(0.07)) this.#checkpoint(partition)
    else for (let count = 1 + Math.floor(random() * 3); count > 0; count--) this.#append(partition)
  }

  #append(partition: Partition): void {
    const { log, model } = partition
    const { batch, origin, done } = this.#nextBatch(partition)
    const result = log.append(batch, origin)
    if (result.kind === 'refused' && this.#isOver) return
    if (result.kind !== 'appended') {
      this.#error ??= new Violation('L5', `an append at ${log.logEndOffset} gave ${JSON.stringify(result)}`)
      return
    }
    done()
    model.append(batch, result.baseOffset, result.lastOffset, log.leaderEpoch)
  }

  #nextBatch({ producers, model, log }: Partition): {
    batch: Buffer
    origin: 'client' | 'coordinator'
    done: () => void
  } {
    const random = this.#random
    const size =
      this.#scenario.largeBatches && random() < 0.3 ? Math.floor(random() * 1_500) : Math.floor(random() * 20)
    const values = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) => `${model.end}.${i}`.padEnd(size, '.'))
    if (this.#scenario.alignsBatches) align(values, log.segments.at(-1)?.size ?? 0)
    const timestampMs = this.#clock.now() - Math.floor(random() * 20)
    const producer = producers[Math.floor(random() * producers.length)] as Producer
    if (!this.#scenario.producers || random() < 0.3) {
      return { batch: batchOf(values, timestampMs), origin: 'client', done: () => undefined }
    }
    const { id: producerId, epoch: producerEpoch } = producer
    if (producer.isOpen && random() < 0.4) {
      const kind = random() < 0.5 ? 'commit' : 'abort'
      const batch = controlBatch({ kind, producerId, producerEpoch, timestampMs, coordinatorEpoch: 0 })
      const done = (): void => {
        producer.isOpen = false
      }
      return { batch: Buffer.from(batch), origin: 'coordinator', done }
    }
    const transactional = producer.isOpen || random() < 0.5
    const fields = { producerId, producerEpoch, baseSequence: producer.nextSequence, transactional }
    const done = (): void => {
      producer.nextSequence += values.length
      producer.isOpen = transactional
    }
    return { batch: batchOf(values, timestampMs, fields), origin: 'client', done }
  }

  #delete(partition: Partition): void {
    const { log } = partition
    const room = log.highWatermark - log.logStartOffset
    if (room <= 0) return
    const offset = log.logStartOffset + 1 + Math.floor(this.#random() * room)
    this.#raise(partition, log.deleteRecordsBefore(offset))
  }

  /** The log start rises; it is acknowledged when this ends, if nothing else raises it at the same time. */
  #raise(partition: Partition, raising: Promise<unknown>): void {
    partition.raising++
    const work = raising.then(() => {
      if (partition.raising === 1) partition.model.startAcknowledged = partition.log.logStartOffset
    })
    this.#run(
      work.finally(() => {
        partition.raising--
      }),
    )
  }

  #checkpoint(partition: Partition): void {
    const end = partition.log.logEndOffset
    const done = (): void => {
      partition.durable = Math.max(partition.durable, end)
    }
    this.#run(partition.log.checkpoint().then(done))
  }

  /** Compaction that finds nothing to remove: some closed segments become one. */
  async #replace(partition: Partition): Promise<void> {
    if (partition.isReplacing) return
    partition.isReplacing = true
    try {
      await this.#replaceSome(partition)
    } finally {
      partition.isReplacing = false
    }
  }

  async #replaceSome({ log }: Partition): Promise<void> {
    const closed = log.closedSegments()
    const first = Math.floor(this.#random() * Math.max(1, closed.length - 1))
    const old = closed.slice(first, first + 1 + Math.floor(this.#random() * 4))
    if (old.length === 0) return
    const pieces: Buffer[] = []
    for (const segment of old) {
      await log.scanSegment(segment, (buffer, at, size) => {
        pieces.push(Buffer.from(buffer.subarray(at, at + size)))
        return undefined
      })
    }
    let cleaned: CleanedFile
    try {
      cleaned = await log.createCleaned(old)
      if (pieces.length > 0) await cleaned.file.append(pieces)
    } catch {
      // The disk failed while nothing depended on it: compaction is tried again some other day.
      return
    }
    await log.replaceSegments(old, cleaned)
  }

  #run(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#isOver) this.#error ??= error
    })
  }
}

/** Makes the last value longer, so that the next batch begins eight bytes before the end of a block. */
function align(values: string[], position: number): void {
  const last = values.length - 1
  // A longer value may need a longer length field: a second try settles it.
  for (let tries = 0; tries < 3; tries++) {
    const end = position + batchOf(values, 0).length
    const missing = (2 * blockBytes - 8 - (end % blockBytes)) % blockBytes
    values[last] = (values[last] as string).padEnd((values[last] as string).length + missing, '.')
  }
}

/** Everything that can happen without the disk has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

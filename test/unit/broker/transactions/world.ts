/**
 * A coordinator with the logs around it, all in memory. Each log is a file that keeps what was synced; what was written
 * since may or may not survive a crash, each file by itself, always as a prefix.
 */
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '../../../../src/broker/clock.ts'
import { type Origin, ProducerStates, type Verdict } from '../../../../src/broker/log/producer-state.ts'
import { offsetsTopic } from '../../../../src/broker/topics/names.ts'
import { type CoordinatorSettings, TransactionCoordinator } from '../../../../src/broker/transactions/coordinator.ts'
import type { OpenTransaction, StateRecord, TransactionMarker } from '../../../../src/broker/transactions/ports.ts'
import { controlBatch } from '../../../../src/protocol/record-batch/control.ts'
import { setBaseOffset } from '../../../../src/protocol/record-batch/header.ts'
import { type DataBatch, data } from '../producer-state-batches.ts'

/** An append-only file. */
export class MemoryFile<T> {
  readonly entries: T[]
  synced: number
  #waiting: { readonly upTo: number; readonly done: () => void }[] = []

  constructor(kept: readonly T[] = []) {
    this.entries = [...kept]
    this.synced = this.entries.length
  }

  append(...entries: T[]): Promise<void> {
    this.entries.push(...entries)
    return new Promise((done) => this.#waiting.push({ upTo: this.entries.length, done }))
  }

  get isDirty(): boolean {
    return this.synced < this.entries.length
  }

  sync(): void {
    this.synced = this.entries.length
    const waiting = this.#waiting
    this.#waiting = []
    for (const { done } of waiting) done()
  }
}

export interface Written {
  readonly batch: Buffer
  /** For the test's own book: which transaction wrote it, or which way a marker goes. */
  readonly note: string
}

export class WorldPartition {
  readonly file: MemoryFile<Written>
  readonly states: ProducerStates = new ProducerStates({ verifyTransactions: true })
  end = 0

  constructor(kept: readonly Written[] = []) {
    this.file = new MemoryFile(kept)
    for (const { batch } of kept) this.#apply(batch)
  }

  #apply(batch: Buffer): void {
    this.states.apply(batch, 0)
    this.end += batch.readInt32BE(23) + 1
  }

  write(batch: Buffer, note: string): Promise<void> {
    setBaseOffset(batch, 0, this.end)
    this.#apply(batch)
    return this.file.append({ batch, note })
  }
}

export interface WriteResult {
  readonly verdict: Verdict
  readonly durable: Promise<void>
}

/** Which entries of each file survive. */
export interface Remains {
  readonly state: readonly StateRecord[]
  readonly partitions: ReadonlyMap<string, readonly Written[]>
}

export class World {
  readonly clock: ManualClock = new ManualClock(1_000_000)
  readonly state: MemoryFile<StateRecord>
  readonly partitions: Map<string, WorldPartition> = new Map()
  readonly coordinator: TransactionCoordinator
  /** Markers for these topics wait. */
  readonly held: Set<string> = new Set()
  #heldMarkers: (() => void)[] = []
  /** How many of the next appends to the state log, and markers, fail. */
  failAppends = 0
  failMarkers = 0
  /** Off: somebody calls `sync` on the files. */
  autoSync = true
  nextId: number

  constructor(
    topics: Readonly<Record<string, number>>,
    settings: Partial<CoordinatorSettings> = {},
    remains: Remains = { state: [], partitions: new Map() },
    nextId = 100,
  ) {
    this.nextId = nextId
    this.state = new MemoryFile(remains.state)
    for (const [topic, count] of Object.entries({ ...topics, [offsetsTopic]: 1 })) {
      for (let n = 0; n < count; n++) {
        this.partitions.set(`${topic}/${n}`, new WorldPartition(remains.partitions.get(`${topic}/${n}`)))
      }
    }
    this.coordinator = new TransactionCoordinator(
      {
        stateLog: {
          append: (records) => {
            if (this.failAppends-- > 0) return Promise.reject(new Error('the disk is full'))
            return this.#syncing(this.state.append(...records), this.state)
          },
        },
        partitions: {
          partitionExists: (topic, partition) => this.partitions.has(`${topic}/${partition}`),
          appendMarker: (topic, partition, marker) => this.#mark(topic, partition, marker),
          offsetsPartitionOf: () => 0,
        },
        producerIds: { nextProducerId: () => this.nextId++ },
        clock: this.clock,
      },
      { coordinatorEpoch: 1, endWaitMaxMs: 0, ...settings },
    )
    for (const { key, value } of this.state.entries) this.coordinator.replay(key, value)
    this.coordinator.start(this.open())
  }

  open(): OpenTransaction[] {
    const found: OpenTransaction[] = []
    for (const [key, { states }] of this.partitions) {
      const [topic, partition] = key.split('/')
      for (const { producerId, producerEpoch, openTransactionFrom } of states.describe()) {
        if (openTransactionFrom < 0) continue
        found.push({ topic: topic!, partition: Number(partition), producerId, producerEpoch })
      }
    }
    return found
  }

  partition(topic: string, partition: number): WorldPartition {
    return this.partitions.get(`${topic}/${partition}`)!
  }

  /** As a produce handler does it: ask the log, ask the coordinator, write, all in one step. */
  produce(
    version: number,
    transactionalId: string | null,
    topic: string,
    partition: number,
    fields: DataBatch,
    note = '',
  ): WriteResult {
    const { producerId, epoch } = fields
    return this.#write(this.partition(topic, partition), 'client', version >= 12, fields, note, () => {
      const claim = { transactionalId, producerId, producerEpoch: epoch }
      return this.coordinator.verifyPartition({ version, topic, partition, ...claim })
    })
  }

  /** Offsets in a transaction: the group coordinator writes them, so they have no sequence numbers. */
  commitOffsets(version: number, transactionalId: string, producerId: number, epoch: number, note = ''): WriteResult {
    const fields = { producerId, epoch, sequence: -1, transactional: true }
    return this.#write(this.partition(offsetsTopic, 0), 'coordinator', version >= 5, fields, note, () => {
      const claim = { transactionalId, producerId, producerEpoch: epoch }
      return this.coordinator.verifyOffsets({ version, groupId: 'g', ...claim })
    })
  }

  #write(
    log: WorldPartition,
    origin: Origin,
    raisesEpochs: boolean,
    fields: DataBatch,
    note: string,
    ask: () => number,
  ): WriteResult {
    const batch = data(fields)
    const refuse = (error: number) => ({ verdict: { kind: 'refused', error } as const, durable: Promise.resolve() })
    if (fields.transactional === true) {
      const asked = log.states.startVerification(batch, raisesEpochs, this.clock.now())
      if (asked.kind === 'refused') return refuse(asked.error)
      if (asked.kind === 'needed') {
        const error = ask()
        if (error !== 0) return refuse(error)
        log.states.confirmVerification(asked.guard)
      }
    }
    const verdict = log.states.check(batch, origin, this.clock.now())
    if (verdict.kind !== 'append') return { verdict, durable: Promise.resolve() }
    return { verdict, durable: this.#syncing(log.write(batch, note), log.file) }
  }

  #mark(topic: string, partition: number, marker: TransactionMarker): Promise<void> {
    if (this.held.has(topic)) {
      return new Promise((resolve, reject) => {
        this.#heldMarkers.push(() => this.#mark(topic, partition, marker).then(resolve, reject))
      })
    }
    if (this.failMarkers-- > 0) return Promise.reject(new Error('the disk is full'))
    const log = this.partition(topic, partition)
    const batch = controlBatch({ ...marker, timestampMs: this.clock.now() })
    if (log.states.check(batch, 'coordinator', this.clock.now()).kind !== 'append') return Promise.resolve()
    return this.#syncing(log.write(batch, marker.kind), log.file)
  }

  releaseMarkers(): void {
    const waiting = this.#heldMarkers
    this.held.clear()
    this.#heldMarkers = []
    for (const write of waiting) write()
  }

  #syncing(durable: Promise<void>, file: MemoryFile<unknown>): Promise<void> {
    if (this.autoSync) file.sync()
    return durable
  }

  get files(): MemoryFile<unknown>[] {
    return [this.state, ...[...this.partitions.values()].map(({ file }) => file)]
  }

  syncAll(): void {
    for (const file of this.files) file.sync()
  }

  /** Until nothing moves any more. */
  async settle(): Promise<void> {
    do {
      if (this.autoSync) this.syncAll()
      await setImmediate()
    } while (this.autoSync && this.files.some((file) => file.isDirty))
  }
}

/**
 * Redriving: letters go back to where they came from, and how far that has come is committed with them, in one transaction.
 *
 * Never twice. All redrives of a topic share one transactional id. Whoever begins takes it first, which aborts what the one
 * before has open and fences it, and reads how far it came only then, stable. So a crash, a second run and two at once are
 * the same case: what is committed is done, what is not has left no trace.
 */
import type { Admin } from '../admin/admin.ts'
import { FanlaneError } from '../errors.ts'
import type { RawRecord } from '../ports/log-client.ts'
import type { Producer, ProducerRecord, ProducerTransaction } from '../producer/index.ts'
import { type Letter, letterOf } from './letter.ts'
import type { Shelf } from './listing.ts'
import type { LogReader } from './log-reader.ts'
import { PartitionStream } from './partition-stream.ts'
import { type RedriveState, redriveGroup, type Stretch } from './redrive-state.ts'
import { inSourceOrder, routeOf, type SourceOrder } from './routing.ts'

export interface Redriven {
  readonly redriven: number
  readonly skipped: number
  /** Dry run: what would go, the first thousand. */
  readonly letters?: readonly Letter[]
  /** What stays, and why; the first hundred. */
  readonly left: readonly LeftLetter[]
}

export interface LeftLetter {
  readonly letter: Letter
  readonly why: string
}

export interface RedriveJob {
  readonly topic: string
  readonly at?: { readonly partition: number; readonly offset: number } | undefined
  readonly dryRun?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly progress?: ((done: number, total: number) => void) | undefined
}

export interface RedriveParts {
  readonly admin: Admin
  readonly reader: LogReader
  /** With the transactional id: opening it fences whoever had it. */
  readonly openProducer: (transactionalId: string) => Promise<Producer>
  /** The partitions of the topic as they are now; `isStable`: pending transactions are waited for. */
  readonly shelves: (topic: string, isStable: boolean) => Promise<readonly Shelf[]>
}

/** Of one transaction. */
const LOT_MAX_LETTERS = 500
const LOT_MAX_BYTES = 4 * 2 ** 20

const SHOWN_MAX = 1_000
const LEFT_SHOWN_MAX = 100

export async function redrive(parts: RedriveParts, job: RedriveJob): Promise<Redriven> {
  const partitions = await partitionCounts(parts.admin)
  const work = async (producer: Producer | null): Promise<Redriven> => {
    const shelves = await parts.shelves(job.topic, producer !== null)
    for (const shelf of shelves) checkShelf(shelf)
    return new Redrive(parts, job, shelves, (topic) => partitions.get(topic), producer).run()
  }
  if (job.dryRun === true) return work(null)
  const producer = await parts.openProducer(redriveGroup(job.topic))
  try {
    return await work(producer)
  } catch (error) {
    throw isFenced(error) ? takenOver(job.topic, error) : error
  } finally {
    await producer.close()
  }
}

interface Outgoing {
  readonly record: ProducerRecord
  readonly order: SourceOrder
  readonly letter: Letter
}

/** A lot: what one transaction takes. */
interface Lot {
  readonly outgoing: Outgoing[]
  readonly states: Map<number, RedriveState>
  looked: number
  bytes: number
}

class Redrive {
  readonly #parts: RedriveParts
  readonly #job: RedriveJob
  readonly #shelves: readonly Shelf[]
  readonly #partitionsOf: (topic: string) => number | undefined
  /** null: a dry run. */
  readonly #producer: Producer | null
  readonly #states: Map<number, RedriveState>
  readonly #left: LeftLetter[] = []
  readonly #shown: Letter[] = []
  #redriven = 0
  #skipped = 0

  constructor(
    parts: RedriveParts,
    job: RedriveJob,
    shelves: readonly Shelf[],
    partitionsOf: (topic: string) => number | undefined,
    producer: Producer | null,
  ) {
    this.#parts = parts
    this.#job = job
    this.#shelves = shelves
    this.#partitionsOf = partitionsOf
    this.#producer = producer
    this.#states = new Map(shelves.map(({ partition, state }) => [partition, state]))
  }

  async run(): Promise<Redriven> {
    if (this.#job.at === undefined) await this.#all()
    else await this.#one(this.#job.at)
    const letters = this.#producer === null ? { letters: this.#shown } : {}
    return { redriven: this.#redriven, skipped: this.#skipped, left: this.#left, ...letters }
  }

  async #all(): Promise<void> {
    const total = this.#shelves.reduce((sum, { start, end, state }) => sum + state.left(start, end), 0)
    let looked = 0
    const { reader } = this.#parts
    const streams = this.#shelves.map((each) => new PartitionStream(reader, each, each.state.position, each.end))
    while (!this.#job.signal?.aborted) {
      const lot: Lot = { outgoing: [], states: new Map(), looked: 0, bytes: 0 }
      for (const [at, { partition }] of this.#shelves.entries()) await this.#fill(lot, partition, streams[at])
      if (lot.states.size === 0) break
      await this.#send(lot)
      looked += lot.looked
      this.#job.progress?.(Math.min(looked, total), total)
    }
  }

  /** Takes letters of one partition into the lot, as long as there is room. */
  async #fill(lot: Lot, partition: number, stream: PartitionStream | undefined): Promise<void> {
    if (stream === undefined || stream.isOver) return
    const state = this.#state(partition)
    /** What is done when the lot is: letters that go, and holes, where nothing will ever be. */
    const done: Stretch[] = []
    const finish = (from: number, to: number): void => {
      const last = done.at(-1)
      if (last?.to === from) done[done.length - 1] = { from: last.from, to }
      else if (to > from) done.push({ from, to })
    }
    const begin = stream.position
    while (!stream.isOver && lot.outgoing.length < LOT_MAX_LETTERS && lot.bytes < LOT_MAX_BYTES) {
      const before = stream.position
      const record = await stream.next()
      if (record === null) finish(before, stream.position)
      else {
        const { offset } = record
        finish(before, offset)
        if (state.isDone(offset) || this.#add(lot, record)) finish(offset, offset + 1)
      }
    }
    if (stream.position > begin) lot.states.set(partition, state.with(done))
  }

  async #one({ partition, offset }: { readonly partition: number; readonly offset: number }): Promise<void> {
    const shelf = this.#shelves.find((each) => each.partition === partition)
    const isThere = shelf !== undefined && offset >= shelf.start && offset < shelf.end
    const record = isThere ? await this.#parts.reader.at(shelf, offset) : null
    if (record === null) {
      const place = `${this.#job.topic}-${partition}@${offset}`
      throw new FanlaneError(
        'LETTER_UNKNOWN',
        `There is no letter ${place}: it may have expired. See 'fanlane dlq ls'.`,
      )
    }
    const state = this.#state(partition)
    if (state.isDone(offset)) return this.#leave(letterOf(record, true), 'it has been redriven already')
    const lot: Lot = { outgoing: [], states: new Map(), looked: 0, bytes: 0 }
    if (!this.#add(lot, record)) return
    lot.states.set(partition, state.with([{ from: offset, to: offset + 1 }]))
    await this.#send(lot)
    this.#job.progress?.(1, 1)
  }

  /** False: it cannot be redriven, and stays. */
  #add(lot: Lot, record: RawRecord): boolean {
    lot.looked++
    lot.bytes += record.size
    const route = routeOf(record, this.#partitionsOf)
    const letter = letterOf(record, false)
    if (route.kind === 'nowhere') {
      this.#leave(letter, route.why)
      return false
    }
    lot.outgoing.push({ record: route.record, order: route.order, letter })
    return true
  }

  #leave(letter: Letter, why: string): void {
    this.#skipped++
    if (this.#left.length < LEFT_SHOWN_MAX) this.#left.push({ letter, why })
  }

  async #send({ outgoing, states }: Lot): Promise<void> {
    const sorted = outgoing.toSorted((a, b) => inSourceOrder(a.order, b.order))
    if (this.#producer === null) {
      this.#shown.push(...sorted.slice(0, SHOWN_MAX - this.#shown.length).map(({ letter }) => letter))
    } else {
      const { topic } = this.#job
      const offsets = [...states].map(([partition, state]) => {
        const { metadata } = state
        if (metadata === null) throw mapFull(topic)
        return { topic, partition, offset: state.position, metadata }
      })
      await inTransaction(this.#producer, async (tx) => {
        // In one call: what goes to one partition keeps this order.
        if (sorted.length > 0) await tx.send(sorted.map(({ record }) => record))
        await tx.sendOffsets({ groupId: redriveGroup(topic), offsets })
      })
    }
    this.#redriven += sorted.length
    for (const [partition, state] of states) this.#states.set(partition, state)
  }

  #state(partition: number): RedriveState {
    const state = this.#states.get(partition)
    if (state === undefined) throw new RangeError(`there is no partition ${partition}`)
    return state
  }
}

/** Kafka's own topics take no letters. */
async function partitionCounts(admin: Admin): Promise<ReadonlyMap<string, number>> {
  return new Map((await admin.listTopics()).map(({ name, partitions }) => [name, partitions]))
}

function checkShelf({ topic, partition, end, state }: Shelf): void {
  const group = redriveGroup(topic)
  if (state.isUnreadable) {
    throw new FanlaneError(
      'REDRIVE_STATE_UNREADABLE',
      `Group '${group}' remembers which letters of ${topic}-${partition} were redriven, and somebody else has written to it. ` +
        `Look at it with 'fanlane offsets --group ${group}', then say where to begin: 'fanlane groups reset ${group} --to …'.`,
    )
  }
  if (state.position <= end) return
  throw new FanlaneError(
    'REDRIVE_STATE_AHEAD',
    `Group '${group}' says that ${topic}-${partition} was redriven up to ${state.position}, and the topic ends at ${end}: it was ` +
      `made anew, or has lost records. If its letters are new ones, begin again: 'fanlane groups delete ${group} --yes'.`,
  )
}

function mapFull(topic: string): FanlaneError {
  return new FanlaneError(
    'REDRIVE_MAP_FULL',
    `Too many letters of ${topic} that cannot be redriven lie between others: which ones went does not fit into a commit. ` +
      'What was redriven until here stays so. Make the topics that they came from, or let those letters expire.',
  )
}

/** Tries of one lot. */
const TRIES = 3

/**
 * Aborted means that nothing is in, and to try again. Somebody who takes over is seen that way at first, if the coordinator was
 * about to end what we had open: the next try is told that we are fenced.
 */
async function inTransaction(producer: Producer, work: (tx: ProducerTransaction) => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      return await producer.transaction(work)
    } catch (error) {
      const isAborted = error instanceof FanlaneError && error.code === 'TRANSACTION_ABORTED'
      if (!isAborted || isFenced(error) || tried === TRIES) throw error
    }
  }
}

const fencing: readonly string[] = ['PRODUCER_FENCED', 'INVALID_PRODUCER_EPOCH', 'INVALID_PRODUCER_ID_MAPPING']

function isFenced(error: unknown): boolean {
  if (!(error instanceof FanlaneError)) return false
  return fencing.includes(error.code) || (error.cause !== undefined && isFenced(error.cause))
}

function takenOver(topic: string, cause: unknown): FanlaneError {
  return new FanlaneError(
    'REDRIVE_TAKEN_OVER',
    `Another redrive of ${topic} has begun and goes on from where this one came to. No letter goes twice.`,
    { cause },
  )
}

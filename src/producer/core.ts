/**
 * The producer without its public face: records go in, promises come out. All time and chance come from the wire's clock,
 * so that the same code runs in a simulation. Bounded by `maxBufferBytes`: whoever sends more waits.
 */
import type { BackoffOptions } from '../cluster/backoff.ts'
import type { Metadata } from '../cluster/metadata.ts'
import type { Wire } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import { Batch, type BatchSettings } from './batch.ts'
import { Deadlines } from './deadlines.ts'
import { IdempotentIdentities, type Identities, NoIdentities } from './identities.ts'
import { closedError } from './identity.ts'
import { Intake } from './intake.ts'
import type { Lane } from './lane.ts'
import type { Partitioner } from './partitioner.ts'
import type { Outgoing } from './record.ts'
import { Sender } from './sender.ts'
import { Settler } from './settler.ts'
import { type Delivered, Ticket } from './ticket.ts'
import { Topics } from './topics.ts'

export interface CoreOptions {
  readonly acks: -1 | 0 | 1
  readonly idempotent: boolean
  readonly lingerMs: number
  /** Before compression. */
  readonly batchBytes: number
  /** A number of `compressionTypes`. */
  readonly compression: number
  readonly partitioner: Partitioner | null
  readonly maxBufferBytes: number
  /** May be infinite: then only closing ends it. */
  readonly deliveryTimeoutMs: number
  /** How long a topic that the cluster does not know may take to appear. */
  readonly unknownTopicMs: number
  readonly backoff: BackoffOptions
}

export interface CoreParts {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly options: CoreOptions
  /** Something went wrong that cannot. */
  readonly onError: (error: unknown) => void
  /** Asks for an identity at once, before the first record needs it. Default true. */
  readonly isEager?: boolean
  /** A transactional producer names itself. */
  readonly identities?: (wake: (lanes: Iterable<Lane>) => void) => Identities
}

/** Brokers remember the last five batches of a producer in each partition, and as many may be sent ahead. */
const windowMax = 5
const requestBytesMax = 4 * 2 ** 20
const replicasTimeoutMs = 30_000

export class ProducerCore {
  readonly #parts: CoreParts
  readonly #batchSettings: BatchSettings
  readonly #topics: Topics
  readonly #deadlines: Deadlines
  readonly #settler: Settler
  readonly #sender: Sender
  readonly #intake: Intake
  readonly #identities: Identities
  readonly #tickets: Set<Ticket> = new Set()
  readonly #lingering: Set<Lane> = new Set()
  #cancelLinger: (() => void) | null = null
  #flushes = 0
  #closedWith: FanlaneError | null = null

  constructor(parts: CoreParts) {
    this.#parts = parts
    const { wire, metadata, options, onError } = parts
    const { clock } = wire
    const { maxBufferBytes, deliveryTimeoutMs, backoff } = options
    const wake = (lanes: Iterable<Lane>): void => this.#sender.wakeAll(lanes)
    const onRefused = (error: unknown): void => this.failAll(asError(error))
    const complete = (ticket: Ticket): boolean => this.#tickets.delete(ticket)
    this.#batchSettings = {
      maxBytes: options.batchBytes,
      compression: options.compression,
      isTransactional: parts.identities !== undefined,
    }
    this.#identities =
      parts.identities?.(wake) ??
      (options.idempotent ? new IdempotentIdentities({ wire, backoff, wake, onRefused }) : new NoIdentities())
    this.#topics = new Topics(wire, metadata, options)
    this.#deadlines = new Deadlines(clock, (batch, lane) => {
      this.#settler.expire(lane, batch)
      this.#sender.wake(lane)
    })
    this.#settler = new Settler({
      clock,
      identities: this.#identities,
      deadlines: this.#deadlines,
      release: (bytes) => this.#intake.release(bytes),
      complete,
      deliveryTimeoutMs,
    })
    this.#intake = new Intake({
      clock,
      topics: this.#topics,
      maxBufferBytes,
      deliveryTimeoutMs,
      append: (lane, record, ticket, slot) => this.#append(lane, record, ticket, slot),
      complete,
      onPressure: () => wake(this.#topics.allLanes()),
      onRefused,
    })
    this.#sender = new Sender({
      wire,
      metadata,
      identities: this.#identities,
      settler: this.#settler,
      options: { acks: options.acks, replicasTimeoutMs, windowMax, requestBytesMax, backoff },
      isUrgent: () => this.#flushes > 0 || this.#intake.isFull,
      linger: (lane, untilMs) => this.#linger(lane, untilMs),
      onError,
      onRefused,
      onClosed: () => this.close(),
    })
    if (parts.isEager !== false && this.#identities instanceof IdempotentIdentities) this.#identities.start()
  }

  /** Bytes of records that are not settled. */
  get usedBytes(): number {
    return this.#intake.usedBytes
  }

  /** In order per partition; settles when every record has. Rejects with why the first one failed. */
  send(records: readonly Outgoing[]): Promise<readonly Delivered[]> {
    if (this.#closedWith !== null) return Promise.reject(this.#closedWith)
    const ticket = new Ticket(records.length, this.#parts.wire.clock.now() + this.#parts.options.deliveryTimeoutMs)
    if (records.length > 0) {
      this.#tickets.add(ticket)
      this.#intake.add(records, ticket)
    }
    return ticket.promise
  }

  /** Resolves when everything that was sent before is settled, well or not. Nothing lingers meanwhile. */
  async flush(): Promise<void> {
    this.#flushes++
    this.#sender.wakeAll(this.#topics.allLanes())
    await Promise.allSettled([...this.#tickets].map(({ promise }) => promise))
    this.#flushes--
  }

  /** Everything that is under way fails with this, but the producer can go on. */
  failAll(error: FanlaneError): void {
    this.#intake.failAll(error)
    for (const [batch, lane] of this.#deadlines.entries()) this.#settler.give(lane, batch, error)
  }

  /** Resolves when no request is unanswered, after `failAll`: then nothing more is written. */
  quiet(): Promise<void> {
    return this.#sender.quiet()
  }

  /** At once: what is not settled fails. Flush first to avoid that. */
  close(error: FanlaneError = closedError()): void {
    if (this.#closedWith !== null) return
    this.#closedWith = error
    this.failAll(error)
    this.#cancelLinger?.()
    this.#deadlines.close()
    this.#intake.close()
  }

  #append(lane: Lane, record: Outgoing, ticket: Ticket, slot: number): void {
    const open = lane.open(record)
    if (open !== null) {
      open.append(record, ticket, slot)
      if (open.isClosed) this.#sender.wake(lane)
      return
    }
    const { lingerMs } = this.#parts.options
    const nowMs = this.#parts.wire.clock.now()
    const batch = new Batch(this.#batchSettings, ticket.deadlineMs, nowMs + lingerMs, lane.expectedBytes + slackBytes)
    batch.append(record, ticket, slot)
    lane.queue.push(batch)
    this.#deadlines.add(batch, lane)
    const isDue = lingerMs === 0 || lane.queue.length > 1 || batch.isClosed || this.#flushes > 0
    if (isDue) this.#sender.wake(lane)
    else this.#linger(lane, batch.lingerUntilMs)
  }

  #linger(lane: Lane, untilMs: number): void {
    this.#lingering.add(lane)
    this.#cancelLinger ??= this.#parts.wire.clock.at(untilMs, () => {
      this.#cancelLinger = null
      const nowMs = this.#parts.wire.clock.now()
      let nextMs = Number.POSITIVE_INFINITY
      for (const each of this.#lingering) {
        const untilMs = each.queue[0]?.lingerUntilMs
        if (untilMs !== undefined && untilMs > nowMs) {
          nextMs = Math.min(nextMs, untilMs)
          continue
        }
        this.#lingering.delete(each)
        if (untilMs !== undefined) this.#sender.wake(each)
      }
      for (const each of this.#lingering) return this.#linger(each, nextMs)
    })
  }
}

/** Above what the last batch took, so that one a little larger needs no second buffer. */
const slackBytes = 512

function asError(error: unknown): FanlaneError {
  if (error instanceof FanlaneError) return error
  return new FanlaneError(
    'PRODUCE_FAILED',
    `The cluster cannot be written to: ${String(error)}. Look at client.tls and client.sasl.`,
    { cause: error },
  )
}

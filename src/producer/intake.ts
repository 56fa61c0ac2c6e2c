/**
 * Where records come in. Most go straight into a batch; those whose topic is not known yet, or for whom the buffer has no
 * room, wait here in the order in which they came. What always holds: of two calls that write to the same topic the
 * first goes first; a record counts in the buffer from here until it is settled; a call of several topics begins when
 * all of them are known, so that a misspelt one sends nothing.
 */
import { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Lane } from './lane.ts'
import { invalid, type Outgoing } from './record.ts'
import type { Ticket } from './ticket.ts'
import type { Topics } from './topics.ts'

export interface IntakeParts {
  readonly clock: Clock
  readonly topics: Topics
  readonly maxBufferBytes: number
  readonly deliveryTimeoutMs: number
  readonly append: (lane: Lane, record: Outgoing, ticket: Ticket, slot: number) => void
  readonly complete: (ticket: Ticket) => void
  /** The buffer is full, or is not any more. */
  readonly onPressure: () => void
  readonly onRefused: (error: unknown) => void
}

interface Pending {
  readonly records: readonly Outgoing[]
  readonly ticket: Ticket
  /** Where each record goes; null: not decided yet. */
  lanes: readonly Lane[] | null
  /** The first record that is not in a batch. */
  next: number
  /** It names partitions that there were not: the topic was looked up again for it. */
  isLookedUp: boolean
}

export class Intake {
  readonly #parts: IntakeParts
  readonly #pending: Set<Pending> = new Set()
  /** By topic, how many calls wait that write to it: nobody overtakes them. */
  readonly #waitingFor: Map<string, number> = new Map()
  readonly #lookingUp: Set<string> = new Set()
  #usedBytes = 0
  #isFull = false
  #cancelTimer: (() => void) | null = null

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  get usedBytes(): number {
    return this.#usedBytes
  }

  /** Somebody waits for room. */
  get isFull(): boolean {
    return this.#isFull
  }

  add(records: readonly Outgoing[], ticket: Ticket): void {
    const pending: Pending = { records, ticket, lanes: null, next: 0, isLookedUp: false }
    const isBehind =
      this.#pending.size > 0 && (this.#isFull || records.some(({ topic }) => this.#waitingFor.has(topic)))
    const passage = isBehind ? 'waits' : this.#pass(pending)
    if (passage === 'done') return
    this.#pending.add(pending)
    for (const { topic } of records) this.#waitingFor.set(topic, (this.#waitingFor.get(topic) ?? 0) + 1)
    this.#arm(ticket.deadlineMs)
    if (passage !== 'full') return
    this.#isFull = true
    this.#parts.onPressure()
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes
    if (this.#isFull) this.#advance()
  }

  /** What has not begun, or not ended, fails. */
  failAll(error: FanlaneError): void {
    for (const pending of [...this.#pending]) this.#fail(pending, error)
    this.#isFull = false
  }

  close(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
  }

  #advance(): void {
    const blocked: Set<string> = new Set()
    const wasFull = this.#isFull
    this.#isFull = false
    for (const pending of this.#pending) {
      const isBlocked = blocked.size > 0 && pending.records.some(({ topic }) => blocked.has(topic))
      const passage = isBlocked ? 'waits' : this.#pass(pending)
      if (passage === 'done') this.#forget(pending)
      if (passage === 'waits') for (const { topic } of pending.records) blocked.add(topic)
      if (passage !== 'full') continue
      this.#isFull = true
      break
    }
    if (this.#isFull && !wasFull) this.#parts.onPressure()
  }

  /** As far as it goes now. */
  #pass(pending: Pending): 'done' | 'waits' | 'full' {
    const routing = this.#route(pending)
    if (routing !== 'routed') return routing
    return this.#fill(pending) ? 'done' : 'full'
  }

  /** Decides where all records of a call go, as soon as all of its topics are known. */
  #route(pending: Pending): 'routed' | 'waits' | 'done' {
    if (pending.lanes !== null) return 'routed'
    const { topics } = this.#parts
    const lanes: Lane[] = new Array(pending.records.length)
    for (let index = 0; index < lanes.length; index++) {
      const record = pending.records[index] as Outgoing
      const info = topics.info(record.topic)
      if (info === null || (record.partition !== null && record.partition >= info.partitions.length)) {
        return this.#lookUp(pending, record, info?.partitions.length ?? null)
      }
    }
    try {
      for (let index = 0; index < lanes.length; index++) {
        const record = pending.records[index] as Outgoing
        const info = topics.info(record.topic)
        if (info !== null)
          lanes[index] = topics.lane(record.topic, topics.partitioner(record.topic).partitionFor(record, info))
      }
    } catch (error) {
      this.#fail(pending, error instanceof FanlaneError ? error : badPartitioner(error))
      return 'done'
    }
    pending.lanes = lanes
    return 'routed'
  }

  #lookUp(pending: Pending, { topic, partition }: Outgoing, count: number | null): 'waits' | 'done' {
    if (count !== null && pending.isLookedUp) {
      this.#fail(pending, invalid(`topic '${topic}' has partitions 0 to ${count - 1}, there is no ${partition}`))
      return 'done'
    }
    if (count !== null) pending.isLookedUp = true
    if (this.#lookingUp.has(topic)) return 'waits'
    this.#lookingUp.add(topic)
    this.#parts.topics.lookUp(topic).then(
      (error) => {
        this.#lookingUp.delete(topic)
        if (error !== null) this.#failTopic(topic, error)
        this.#advance()
      },
      (error: unknown) => {
        this.#lookingUp.delete(topic)
        this.#parts.onRefused(error)
      },
    )
    return 'waits'
  }

  /** False: the buffer is full. */
  #fill(pending: Pending): boolean {
    const { records, ticket, lanes } = pending
    if (lanes === null) return true
    const { maxBufferBytes, append } = this.#parts
    while (pending.next < records.length) {
      const record = records[pending.next] as Outgoing
      // A record that is larger than the buffer goes alone.
      if (this.#usedBytes > 0 && this.#usedBytes + record.cost > maxBufferBytes) return false
      this.#usedBytes += record.cost
      const slot = pending.next++
      append(lanes[slot] as Lane, record, ticket, slot)
    }
    return true
  }

  #failTopic(topic: string, error: FanlaneError): void {
    for (const pending of [...this.#pending]) {
      if (pending.lanes === null && pending.records.some((record) => record.topic === topic)) this.#fail(pending, error)
    }
  }

  #forget(pending: Pending): void {
    if (!this.#pending.delete(pending)) return
    for (const { topic } of pending.records) {
      const left = (this.#waitingFor.get(topic) ?? 1) - 1
      if (left > 0) this.#waitingFor.set(topic, left)
      else this.#waitingFor.delete(topic)
    }
  }

  #fail(pending: Pending, error: FanlaneError): void {
    this.#forget(pending)
    const { ticket, records } = pending
    for (let slot = pending.next; slot < records.length; slot++) {
      if (ticket.failed(slot, error)) this.#parts.complete(ticket)
    }
    pending.next = records.length
  }

  #arm(atMs: number): void {
    if (this.#cancelTimer !== null || atMs === Number.POSITIVE_INFINITY) return
    this.#cancelTimer = this.#parts.clock.at(atMs, () => {
      this.#cancelTimer = null
      const nowMs = this.#parts.clock.now()
      for (const pending of [...this.#pending]) {
        if (pending.ticket.deadlineMs <= nowMs) this.#fail(pending, neverBegun(this.#parts.deliveryTimeoutMs))
      }
      this.#advance()
      for (const { ticket } of this.#pending) return this.#arm(ticket.deadlineMs)
    })
  }
}

function neverBegun(timeoutMs: number): FanlaneError {
  return new FanlaneError(
    'DELIVERY_TIMEOUT',
    `The record could not be put into the buffer within deliveryTimeoutMs (${timeoutMs}): it is full, or its topic could not be looked up. It is certainly not in the log. Look whether the brokers can be reached, or raise maxBufferBytes.`,
    { retriable: true },
  )
}

function badPartitioner(error: unknown): FanlaneError {
  return new FanlaneError('RECORD_INVALID', `The partitioner threw: ${String(error)}. Nothing was sent.`, {
    cause: error,
  })
}

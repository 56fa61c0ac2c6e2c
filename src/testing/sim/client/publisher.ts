/**
 * Writing outside transactions, idempotently: one batch at a time per partition, repeated with the same sequence numbers
 * until it is answered. So order holds per partition, and a lost answer makes no duplicate.
 */
import type { Publication, PublishResult } from '../../../kernel/events.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import { isIdentityLost, isPassingRefusal, isStored, isUnwritable, produce } from './produce.ts'
import { closedError, initProducerId, type ProducerId } from './producer-id.ts'
import { type RoutedRecord, route } from './router.ts'
import type { Topics } from './topics.ts'
import { answeredWith, type Wire } from './wire.ts'

/** One publication on its way: it is acknowledged when all of its records are. */
interface Ticket {
  readonly publication: Publication
  left: number
  failure: { readonly error: unknown; readonly permanent: boolean } | null
  readonly done: PromiseWithResolvers<PublishResult>
}

interface Waiting extends RoutedRecord {
  readonly ticket: Ticket
}

interface Lane {
  readonly key: string
  readonly waiting: Waiting[]
  isSending: boolean
}

export class Publisher {
  readonly #wire: Wire
  readonly #topics: Topics
  readonly #onError: (error: unknown) => void
  readonly #lanes: Map<string, Lane> = new Map()
  #identity: Promise<ProducerId | null> | null = null
  /** Calls are routed one after the other: a topic that has to be looked up must not be overtaken. */
  #routed: Promise<void> = Promise.resolve()

  constructor(wire: Wire, topics: Topics, onError: (error: unknown) => void) {
    this.#wire = wire
    this.#topics = topics
    this.#onError = onError
  }

  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    const tickets = publications.map(
      (publication): Ticket => ({
        publication,
        left: publication.sends.length,
        failure: null,
        done: Promise.withResolvers<PublishResult>(),
      }),
    )
    this.#routed = this.#routed.then(() => this.#route(tickets)).catch(this.#onError)
    return Promise.all(tickets.map(({ done }) => done.promise))
  }

  async #route(tickets: readonly Ticket[]): Promise<void> {
    for (const ticket of tickets) {
      const routed = await route(this.#wire, this.#topics, ticket.publication)
      if (routed.kind === 'unknown') {
        ticket.failure = { error: routed.error, permanent: false }
        ticket.left = 0
      }
      if (ticket.left === 0) settle(ticket)
      else if (routed.kind === 'routed') for (const record of routed.records) this.#enqueue({ ...record, ticket })
    }
  }

  #enqueue(record: Waiting): void {
    const lane = this.#lanes.get(record.key) ?? { key: record.key, waiting: [], isSending: false }
    this.#lanes.set(record.key, lane)
    lane.waiting.push(record)
    if (lane.isSending) return
    lane.isSending = true
    // In a turn of its own, so that what is published together is sent together.
    this.#wire.clock.soon(() => {
      this.#drain(lane).catch(this.#onError)
    })
  }

  async #drain(lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) await this.#send(lane.waiting.splice(0, this.#wire.options.batchMaxRecords))
    lane.isSending = false
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const code = await this.#write(batch)
    if (code === null) return finish(batch, { error: closedError(), permanent: false })
    if (isStored(code)) return finish(batch, null)
    if (isUnwritable(code) && batch.length > 1) {
      const middle = batch.length >> 1
      await this.#send(batch.slice(0, middle))
      return this.#send(batch.slice(middle))
    }
    finish(batch, { error: answeredWith(code, 'Produce'), permanent: isUnwritable(code) })
  }

  /** The definite answer; null: the client was closed before there was one. */
  async #write(batch: readonly Waiting[]): Promise<ErrorCode | null> {
    const [first] = batch
    if (first === undefined) return 'NONE'
    const { key, topic, partition } = first
    const records = batch.map(({ record }) => record)
    const backoff = this.#wire.backoff()
    let id = await this.#currentId()
    while (id !== null && this.#wire.isOpen) {
      const codes = await produce(this.#wire, id, null, [{ key, topic, partition, records }])
      const code = codes?.get(key)
      if (code !== undefined && !isIdentityLost(code) && !isPassingRefusal(code)) return code
      // The log was cut under us, or we were forgotten. What is unacknowledged is written again under a new identity:
      // at worst twice, which at-least-once allows.
      if (code !== undefined && isIdentityLost(code)) id = await this.#nextId(id)
      await backoff.pause()
    }
    return null
  }

  #currentId(): Promise<ProducerId | null> {
    this.#identity ??= initProducerId(this.#wire, null)
    return this.#identity
  }

  async #nextId(after: ProducerId): Promise<ProducerId | null> {
    if ((await this.#currentId()) === after) this.#identity = null
    return this.#currentId()
  }
}

function finish(batch: readonly Waiting[], failure: Ticket['failure']): void {
  for (const { ticket } of batch) {
    ticket.failure ??= failure
    ticket.left--
    if (ticket.left === 0) settle(ticket)
  }
}

function settle({ publication: { work }, failure, done }: Ticket): void {
  done.resolve(failure === null ? { work, ok: true } : { work, ok: false, ...failure })
}

/** The producer as users see it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Metadata } from '../cluster/metadata.ts'
import { Cluster } from '../cluster/net/cluster.ts'
import type { Wire } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import { ProducerCore } from './core.ts'
import { closedError } from './identity.ts'
import { type CheckedOptions, checkProducerOptions, type ProducerOptions } from './options.ts'
import { type ProducerRecord, toOutgoing } from './record.ts'
import type { Delivered } from './ticket.ts'
import { type TransactionOffsets, toOffsets } from './transactions/offsets-input.ts'
import { Transactional } from './transactions/transactional.ts'

export interface ProducerTransaction {
  /** As `producer.send()`. A record that fails fails the transaction, whether anybody looks or not. */
  send(records: ProducerRecord | readonly ProducerRecord[]): Promise<readonly Delivered[]>
  /** These positions of a group are committed with the transaction, or not at all. */
  sendOffsets(offsets: TransactionOffsets): Promise<void>
}

export interface Producer {
  /**
   * Resolves when every record is acknowledged, to where each one is, in the order given. Waits at `maxBufferBytes`, fails at
   * `deliveryTimeoutMs`. Records of one partition are written in the order of the calls, awaited or not.
   */
  send(records: ProducerRecord | readonly ProducerRecord[]): Promise<readonly Delivered[]>
  /** Commits what was sent inside if `work` resolves, aborts it if it rejects. One at a time: others wait. */
  transaction<Result>(work: (transaction: ProducerTransaction) => Promise<Result>): Promise<Result>
  /** Resolves when everything that was sent before is settled. */
  flush(): Promise<void>
  /** Sends what is there, for so long at most (default 25 s); what is left then fails with CLOSED. */
  close(options?: { readonly timeoutMs?: number }): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ProducerParts {
  readonly clock: Clock
  /** Default: real sockets. Closed with the producer. */
  readonly wire?: Wire & { close(): Promise<void> }
}

const closeTimeoutMs = 25_000
const defaultClientId = 'fanlane-producer'

/** With a transactional id: resolves when whoever had it before is fenced. */
export async function openProducer(options: ProducerOptions, { clock, wire }: ProducerParts): Promise<Producer> {
  const checked = checkProducerOptions(options)
  const { clientId = defaultClientId, ...client } = checked.client
  const producer = new WireProducer(
    checked,
    wire ?? new Cluster({ brokers: checked.brokers, clientId, clock, ...client }),
  )
  try {
    await producer.start()
  } catch (error) {
    await producer.close({ timeoutMs: 0 })
    throw error
  }
  return producer
}

class WireProducer implements Producer {
  readonly #wire: Wire & { close(): Promise<void> }
  readonly #core: ProducerCore
  readonly #transactional: Transactional | null
  /** Transactions, one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  /** Says to whoever calls from inside a transaction that it runs. What was started there may live on after its end. */
  readonly #inside: AsyncLocalStorage<{ isOver: boolean }> = new AsyncLocalStorage()
  #closing: Promise<void> | null = null

  constructor(options: CheckedOptions, wire: Wire & { close(): Promise<void> }) {
    this.#wire = wire
    const { core, transactionalId, transactionTimeoutMs } = options
    const transactional =
      transactionalId === null
        ? null
        : new Transactional({
            wire,
            backoff: core.backoff,
            transactionalId,
            transactionTimeoutMs,
            patienceMs: core.deliveryTimeoutMs,
          })
    this.#transactional = transactional
    this.#core = new ProducerCore({
      wire,
      metadata: new Metadata(wire, { autoCreate: true }),
      options: core,
      onError: (error) => this.#broken(error),
      ...(transactional === null ? {} : { identities: (wake) => transactional.identities(wake) }),
    })
    transactional?.attach(this.#core)
  }

  async start(): Promise<void> {
    await this.#transactional?.start()
  }

  send(records: ProducerRecord | readonly ProducerRecord[]): Promise<readonly Delivered[]> {
    if (this.#closing !== null) return Promise.reject(closedError())
    if (this.#transactional !== null) return Promise.reject(outsideError())
    return this.#send(records)
  }

  transaction<Result>(work: (transaction: ProducerTransaction) => Promise<Result>): Promise<Result> {
    const transactional = this.#transactional
    if (this.#closing !== null) return Promise.reject(closedError())
    if (transactional === null) return Promise.reject(withoutIdError())
    // It would wait for the one that it is part of, for ever.
    if (this.#inside.getStore()?.isOver === false) return Promise.reject(nestedError())
    const inside = { isOver: false }
    const result = this.#last.then(() =>
      transactional.run((session) =>
        this.#inside.run(inside, () =>
          work({
            send: (records) => this.#converted(records, (outgoing) => session.send(outgoing)),
            sendOffsets: async (input) => {
              const { member, offsets } = toOffsets(input)
              await session.commitOffsets(member, offsets)
            },
          }),
        ),
      ),
    )
    const over = (): void => {
      inside.isOver = true
    }
    this.#last = result.then(over, over)
    return result
  }

  flush(): Promise<void> {
    return this.#core.flush()
  }

  close({ timeoutMs = closeTimeoutMs }: { readonly timeoutMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(timeoutMs)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #send(records: ProducerRecord | readonly ProducerRecord[]): Promise<readonly Delivered[]> {
    return this.#converted(records, (outgoing) => this.#core.send(outgoing))
  }

  #converted(
    records: ProducerRecord | readonly ProducerRecord[],
    send: (outgoing: readonly ReturnType<typeof toOutgoing>[]) => Promise<readonly Delivered[]>,
  ): Promise<readonly Delivered[]> {
    try {
      const nowMs = Math.floor(this.#wire.clock.now())
      const list = (Array.isArray(records) ? records : [records]) as readonly ProducerRecord[]
      return send(list.map((record) => toOutgoing(record, nowMs)))
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #close(timeoutMs: number): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = this.#wire.clock.at(this.#wire.clock.now() + timeoutMs, resolve)
    await Promise.race([Promise.all([this.#last, this.#core.flush()]), late])
    cancel()
    this.#core.close()
    await this.#wire.close()
  }

  /** A mistake of ours: better told to everybody who waits than kept. */
  #broken(error: unknown): void {
    const message = `The producer failed in a way that it should not: ${String(error)}. Close it and open another.`
    this.#core.close(new FanlaneError('PRODUCER_BROKEN', message, { cause: error }))
  }
}

function outsideError(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NEEDED',
    'A producer with a transactionalId sends inside transactions: producer.transaction(async (tx) => { await tx.send(…) }).',
  )
}

function nestedError(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_NESTED',
    'transaction() was called inside a transaction of the same producer: use the tx that you were given, or begin the second one after the first has ended.',
  )
}

function withoutIdError(): FanlaneError {
  return new FanlaneError('TRANSACTIONAL_ID_NEEDED', 'transaction() needs createProducer({ transactionalId }).')
}

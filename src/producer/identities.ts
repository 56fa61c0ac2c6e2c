/** Who a lane writes as. Three kinds: nobody in particular, an idempotent producer, a transactional one. */
import type { BackoffOptions } from '../cluster/backoff.ts'
import type { Wire } from '../cluster/wire.ts'
import type { FanlaneError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { closedError, initProducerId, type ProducerIdentity, raised } from './identity.ts'
import type { Lane } from './lane.ts'

export interface ProduceFlow {
  readonly transactionalId: string | null
  readonly maxVersion: number
}

export interface Identities {
  /** Brokers put batches in order by their numbers, so several may be in flight. */
  readonly keepsOrder: boolean
  /** Whether this lane may send now. If not, it is woken when it may. */
  prepare(lane: Lane): boolean
  /** All lanes of this round have been prepared. */
  flush(): void
  /** The broker knows this lane otherwise. null: it becomes somebody else and goes on; else why it cannot. */
  lost(lane: Lane, code: number): FanlaneError | null
  frame(): ProduceFlow
}

const anyVersion: ProduceFlow = { transactionalId: null, maxVersion: 13 }

export class NoIdentities implements Identities {
  readonly keepsOrder = false

  prepare(lane: Lane): boolean {
    lane.renewal = 'none'
    return true
  }

  flush(): void {
    return
  }

  lost(): null {
    return null
  }

  frame(): ProduceFlow {
    return anyVersion
  }
}

export interface IdempotentParts {
  readonly wire: Wire
  readonly backoff: BackoffOptions
  readonly wake: (lanes: Iterable<Lane>) => void
  /** There will never be an identity: what waits for one fails with this. */
  readonly onRefused: (error: unknown) => void
}

/**
 * One producer id for all lanes, but each lane may be at an epoch of its own: brokers compare epochs within a partition
 * only. So a lane that lost count goes on alone, and the others notice nothing.
 */
export class IdempotentIdentities implements Identities {
  readonly keepsOrder = true
  readonly #parts: IdempotentParts
  readonly #waiting: Set<Lane> = new Set()
  #current: ProducerIdentity | null = null
  #isAsking = false

  constructor(parts: IdempotentParts) {
    this.#parts = parts
  }

  prepare(lane: Lane): boolean {
    // What is unanswered may yet be written under the old name.
    if (lane.renewal !== 'none' && lane.isUnanswered) return false
    if (lane.renewal === 'none' && lane.identity !== null) return true
    const next = this.#next(lane)
    if (next === null) {
      this.#waiting.add(lane)
      return false
    }
    lane.renew(next)
    return true
  }

  flush(): void {
    if (this.#waiting.size > 0) this.start()
  }

  lost(lane: Lane, code: number): null {
    if (lane.renewal === 'identity') return null
    const isForgotten = code === errorCodes.OUT_OF_ORDER_SEQUENCE_NUMBER || code === errorCodes.UNKNOWN_PRODUCER_ID
    lane.renewal = isForgotten ? 'epoch' : 'identity'
    return null
  }

  frame(): ProduceFlow {
    return anyVersion
  }

  /** Ask for an identity if there is none, before somebody needs it. */
  start(): void {
    if (this.#isAsking || this.#current !== null) return
    this.#isAsking = true
    initProducerId({ wire: this.#parts.wire, backoff: this.#parts.backoff, transaction: null }).then(
      (identity) => this.#named(identity),
      (error: unknown) => this.#refused(error),
    )
  }

  #next(lane: Lane): ProducerIdentity | null {
    const { identity, renewal } = lane
    if (identity !== null && renewal === 'epoch') {
      const next = raised(identity)
      if (next !== null) return next
    }
    // Somebody else may have got a new one meanwhile.
    if (identity !== null && identity.producerId === this.#current?.producerId) this.#current = null
    return this.#current
  }

  #named(identity: ProducerIdentity | null): void {
    this.#isAsking = false
    if (identity === null) {
      this.#refused(closedError())
      return
    }
    this.#current = identity
    const lanes = [...this.#waiting]
    this.#waiting.clear()
    this.#parts.wake(lanes)
  }

  #refused(error: unknown): void {
    this.#isAsking = false
    this.#waiting.clear()
    this.#parts.onRefused(error)
  }
}

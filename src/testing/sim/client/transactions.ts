/** The transactional producer: one identity, one transaction at a time. */
import { FanlaneError } from '../../../errors.ts'
import type { CommitEntry, Publication, TransactionOutcome } from '../../../kernel/events.ts'
import { initProducerId, type ProducerId } from './producer-id.ts'
import { Transaction, type TransactionParts } from './transaction.ts'

/** `spent`: nobody knows what the last transaction came to; only a new identity may write again. */
type Identity = { readonly kind: 'none' | 'spent' } | { readonly kind: 'ready'; readonly id: ProducerId }

export class Transactions {
  readonly #parts: TransactionParts
  #identity: Identity = { kind: 'none' }
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: TransactionParts) {
    this.#parts = parts
  }

  /** Rejects if the cluster will never give us an identity. */
  reset(): Promise<void> {
    return this.#afterLast(async () => {
      this.#identity = { kind: 'none' }
      await this.#begin()
    })
  }

  transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    return this.#afterLast(async () => {
      if (this.#identity.kind === 'none') await this.#begin()
      const identity = this.#identity
      if (identity.kind !== 'ready') return { kind: 'unknown', error: spentError() }
      const { ownership } = this.#parts
      // A lease that has ended takes nothing with it into a transaction.
      if (!entries.every((entry) => ownership.holds(entry))) return { kind: 'aborted' }
      const outcome = await new Transaction(this.#parts, identity.id).run(entries, publications)
      if (outcome.kind === 'unknown' || outcome.kind === 'fenced') this.#identity = { kind: 'spent' }
      return outcome
    })
  }

  async #begin(): Promise<void> {
    const id = await initProducerId(this.#parts.wire, this.#parts.coordinator)
    this.#identity = id === null ? { kind: 'spent' } : { kind: 'ready', id }
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}

function spentError(): FanlaneError {
  return new FanlaneError('PRODUCER_SPENT', 'The last transaction ended unknown: reset the producer first.')
}

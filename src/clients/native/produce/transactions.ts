/** The transactional producer of a consumer: one identity, one transaction at a time. */
import { Coordinator } from '../../../cluster/coordinator.ts'
import { FanlaneError } from '../../../errors.ts'
import type { CommitEntry, Publication, TransactionOutcome } from '../../../kernel/events.ts'
import type { CoreOptions } from '../../../producer/core.ts'
import { initProducerId } from '../../../producer/identity.ts'
import { Topics } from '../../../producer/topics.ts'
import { SequencedIdentity } from './sequences.ts'
import { Transaction, type TransactionParts } from './transaction.ts'

export interface TransactionsParts
  extends Pick<
    TransactionParts,
    | 'wire'
    | 'metadata'
    | 'backoff'
    | 'groupCoordinator'
    | 'group'
    | 'member'
    | 'transactionalId'
    | 'transactionalIdIsGenerated'
    | 'transactionTimeoutMs'
  > {
  readonly produce: Pick<CoreOptions, 'batchBytes' | 'compression' | 'partitioner' | 'unknownTopicMs'>
}

/** `spent`: nobody knows what the last transaction came to; only a new identity may write again. */
type Identity = { readonly kind: 'none' | 'spent' } | { readonly kind: 'ready'; readonly id: SequencedIdentity }

export class Transactions {
  readonly #parts: TransactionParts
  #identity: Identity = { kind: 'none' }
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: TransactionsParts) {
    const { wire, metadata, transactionalId, backoff, produce } = parts
    const { batchBytes, compression, partitioner, unknownTopicMs } = produce
    this.#parts = {
      ...parts,
      batchBytes,
      compression,
      silent: new Set(),
      coordinator: new Coordinator(wire, 'transaction', transactionalId),
      topics: new Topics(wire, metadata, { partitioner, batchBytes, unknownTopicMs, backoff }),
    }
  }

  /** A new epoch, as a new instance: what the old one left open is ended when this resolves. Rejects if we get none ever. */
  reset(): Promise<void> {
    return this.#afterLast(async () => {
      this.#identity = { kind: 'none' }
      await this.#begin()
    })
  }

  /** Never rejects. */
  transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    return this.#afterLast(async () => {
      try {
        return await this.#transact(entries, publications)
      } catch (error) {
        // Whatever it was, nobody knows how far it came.
        this.#identity = { kind: 'spent' }
        return { kind: 'unknown', error }
      }
    })
  }

  async #transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    if (this.#identity.kind === 'none') await this.#begin()
    const identity = this.#identity
    if (identity.kind !== 'ready') return { kind: 'unknown', error: spentError() }
    const { member } = this.#parts
    // A lease that has ended takes nothing with it into a transaction.
    if (!entries.every((entry) => member.holds(entry))) return { kind: 'aborted' }
    const transaction = new Transaction(this.#parts, identity.id)
    const outcome = await transaction.run(entries, publications)
    if (outcome.kind === 'unknown' || outcome.kind === 'fenced') this.#identity = { kind: 'spent' }
    else if (transaction.next !== null) this.#identity = ready(transaction.next)
    return outcome
  }

  async #begin(): Promise<void> {
    const { wire, backoff, coordinator, transactionalId, transactionTimeoutMs } = this.#parts
    const transaction = { coordinator, transactionalId, timeoutMs: transactionTimeoutMs, claim: null }
    const identity = await initProducerId({ wire, backoff, transaction })
    this.#identity = identity === null ? { kind: 'spent' } : ready(identity)
  }

  #afterLast<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}

function ready(identity: { readonly producerId: number; readonly producerEpoch: number }): Identity {
  return { kind: 'ready', id: new SequencedIdentity(identity) }
}

function spentError(): FanlaneError {
  return new FanlaneError('PRODUCER_SPENT', 'The last transaction ended unknown: reset the producer first.')
}

/**
 * First writes of transactions that wait for the transaction coordinator to say that it knows the transaction.
 *
 * The race that this closes: a write is verified; the transaction times out and its abort marker is written here; then
 * the write arrives. It would open a transaction that nobody will ever end, and readers would wait for it for ever. So a
 * marker takes the verification away, and a confirmation counts only for the very question it answers.
 */

/** Stands for one question to the coordinator; only its identity counts. */
export interface VerificationGuard {
  readonly producerId: number
}

interface Asked {
  readonly guard: VerificationGuard
  readonly sinceMs: number
  readonly raisesEpochs: boolean
  epoch: number
  /** Of all writes that wait: if the one with this number fails, those after it must not take its place. */
  lowestSequence: number
  confirmed: boolean
}

export class TransactionVerifications {
  readonly #asked = new Map<number, Asked>()

  start(producerId: number, epoch: number, sequence: number, raisesEpochs: boolean, nowMs: number): VerificationGuard {
    const known = this.#asked.get(producerId)
    if (known === undefined) {
      const guard = { producerId }
      this.#asked.set(producerId, {
        guard,
        sinceMs: nowMs,
        raisesEpochs,
        epoch,
        lowestSequence: sequence,
        confirmed: false,
      })
      return guard
    }
    if (epoch > known.epoch) {
      known.epoch = epoch
      known.lowestSequence = sequence
    } else if (epoch === known.epoch && sequence < known.lowestSequence) {
      known.lowestSequence = sequence
    }
    return known.guard
  }

  confirm(guard: VerificationGuard): boolean {
    const asked = this.#asked.get(guard.producerId)
    if (asked?.guard !== guard) return false
    asked.confirmed = true
    return true
  }

  isConfirmed(producerId: number): boolean {
    return this.#asked.get(producerId)?.confirmed ?? false
  }

  get(producerId: number): Pick<Asked, 'raisesEpochs' | 'lowestSequence'> | undefined {
    return this.#asked.get(producerId)
  }

  /**
   * The transaction is open here now, or has ended. The exception: a client that raises its epoch with every
   * transaction may begin the next one while the marker of the last, which has the next epoch already, is on its way.
   */
  written(producerId: number, isMarker: boolean, epoch: number): void {
    const asked = this.#asked.get(producerId)
    if (asked === undefined) return
    if (!(asked.raisesEpochs && isMarker && epoch === asked.epoch)) this.#asked.delete(producerId)
  }

  expire(nowMs: number, expirationMs: number): void {
    for (const [producerId, { sinceMs }] of this.#asked) {
      if (nowMs - sinceMs >= expirationMs) this.#asked.delete(producerId)
    }
  }
}

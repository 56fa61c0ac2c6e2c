/**
 * What a partition knows of its producers: epochs, the sequence numbers of the last five batches, and the transaction
 * that is open. This is what makes a retry harmless and a zombie powerless.
 */
import type { ErrorCode } from '../errors.ts'

const REMEMBERED_BATCHES = 5

export interface SequencedBatch {
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly count: number
}

interface Remembered {
  readonly baseSequence: number
  readonly lastSequence: number
  readonly baseOffset: number
}

interface Producer {
  epoch: number
  /** Oldest first; emptied by a new epoch. */
  batches: Remembered[]
}

export type Verdict =
  | { readonly kind: 'append' }
  | { readonly kind: 'duplicate'; readonly baseOffset: number }
  | { readonly kind: 'refuse'; readonly errorCode: ErrorCode }

const OUT_OF_ORDER: Verdict = { kind: 'refuse', errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }

export class Producers {
  readonly #producers = new Map<number, Producer>()
  /** Producer id → first offset. Transactions begin in offset order, so the first entry is the lowest. */
  readonly #open = new Map<number, number>()
  /**
   * The lowest sequence number of writes whose transaction had to be verified first, until one is written: if the first
   * is refused, the second must not take its place.
   */
  readonly #asked = new Map<number, { epoch: number; lowestSequence: number }>()

  asked({ producerId, producerEpoch, baseSequence }: Omit<SequencedBatch, 'count'>): void {
    if (producerEpoch < (this.#producers.get(producerId)?.epoch ?? producerEpoch)) return
    const known = this.#asked.get(producerId)
    if (known === undefined || producerEpoch > known.epoch) {
      this.#asked.set(producerId, { epoch: producerEpoch, lowestSequence: baseSequence })
    } else if (producerEpoch === known.epoch && baseSequence < known.lowestSequence) {
      known.lowestSequence = baseSequence
    }
  }

  judge(batch: SequencedBatch): Verdict {
    const tooHigh = batch.baseSequence > (this.#asked.get(batch.producerId)?.lowestSequence ?? batch.baseSequence)
    const producer = this.#producers.get(batch.producerId)
    // All that is known of a stranger may have been deleted with the log's beginning: any number is a good beginning.
    if (producer === undefined) return tooHigh ? OUT_OF_ORDER : { kind: 'append' }
    if (batch.producerEpoch === producer.epoch) {
      const lastSequence = batch.baseSequence + batch.count - 1
      const original = producer.batches.find(
        (known) => known.baseSequence === batch.baseSequence && known.lastSequence === lastSequence,
      )
      if (original !== undefined) return { kind: 'duplicate', baseOffset: original.baseOffset }
    }
    if (batch.producerEpoch < producer.epoch) return { kind: 'refuse', errorCode: 'INVALID_PRODUCER_EPOCH' }
    const expected = batch.producerEpoch === producer.epoch ? (producer.batches.at(-1)?.lastSequence ?? -1) + 1 : 0
    if (tooHigh || batch.baseSequence !== expected) return OUT_OF_ORDER
    return { kind: 'append' }
  }

  appended(batch: SequencedBatch, baseOffset: number, isTransactional: boolean): void {
    const producer = this.#at(batch.producerId, batch.producerEpoch)
    this.#asked.delete(batch.producerId)
    const { baseSequence } = batch
    producer.batches.push({ baseSequence, lastSequence: baseSequence + batch.count - 1, baseOffset })
    if (producer.batches.length > REMEMBERED_BATCHES) producer.batches.shift()
    if (isTransactional && !this.#open.has(batch.producerId)) this.#open.set(batch.producerId, baseOffset)
  }

  /** The first offset of the transaction that ends; null if it wrote nothing here. */
  ended(producerId: number, producerEpoch: number): number | null {
    this.#at(producerId, producerEpoch)
    this.#asked.delete(producerId)
    const first = this.#open.get(producerId) ?? null
    this.#open.delete(producerId)
    return first
  }

  hasOpenTransaction(producerId: number, producerEpoch: number): boolean {
    return this.#open.has(producerId) && this.#producers.get(producerId)?.epoch === producerEpoch
  }

  isOpen(producerId: number): boolean {
    return this.#open.has(producerId)
  }

  firstOpenOffset(): number | null {
    for (const offset of this.#open.values()) return offset
    return null
  }

  #at(producerId: number, epoch: number): Producer {
    const known = this.#producers.get(producerId)
    if (known === undefined) {
      const producer: Producer = { epoch, batches: [] }
      this.#producers.set(producerId, producer)
      return producer
    }
    if (epoch !== known.epoch) {
      known.epoch = epoch
      known.batches = []
    }
    return known
  }
}

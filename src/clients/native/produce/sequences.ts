/** A transactional producer's identity, and how far it has counted in each partition. */
import type { ProducerIdentity } from '../../../producer/identity.ts'

export class SequencedIdentity implements ProducerIdentity {
  readonly producerId: number
  readonly producerEpoch: number
  /** By partition; they wrap to 0 after 2³¹ − 1. */
  readonly #next: Map<string, number> = new Map()

  constructor({ producerId, producerEpoch }: ProducerIdentity) {
    this.producerId = producerId
    this.producerEpoch = producerEpoch
  }

  nextSequence(key: string): number {
    return this.#next.get(key) ?? 0
  }

  /** Only for a batch that is certainly in: a refused one has used no numbers. */
  advance(key: string, records: number): void {
    this.#next.set(key, (this.nextSequence(key) + records) % 2 ** 31)
  }
}

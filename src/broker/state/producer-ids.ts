/**
 * Producer ids that were never given away before. A block is reserved durably, then handed out from memory: after a crash the
 * rest of the block is skipped, never repeated.
 */
import type { MetadataStore } from './metadata-store.ts'

const blockSize = 1_000

export class ProducerIdBlocks {
  readonly #store: MetadataStore
  #next = 0
  #end = 0
  #reserving: Promise<void> | undefined

  constructor(store: MetadataStore) {
    this.#store = store
  }

  nextProducerId(): number | Promise<number> {
    return this.#next < this.#end ? this.#next++ : this.#afterReserving()
  }

  async #afterReserving(): Promise<number> {
    while (this.#next >= this.#end) {
      this.#reserving ??= this.#reserve()
      await this.#reserving
    }
    return this.#next++
  }

  async #reserve(): Promise<void> {
    const start = this.#store.get('producer-ids')?.next ?? 0
    try {
      await this.#store.put('producer-ids', '', { next: start + blockSize })
      this.#next = start
      this.#end = start + blockSize
    } finally {
      this.#reserving = undefined
    }
  }
}

/**
 * Writes to the state log, and holds answers back until it has what they tell of.
 *
 * Memory is always ahead of the log by what is being written. An answer that left earlier could tell of a state that a crash
 * takes back: an offset that is smaller after the restart, an assignment that was never made. So every answer about a group
 * waits for the last write of that group. Once a write has failed nothing is acknowledged any more.
 */
import type { StateLog, StateRecord } from './ports.ts'
import { batchBytes } from './records.ts'

export interface TransactionalProducer {
  readonly id: number
  readonly epoch: number
}

/** At most: lengths and deltas as numbers of up to five bytes, and the share of a batch header. */
const recordOverheadBytes = 90

export class StateWriter {
  readonly #log: StateLog
  readonly #bytesMax: () => number
  readonly #onFailure: (error: unknown) => void
  /** The last write of each group that is still under way. */
  readonly #writes = new Map<string, Promise<void>>()

  constructor(log: StateLog, bytesMax: () => number, onFailure: (error: unknown) => void) {
    this.#log = log
    this.#bytesMax = bytesMax
    this.#onFailure = onFailure
  }

  /** One request is one batch: what does not fit into one is refused as a whole. */
  fits(records: readonly StateRecord[]): boolean {
    return batchBytes(records) <= this.#bytesMax()
  }

  write(groupId: string, records: readonly StateRecord[], producer?: TransactionalProducer): Promise<void> {
    const write = producer === undefined ? this.#log.append(records) : this.#log.append(records, producer)
    this.#writes.set(groupId, write)
    write.then(
      () => this.#settle(groupId, write),
      (error: unknown) => {
        this.#settle(groupId, write)
        this.#onFailure(error)
      },
    )
    return write
  }

  /** Tombstones need not come together: as many batches as it takes, in this order. */
  async writeInParts(groupId: string, records: readonly StateRecord[]): Promise<void> {
    let part: StateRecord[] = []
    let bytes = 0
    let last: Promise<void> | undefined
    for (const record of records) {
      const more = record.key.length + (record.value?.length ?? 0) + recordOverheadBytes
      if (part.length > 0 && bytes + more > this.#bytesMax()) {
        last = this.write(groupId, part)
        part = []
        bytes = 0
      }
      part.push(record)
      bytes += more
    }
    if (part.length > 0) last = this.write(groupId, part)
    await last
  }

  /** The answer, as soon as everything that was written of this group is durable. */
  async whenDurable<T>(groupId: string, answer: T): Promise<T> {
    await this.#writes.get(groupId)
    return answer
  }

  /** The same for an answer about many groups. */
  async whenAllDurable<T>(answer: T): Promise<T> {
    await Promise.all(this.#writes.values())
    return answer
  }

  #settle(groupId: string, write: Promise<void>): void {
    if (this.#writes.get(groupId) === write) this.#writes.delete(groupId)
  }
}

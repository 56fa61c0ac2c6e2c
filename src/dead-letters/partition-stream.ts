/** The records of a stretch of a partition, one after the other. At most one answer is kept, and of that only what is left. */
import type { RawRecord } from '../ports/log-client.ts'
import type { LogReader, Place } from './log-reader.ts'

export class PartitionStream {
  readonly #reader: LogReader
  readonly #place: Place
  readonly #to: number
  #left: Iterator<RawRecord> = [].values()
  /** Behind the answer at hand. */
  #next: number
  /** Everything before it has been taken, or is not there. */
  position: number

  constructor(reader: LogReader, place: Place, from: number, to: number) {
    this.#reader = reader
    this.#place = place
    this.#to = to
    this.#next = from
    this.position = from
  }

  get isOver(): boolean {
    return this.position >= this.#to
  }

  /** null: there are no more. */
  async next(): Promise<RawRecord | null> {
    for (;;) {
      const { value, done } = this.#left.next()
      if (done !== true) {
        this.position = value.offset + 1
        return value
      }
      this.position = Math.min(this.#next, this.#to)
      if (this.isOver) return null
      const read = await this.#reader.read(this.#place, this.position, this.#to)
      this.#left = read.records[Symbol.iterator]()
      this.#next = read.next
    }
  }
}

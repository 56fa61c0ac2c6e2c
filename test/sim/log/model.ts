/** What a partition's log must contain: every batch that was ever appended, as it was, and what was promised about it. */
import { ProducerStates } from '../../../src/broker/log/producer-state.ts'

export interface ModelBatch {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly bytes: Buffer
  readonly leaderEpoch: number
}

/** What was promised about a partition at one moment. */
export interface Promises {
  /** How many batches of the model had been appended. */
  readonly appended: number
  /** Everything below this was acknowledged as durable. */
  readonly durable: number
  /** The log start that was acknowledged, and the one that was being made durable. */
  readonly startMin: number
  readonly startMax: number
}

export class PartitionModel {
  batches: ModelBatch[] = []
  startAcknowledged = 0
  readonly #producers = new Map<number, string>()

  get end(): number {
    return endOf(this.batches, this.batches.length)
  }

  append(bytes: Buffer, baseOffset: number, lastOffset: number, leaderEpoch: number): void {
    this.batches.push({ baseOffset, lastOffset, bytes: Buffer.from(bytes), leaderEpoch })
  }

  /** A crash took what came behind this offset. */
  truncate(end: number): void {
    const kept = this.countBelow(end)
    this.batches = this.batches.slice(0, kept)
    for (const count of [...this.#producers.keys()]) if (count > kept) this.#producers.delete(count)
  }

  countBelow(end: number): number {
    let count = this.batches.length
    while (count > 0 && (this.batches[count - 1] as ModelBatch).baseOffset >= end) count--
    return count
  }

  /** Number of the batch that holds this offset; the length if it is behind them all. */
  indexOf(offset: number): number {
    const index = this.batches.findIndex(({ lastOffset }) => lastOffset >= offset)
    return index < 0 ? this.batches.length : index
  }

  /** What reading the first `count` batches tells about the producers. */
  producersAfter(count: number): string {
    const known = this.#producers.get(count)
    if (known !== undefined) return known
    const states = new ProducerStates()
    for (const { bytes } of this.batches.slice(0, count)) states.apply(bytes, 0)
    const told = describeProducers(states)
    this.#producers.set(count, told)
    return told
  }
}

export function describeProducers(states: ProducerStates): string {
  const producers = states.describe().sort((a, b) => a.producerId - b.producerId)
  return JSON.stringify([producers, states.firstUndecidedOffset])
}

export const endOf = (batches: readonly ModelBatch[], count: number): number =>
  count === 0 ? 0 : (batches[count - 1] as ModelBatch).lastOffset + 1

/**
 * Which names are taken and how many partitions there are, those of topics on their way included. Both questions come with
 * every new topic, so both are answered without a look at all the others.
 */
import { shapeOf } from './names.ts'

export class TopicRoom {
  readonly #partitionsMax: number
  /** Kafka refuses a second name of the same shape. */
  readonly #byShape = new Map<string, string>()
  #partitions = 0

  constructor(partitionsMax: number) {
    this.#partitionsMax = partitionsMax
  }

  take(name: string, partitions: number): void {
    this.#byShape.set(shapeOf(name), name)
    this.#partitions += partitions
  }

  grow(partitions: number): void {
    this.#partitions += partitions
  }

  giveBack(name: string, partitions: number): void {
    this.#byShape.delete(shapeOf(name))
    this.#partitions -= partitions
  }

  collidingWith(name: string): string | undefined {
    return this.#byShape.get(shapeOf(name))
  }

  /** Why there is no room for so many more, or undefined if there is. */
  problem(added: number): string | undefined {
    if (this.#partitions + added <= this.#partitionsMax) return undefined
    return `this broker takes ${this.#partitionsMax} partitions in all (partitionsMax); ${this.#partitions} are there`
  }
}

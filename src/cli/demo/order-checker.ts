/**
 * Watches the order in which handlers start, from outside: it is told what starts and what ends, and knows nothing of
 * lanes. A start is out of order if an earlier order of the same customer is not over, or a later one already began.
 */
import type { Order } from './orders.ts'

export class OrderChecker {
  /** The number that each customer has to go on with. */
  readonly #next: Map<string, number> = new Map()
  #outOfOrder = 0

  get outOfOrder(): number {
    return this.#outOfOrder
  }

  /** A further attempt is a start as well. */
  started({ customer, number }: Order): void {
    if (number !== (this.#next.get(customer) ?? 0)) this.#outOfOrder++
  }

  /** Handled, or its dead letter is written. */
  over({ customer, number }: Order): void {
    this.#next.set(customer, Math.max(this.#next.get(customer) ?? 0, number + 1))
  }
}

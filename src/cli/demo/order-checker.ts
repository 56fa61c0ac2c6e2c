/**
 * Watches the order in which handlers start, from outside: it is told what starts and what ends, and knows nothing of
 * lanes. A start is out of order if an earlier order of the same customer is not over, or a later one already began.
 *
 * After a crash, what was done and not committed runs again: then a customer may go back, and has to go on from there in order.
 */
import type { Order } from './orders.ts'

export class OrderChecker {
  /** The number that each customer has to go on with. */
  readonly #next: Map<string, number> = new Map()
  /** Below this, each customer's orders have been over once. */
  readonly #over: Map<string, number> = new Map()
  #outOfOrder = 0
  #repeated = 0
  #mayRepeat = false

  get outOfOrder(): number {
    return this.#outOfOrder
  }

  /** Orders that ran again after a crash. */
  get repeated(): number {
    return this.#repeated
  }

  /** Somebody was killed. */
  crashed(): void {
    this.#mayRepeat = true
  }

  /** A further attempt is a start as well. */
  started({ customer, number }: Order): void {
    const next = this.#next.get(customer) ?? 0
    if (number === next) return
    if (number < next && this.#mayRepeat) {
      this.#repeated++
      this.#next.set(customer, number)
    } else this.#outOfOrder++
  }

  /** Handled, or its dead letter is written. True: for the first time. */
  over({ customer, number }: Order): boolean {
    this.#next.set(customer, Math.max(this.#next.get(customer) ?? 0, number + 1))
    if (number < (this.#over.get(customer) ?? 0)) return false
    this.#over.set(customer, number + 1)
    return true
  }
}

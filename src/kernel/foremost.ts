/** The first few in an order, of many that are offered one by one: nothing is kept but these, and nothing else is sorted. */
export class Foremost {
  readonly #max: number
  readonly #order: (a: number, b: number) => number
  /** In order. */
  readonly items: number[] = []

  constructor(max: number, order: (a: number, b: number) => number) {
    this.#max = max
    this.#order = order
  }

  offer(item: number): void {
    const { items } = this
    const last = items.length - 1
    // Behind everything that is here: most of what comes in order, and nearly all when there is no room left.
    const isBehind = last < 0 || this.#order(item, items[last]!) >= 0
    if (isBehind) {
      if (items.length < this.#max) items.push(item)
      return
    }
    if (items.length === this.#max) items.pop()
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#order(item, items[middle]!) < 0) high = middle
      else low = middle + 1
    }
    items.splice(low, 0, item)
  }
}

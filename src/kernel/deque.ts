/** A queue over a ring: first in, first out, no shifting. */
export class Deque<Item> {
  #items: (Item | undefined)[] = new Array(16)
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: Item): void {
    if (this.#size === this.#items.length) this.#grow()
    this.#items[(this.#head + this.#size++) & (this.#items.length - 1)] = item
  }

  /** Back to the front of the line. */
  unshift(item: Item): void {
    if (this.#size === this.#items.length) this.#grow()
    this.#head = (this.#head - 1) & (this.#items.length - 1)
    this.#items[this.#head] = item
    this.#size++
  }

  /** The next one, left where it is. */
  first(): Item | undefined {
    return this.#items[this.#head]
  }

  shift(): Item | undefined {
    if (this.#size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined
    this.#head = (this.#head + 1) & (this.#items.length - 1)
    this.#size--
    return item
  }

  #grow(): void {
    const items: (Item | undefined)[] = new Array(this.#items.length * 2)
    for (let at = 0; at < this.#size; at++) items[at] = this.#items[(this.#head + at) & (this.#items.length - 1)]
    this.#items = items
    this.#head = 0
  }
}

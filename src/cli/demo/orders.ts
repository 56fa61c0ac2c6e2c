/** The demo's stream: orders of customers, some of whom order far more often than others. The same every time. */
import { randomStream } from '../../testing/sim/random.ts'

/** What can be put into the stream by hand. */
export type Injected = 'poison' | 'slow'

/** What the handler does with an order: most go through, some fail once, one never does. */
export type Fate = 'fine' | 'fails-once' | Injected

export interface Order {
  readonly customer: string
  /** 0, 1, 2 … within the customer: what the order checker goes by. */
  readonly number: number
  readonly fate: Fate
}

const CUSTOMERS = 5_000
/** The customer of rank r orders 1 / r^SKEW as often as the first one. */
const SKEW = 0.5
const FAILS_EVERY = 400
const POISON_AT = 150

export class OrderStream {
  readonly #random: () => number = randomStream(1, 'orders')
  /** Of each rank and all before it: the share of all orders. */
  readonly #upTo: Float64Array = cumulativeShares()
  readonly #numbers: Map<string, number> = new Map()
  #count = 0
  readonly #injected: Injected[] = []

  /** The share of orders that the hottest customer has. They run one after the other: the speed-up cannot exceed 1 / it. */
  get hottestShare(): number {
    return this.#upTo[0] ?? 1
  }

  next(): Order {
    const rank = this.#rankAt(this.#random())
    const customer = `customer-${rank + 1}`
    const number = this.#numbers.get(customer) ?? 0
    this.#numbers.set(customer, number + 1)
    return { customer, number, fate: this.#injected.shift() ?? fateOf(this.#count++) }
  }

  /** The next order has this fate. */
  inject(fate: Injected): void {
    this.#injected.push(fate)
  }

  /** The first rank whose cumulative share is above this. */
  #rankAt(share: number): number {
    let low = 0
    let high = CUSTOMERS - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#upTo[middle] ?? 1) > share) high = middle
      else low = middle + 1
    }
    return low
  }
}

function fateOf(count: number): Fate {
  if (count === POISON_AT) return 'poison'
  return count % FAILS_EVERY === FAILS_EVERY / 2 ? 'fails-once' : 'fine'
}

function cumulativeShares(): Float64Array {
  const upTo = new Float64Array(CUSTOMERS)
  let sum = 0
  for (let rank = 0; rank < CUSTOMERS; rank++) {
    sum += (rank + 1) ** -SKEW
    upTo[rank] = sum
  }
  return upTo.map((value) => value / sum)
}

/** What the keys do: orders that fail or take long, members that come, go and die. Each says in a line what it did. */
import { Companion } from './companion.ts'
import type { Trouble } from './keys.ts'
import type { Injected, OrderStream } from './orders.ts'
import type { Racer } from './racer.ts'
import type { Screen } from './screen.ts'

export class Troubles implements Trouble {
  readonly #stream: OrderStream
  readonly #racer: Racer
  readonly #screen: Screen
  #companion: Companion | null = null
  /** One after the other: a key that is pressed twice does not start two. */
  #last: Promise<void> = Promise.resolve()
  readonly quit: () => void

  constructor(stream: OrderStream, racer: Racer, screen: Screen, quit: () => void) {
    this.#stream = stream
    this.#racer = racer
    this.#screen = screen
    this.quit = quit
  }

  readonly inject = (fate: Injected): void => {
    this.#stream.inject(fate)
    this.#screen.line(
      fate === 'poison'
        ? 'poison: an order that will never go through; its dead letter comes'
        : 'slow: an order that takes 4 s; only its own customer waits',
    )
  }

  readonly member = (wish: 'join-or-leave' | 'crash'): void => {
    this.#last = this.#last
      .then(() => (wish === 'crash' ? this.#crash() : this.#joinOrLeave()))
      .catch((error) => this.#screen.line(`the second process: ${String(error)}`))
  }

  /** Nobody is left behind. */
  async over(): Promise<void> {
    await this.#last
    await this.#companion?.leave()
    this.#companion = null
  }

  async #joinOrLeave(): Promise<void> {
    if (this.#companion === null) {
      this.#screen.line('rebalance: a second process joins and gets half of the partitions')
      this.#join()
      return
    }
    this.#screen.line('rebalance: the second process finishes what it runs, and leaves')
    await this.#companion.leave()
    this.#companion = null
  }

  async #crash(): Promise<void> {
    if (this.#companion === null) {
      this.#screen.line('crash: press c again to kill the second process, which joins now')
      this.#join()
      return
    }
    this.#racer.checker.crashed()
    await this.#companion.kill()
    this.#companion = null
    this.#screen.line('crash: killed with -9; its partitions come back when its session ends (6 s)')
  }

  #join(): void {
    this.#companion = new Companion({ ...this.#racer.options, dashboardPort: null }, (told) => this.#racer.told(told))
  }
}

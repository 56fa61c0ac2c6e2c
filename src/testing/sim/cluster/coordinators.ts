/** Which node is the coordinator of all groups, and which of all transactions; and whether it is still loading. */
import type { ErrorCode } from './errors.ts'
import type { Timer, Timers } from './timers.ts'

export class Coordinator {
  readonly #timers: Timers
  readonly #nodes: number
  #node = 1
  #loading: Timer | null = null

  constructor(timers: Timers, nodes: number) {
    this.#timers = timers
    this.#nodes = nodes
  }

  get node(): number {
    return this.#node
  }

  get loading(): boolean {
    return this.#loading !== null
  }

  /** To the next node, which is ready after `loadMs`. Moving on while it loads starts the loading anew. */
  move(nowMs: number, loadMs: number, loaded: (nowMs: number) => void): void {
    this.#node = (this.#node % this.#nodes) + 1
    this.#timers.cancel(this.#loading)
    this.#loading = null
    if (loadMs <= 0) {
      loaded(nowMs)
      return
    }
    this.#loading = this.#timers.set(nowMs + loadMs, (at) => {
      this.#loading = null
      loaded(at)
    })
  }

  /** Why a request to this node is not served; null if it is. */
  refusal(node: number): ErrorCode | null {
    if (node !== this.#node) return 'NOT_COORDINATOR'
    return this.loading ? 'COORDINATOR_LOAD_IN_PROGRESS' : null
  }
}

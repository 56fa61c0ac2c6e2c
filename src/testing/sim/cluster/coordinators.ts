/** Which node is the coordinator of all groups, and which of all transactions; and whether it is still loading. */
import type { ErrorCode } from './errors.ts'

export class Coordinator {
  readonly #nodes: number
  #node = 1
  #loading = false

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  get node(): number {
    return this.#node
  }

  get loading(): boolean {
    return this.#loading
  }

  set loading(loading: boolean) {
    this.#loading = loading
  }

  move(): void {
    this.#node = (this.#node % this.#nodes) + 1
  }

  /** Why a request to this node is not served; null if it is. */
  refusal(node: number): ErrorCode | null {
    if (node !== this.#node) return 'NOT_COORDINATOR'
    return this.#loading ? 'COORDINATOR_LOAD_IN_PROGRESS' : null
  }
}

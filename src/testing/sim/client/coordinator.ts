/** Which broker coordinates our group, or our transactions. It moves; the first to notice says so. */

import type { ErrorCode } from '../cluster/errors.ts'
import { isCoordinatorElsewhere, type Wire } from './wire.ts'

export class Coordinator {
  readonly #wire: Wire
  readonly #keyType: 'group' | 'transaction'
  readonly #key: string
  #node: number | null = null
  #search: Promise<number | null> | null = null

  constructor(wire: Wire, keyType: 'group' | 'transaction', key: string) {
    this.#wire = wire
    this.#keyType = keyType
    this.#key = key
  }

  /** null: not found now. Pause and try again. */
  async find(): Promise<number | null> {
    if (this.#node !== null) return this.#node
    this.#search ??= this.#look()
    return this.#search
  }

  /** What an answer of `node` (null: silence) says about where the coordinator is. */
  learn(node: number, code: ErrorCode | null): void {
    const isElsewhere = code === null || (isCoordinatorElsewhere(code) && code !== 'COORDINATOR_LOAD_IN_PROGRESS')
    if (isElsewhere && this.#node === node) this.#node = null
  }

  async #look(): Promise<number | null> {
    const answer = await this.#wire.ask('FindCoordinator', { keyType: this.#keyType, key: this.#key })
    this.#search = null
    this.#node = answer?.errorCode === 'NONE' ? answer.nodeId : null
    return this.#node
  }
}

/**
 * Writes down what happens to a group: each change is applied to memory, and the changes of one step go to the state log
 * together. A crash may lose the last steps, never half of one, and never one that somebody was told about.
 */
import type { StateRecord } from '../ports.ts'
import type { Change } from './changes.ts'
import type { GroupState } from './group-state.ts'
import { encodeChange } from './records.ts'

export class Journal {
  readonly #groupId: string
  readonly #state: GroupState
  readonly #persist: (records: StateRecord[]) => Promise<void>
  #step: StateRecord[] = []
  #durable: Promise<void> | undefined

  constructor(groupId: string, state: GroupState, persist: (records: StateRecord[]) => Promise<void>) {
    this.#groupId = groupId
    this.#state = state
    this.#persist = persist
  }

  write(...changes: readonly Change[]): void {
    for (const change of changes) {
      this.#state.apply(change)
      this.#step.push(encodeChange(this.#groupId, change))
    }
  }

  /** The end of the group: its tombstones, and what it goes on as. */
  end(records: readonly StateRecord[]): void {
    this.#step.push(...records)
    this.flush()
  }

  /** What the step has so far. */
  get step(): readonly StateRecord[] {
    return this.#step
  }

  /** Hands the step over. */
  flush(): void {
    if (this.#step.length === 0) return
    const durable = this.#persist(this.#step)
    this.#step = []
    this.#durable = durable
    const settled = (): void => {
      if (this.#durable === durable) this.#durable = undefined
    }
    // A state log that fails ends the broker by itself; the failed promise stays, so that no answer gets past it.
    durable.then(settled, stayFailed)
  }

  /** The answer, once everything that was handed over is durable: at once if it already is. */
  whenDurable<T>(answer: T): T | Promise<T> {
    return this.#durable === undefined ? answer : this.#durable.then(() => answer)
  }
}

function stayFailed(): undefined {
  return undefined
}

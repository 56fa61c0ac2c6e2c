/** The markers that end a transaction: one for each target, each in its own time, or held back by a test. */
import type { MarkerTarget } from '../options.ts'
import type { Timers } from '../timers.ts'
import { type Transaction, targetKey } from './transaction.ts'

export type WriteMarker = (nowMs: number, target: MarkerTarget, transaction: Transaction, committed: boolean) => void

export class Markers {
  readonly #timers: Timers
  readonly #delayMs: (target: MarkerTarget) => number
  readonly #write: WriteMarker
  readonly #held = new Set<string>()
  #waiting: { readonly name: string; readonly write: (nowMs: number) => void }[] = []

  constructor(timers: Timers, delayMs: (target: MarkerTarget) => number, write: WriteMarker) {
    this.#timers = timers
    this.#delayMs = delayMs
    this.#write = write
  }

  hold(target: 'group' | { readonly topic: string }): void {
    this.#held.add(nameOf(target))
  }

  release(nowMs: number): void {
    const waiting = this.#waiting
    this.#held.clear()
    this.#waiting = []
    for (const { write } of waiting) write(nowMs)
  }

  send(nowMs: number, transaction: Transaction, committed: boolean, complete: () => void): void {
    for (const target of [...transaction.targets.values()]) {
      const write = (at: number): void => {
        this.#write(at, target, transaction, committed)
        transaction.targets.delete(targetKey(target))
        if (transaction.targets.size === 0) complete()
      }
      const name = nameOf(target)
      const delayMs = this.#delayMs(target)
      if (this.#held.has(name)) this.#waiting.push({ name, write })
      else if (delayMs > 0) this.#timers.set(nowMs + delayMs, write)
      else write(nowMs)
    }
  }
}

function nameOf(target: 'group' | { readonly topic: string }): string {
  return target === 'group' ? 'group' : `topic ${target.topic}`
}

/** Those who wait for the loop: for the answer to a wish, or for a change. */
import { FanlaneError } from '../errors.ts'
import type { Control } from '../kernel/events.ts'

export interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** A promise that may be left alone: whoever awaits it sees the rejection, nobody else is bothered by it. */
export function waiting(): { readonly promise: Promise<void>; readonly waiter: Waiter } {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(nothing)
  return { promise, waiter: { resolve, reject } }
}

/** The same, too late: there is nobody left to answer. */
export function rejected(error: unknown): Promise<void> {
  const { promise, waiter } = waiting()
  waiter.reject(error)
  return promise
}

/** Wishes whose answer somebody waits for. The control plane names a refused one by the very object. */
export class Wishes {
  readonly #waiters: Map<Control, Waiter> = new Map()

  add(wish: Control): Promise<void> {
    const { promise, waiter } = waiting()
    this.#waiters.set(wish, waiter)
    return promise
  }

  /** Taken. If it was refused meanwhile, nobody waits any more. */
  taken(wish: Control): void {
    this.#waiters.get(wish)?.resolve()
    this.#waiters.delete(wish)
  }

  refused(wish: Control, reason: string): void {
    this.#waiters.get(wish)?.reject(new FanlaneError('CONTROL_REFUSED', `${nameOf(wish)} was refused: ${reason}.`))
    this.#waiters.delete(wish)
  }

  end(error: unknown): void {
    for (const { reject } of this.#waiters.values()) reject(error)
    this.#waiters.clear()
  }
}

function nameOf(wish: Control): string {
  if (wish.kind === 'seek') return `The seek of ${wish.topic}-${wish.partition} to ${wish.position}`
  if (wish.kind === 'skip') return `The skip of ${wish.topic}-${wish.partition}@${wish.offset}`
  return `The wish '${wish.kind}'`
}

export function nothing(): void {
  // Nothing is waited for.
}

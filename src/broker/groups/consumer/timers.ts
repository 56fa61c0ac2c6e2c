/**
 * One set of timers of one kind, by member id: at most one runs for a member, and setting it again starts it anew.
 */
import type { BrokerClock } from '../../clock.ts'

export class MemberTimers {
  readonly #clock: BrokerClock
  readonly #cancels: Map<string, () => void> = new Map()

  constructor(clock: BrokerClock) {
    this.#clock = clock
  }

  set(memberId: string, delayMs: number, expired: () => void): void {
    this.cancel(memberId)
    const cancel = this.#clock.timer(delayMs, () => {
      this.#cancels.delete(memberId)
      expired()
    })
    this.#cancels.set(memberId, cancel)
  }

  /** One that runs already goes on as it is. */
  setIfAbsent(memberId: string, delayMs: number, expired: () => void): void {
    if (!this.#cancels.has(memberId)) this.set(memberId, delayMs, expired)
  }

  cancel(memberId: string): void {
    this.#cancels.get(memberId)?.()
    this.#cancels.delete(memberId)
  }

  cancelAll(): void {
    for (const cancel of this.#cancels.values()) cancel()
    this.#cancels.clear()
  }
}

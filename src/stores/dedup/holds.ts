/**
 * Which ids this consumer is at. The store knows owners, not records: two records with one id in one consumer have the
 * same owner, so they are told apart here. What always holds: one holder for each id; whoever waits for an id is called
 * once when its holder lets go.
 */
interface Hold {
  /** When its claim was last written or renewed. */
  sinceMs: number
  /** It ends by itself then; its renewal is nobody's business any more. */
  endsAtMs: number
  readonly waiters: (() => void)[]
}

export class Holds {
  readonly #holds: Map<string, Hold> = new Map()

  get size(): number {
    return this.#holds.size
  }

  /** False: somebody has it. */
  take(id: string, nowMs: number): boolean {
    const hold = this.#holds.get(id)
    if (hold !== undefined && hold.endsAtMs > nowMs) return false
    if (hold !== undefined) this.drop(id)
    this.#holds.set(id, { sinceMs: nowMs, endsAtMs: Number.POSITIVE_INFINITY, waiters: [] })
    return true
  }

  has(id: string): boolean {
    return this.#holds.has(id)
  }

  /** Calls back when the holder lets go. */
  await(id: string, then: () => void): void {
    this.#holds.get(id)?.waiters.push(then)
  }

  /** The record is out of our hands, and nobody may ever tell how it ended: the hold has an end. */
  lapseAt(id: string, endsAtMs: number): void {
    const hold = this.#holds.get(id)
    if (hold !== undefined) hold.endsAtMs = endsAtMs
  }

  drop(id: string): void {
    const hold = this.#holds.get(id)
    if (hold === undefined) return
    this.#holds.delete(id)
    for (const wake of hold.waiters) wake()
  }

  /** Those whose claims are older than this; they count as renewed now. Holds that have ended go. */
  due(olderThanMs: number, nowMs: number): readonly string[] {
    const ids: string[] = []
    for (const [id, hold] of this.#holds) {
      if (hold.endsAtMs <= nowMs) this.drop(id)
      else if (hold.sinceMs <= olderThanMs && hold.endsAtMs === Number.POSITIVE_INFINITY) {
        hold.sinceMs = nowMs
        ids.push(id)
      }
    }
    return ids
  }
}

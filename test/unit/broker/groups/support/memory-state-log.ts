/** A state log in memory. A test may hold writes back, let them fail, compact the log, or crash with only what is durable. */
import { setImmediate as turn } from 'node:timers/promises'
import type { GroupCoordinator } from '../../../../../src/broker/groups/coordinator.ts'
import type { StateLog, StateRecord } from '../../../../../src/broker/groups/ports.ts'

export type LogEntry =
  | { readonly kind: 'records'; readonly records: readonly StateRecord[]; readonly producerId: number | null }
  | { readonly kind: 'marker'; readonly producerId: number; readonly result: 'commit' | 'abort' }

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export class MemoryStateLog implements StateLog {
  entries: LogEntry[] = []
  durable = 0
  #waiting: Waiting[] | null = null

  append(records: readonly StateRecord[], producer?: { readonly id: number }): Promise<void> {
    this.entries.push({ kind: 'records', records, producerId: producer?.id ?? null })
    const waiting = this.#waiting
    if (waiting === null) {
      this.durable = this.entries.length
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  }

  marker(producerId: number, result: 'commit' | 'abort'): void {
    this.entries.push({ kind: 'marker', producerId, result })
    if (this.#waiting === null) this.durable = this.entries.length
  }

  hold(): void {
    this.#waiting ??= []
  }

  async release(): Promise<void> {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    this.durable = this.entries.length
    for (const { resolve } of waiting) resolve()
    await turn()
  }

  async fail(error: Error): Promise<void> {
    for (const { reject } of this.#waiting ?? []) reject(error)
    this.#waiting = []
    await turn()
  }

  get records(): readonly StateRecord[] {
    return this.entries.flatMap((entry) => (entry.kind === 'records' ? entry.records : []))
  }

  /** What a crash leaves. */
  afterCrash(): MemoryStateLog {
    const log = new MemoryStateLog()
    log.entries = this.entries.slice(0, this.durable)
    log.durable = log.entries.length
    return log
  }

  /** Of each key only the last record, in the order of the log. Only for logs without transactions. */
  compacted(): MemoryStateLog {
    const last = new Map<string, number>()
    const all = this.records
    for (const [i, { key }] of all.entries()) last.set(key.toString('hex'), i)
    const log = new MemoryStateLog()
    log.entries = all
      .filter(({ key }, i) => last.get(key.toString('hex')) === i)
      .map((record) => ({ kind: 'records', records: [record], producerId: null }))
    log.durable = log.entries.length
    return log
  }

  replayInto(coordinator: GroupCoordinator): void {
    for (const entry of this.entries) {
      if (entry.kind === 'marker') coordinator.completeTransaction(entry.producerId, entry.result)
      else {
        for (const { key, value } of entry.records) {
          if (entry.producerId === null) coordinator.replay(key, value)
          else coordinator.replayPending(entry.producerId, key, value)
        }
      }
    }
  }
}

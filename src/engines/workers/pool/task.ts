/**
 * One call of a handler on its way through a pool: one record, or the records of a batch. It is queued, sent to one worker
 * at a time, and over when each of its records has ended, once.
 */
import type { AbortReason } from '../../../kernel/events.ts'
import type { Completion, Work } from '../../../ports/engine.ts'
import { identityOf } from '../../identity.ts'
import type { Result } from '../report-message.ts'

/** Not under suspicion: any number of others may run beside it. */
export const UNSUSPECTED: number = Number.POSITIVE_INFINITY

/** The worker that has it. */
export interface TaskPlace {
  abort(tasks: readonly Task[], reason: AbortReason): void
  /** False: it has begun. */
  takeBack(task: Task): boolean
}

export class Task {
  readonly works: readonly Work[]
  readonly isBatch: boolean
  readonly bytes: number
  /** How many calls may run in its worker at once, itself included: few after a worker died with it. */
  readonly companyMax: number
  /** The worker that keeps this key, with affinity; null: any. */
  readonly key: string | null
  /** null: it is queued. */
  place: TaskPlace | null = null
  /** Its number in the worker it was sent to; -1 while it is queued. */
  seq = -1
  /** The how-manieth call of that worker it is: what claims go by. */
  call = -1
  /** When its handler was seen to have begun. */
  startedMs: number | null = null
  /** When it was told that its time is up. */
  toldMs: number | null = null
  #open: number
  #ended: Uint8Array | null
  #isDeferred = false

  constructor(works: readonly Work[], isBatch: boolean, companyMax: number, key: string | null) {
    this.works = works
    this.isBatch = isBatch
    this.companyMax = companyMax
    this.key = key
    this.#open = works.length
    this.#ended = works.length > 1 ? new Uint8Array(works.length) : null
    let bytes = 0
    for (const { batch, index } of works) bytes += batch.sizes[index] ?? 0
    this.bytes = bytes
  }

  get isOver(): boolean {
    return this.#open === 0
  }

  /** It counts as running unless it waits for its deferred end. */
  get isDeferred(): boolean {
    return this.#isDeferred
  }

  get isSuspect(): boolean {
    return this.companyMax !== UNSUSPECTED
  }

  /** The end of one of its records, or null if that was said before. */
  settle(seq: number, result: Result): Completion | null {
    const at = seq - this.seq
    const work = this.works[at]
    if (work === undefined || this.#open === 0 || this.#ended?.[at] === 1) return null
    if (result.status === 'deferred') this.#isDeferred = true
    else {
      this.#open--
      if (this.#ended !== null) this.#ended[at] = 1
    }
    return completionOf(work, result)
  }

  /** All that has not ended ends like this. */
  end(result: Result): Completion[] {
    const completions: Completion[] = []
    for (const [at, work] of this.works.entries()) {
      if (this.#open === 0) break
      if (this.#ended?.[at] === 1) continue
      this.#open--
      completions.push(completionOf(work, result))
    }
    this.#open = 0
    return completions
  }

  /** Back in the queue: whatever is later said about that sending is about nothing. */
  recall(): void {
    this.place = null
    this.seq = -1
    this.startedMs = null
    this.toldMs = null
  }
}

function completionOf(work: Work, result: Result): Completion {
  const { topic, partition, offset, epoch, attempt, run } = work
  // What nearly every record comes to, as one literal.
  if (result.status === 'done' && result.sends === undefined) {
    return { topic, partition, offset, epoch, attempt, run: run as number, status: 'done' }
  }
  return { ...identityOf(work), ...result }
}

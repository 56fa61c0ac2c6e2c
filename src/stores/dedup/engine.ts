/**
 * An engine around another one: records whose id is done are not run again. What always holds:
 * - a handler starts only with a claim on its id, and never after its abort (I11): work that still waits for the store
 *   goes back unattempted;
 * - an id is marked before its completion is passed on. The other way round, a crash in between would repeat it;
 * - only what is done is marked: failures, dead letters and skipped records never are;
 * - a store that fails loses nothing and costs no attempt: records wait, with their keys held and no place taken, and
 *   come back (`deferred`, then `returned`).
 */
import type { AbortReason, Publication, PublishResult, WorkId } from '../../kernel/events.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DedupAnswer, DedupStore } from '../../ports/dedup.ts'
import type { Completion, Engine, Work } from '../../ports/engine.ts'
import { Backoff } from './backoff.ts'
import { Blocked } from './blocked.ts'
import { Claims } from './claims.ts'
import { Entries, type Entry } from './entries.ts'
import { Holds } from './holds.ts'
import { Marker } from './marker.ts'
import { StoreCalls } from './store-calls.ts'

export interface DedupEngineParts {
  readonly inner: Engine
  readonly store: DedupStore
  /** What it throws, or rejects with, fails the record. */
  readonly idOf: (work: Work) => string | Promise<string>
  /** The lane of a record, for batches; null = none. */
  readonly laneOf: (work: Work) => string | null
  readonly clock: Clock
  /** Unique to this consumer. */
  readonly owner: string
  readonly claimMs: number
  readonly timeoutMs: number
  /** Something went wrong, and things go on. */
  readonly report: (error: unknown) => void
  /** Things cannot go on. */
  readonly broken: (error: unknown) => void
}

type Groups = readonly (readonly Work[])[]

/** How long to leave an id alone that somebody else is at. */
const TAKEN_MS = 250

export class DedupEngine implements Engine {
  readonly #parts: DedupEngineParts
  readonly #calls: StoreCalls
  readonly #marker: Marker
  readonly #claims: Claims
  readonly #backoff: Backoff
  readonly #holds: Holds = new Holds()
  readonly #entries: Entries = new Entries()
  /** What a record sent, until it is published: the kernel hands the same list on. Nothing to clean up if it never is. */
  readonly #sent: WeakMap<object, string> = new WeakMap()
  readonly #timers: Set<() => void> = new Set()
  #asking = 0
  /** The store is left alone until then. */
  #restsUntilMs = 0
  #said: Completion[] = []
  #listener: (completions: readonly Completion[]) => void = () => undefined
  /** Records that were not run because their ids were done. */
  deduplicated = 0

  constructor(parts: DedupEngineParts) {
    this.#parts = parts
    this.#calls = new StoreCalls(parts)
    this.#backoff = new Backoff(parts.clock)
    const { clock, report, claimMs } = parts
    const settled = (): void => this.#flush()
    this.#marker = new Marker({ calls: this.#calls, clock, report, settled })
    this.#claims = new Claims({
      calls: this.#calls,
      holds: this.#holds,
      clock,
      claimMs,
      report,
      running: () => this.#entries.running(),
      settled,
    })
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#listener = listener
    this.#parts.inner.completions((completions) => this.#completed(completions))
  }

  submit(batch: readonly Work[]): void {
    const groups = batch.map((work) => [work])
    this.#admit(groups, (rest) => this.#parts.inner.submit(rest.flat()))
  }

  submitBatches(batches: Groups): void {
    this.#admit(batches, (rest) => this.#parts.inner.submitBatches?.(rest))
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    const inner: WorkId[] = []
    for (const work of works) {
      const entry = this.#entries.find(work)
      if (entry === undefined || entry.phase === 'running') inner.push(work)
      // The handler has ended: a time-out comes too late. For any other reason nobody waits for the mark, which is tried on.
      else if (entry.phase !== 'marking' || reason !== 'timeout') this.#giveBack(entry)
    }
    this.#flush()
    if (inner.length > 0) this.#parts.inner.abort?.(inner, reason)
  }

  inFlight(): number {
    return this.#parts.inner.inFlight() + this.#asking
  }

  capacity(): number {
    return this.#parts.inner.capacity()
  }

  async shutdown(deadlineMs: number): Promise<void> {
    this.#claims.close()
    for (const cancel of this.#timers) cancel()
    // Claims that are being asked for are given back when the answer comes: nobody is there to use them.
    for (const entry of this.#entries.all()) if (entry.phase !== 'running') this.#entries.delete(entry)
    await this.#parts.inner.shutdown(deadlineMs)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const cancel = this.#parts.clock.at(deadlineMs, resolve)
    await Promise.race([this.#marker.close(), late])
    cancel()
  }

  /** Outputs are acknowledged, or not. Their records are done only now: marked before, a crash would lose the outputs. */
  async published(publications: readonly Publication[], results: readonly PublishResult[]): Promise<void> {
    const isWritten = new Set(results.flatMap(({ ok, work }) => (ok ? [work.run] : [])))
    const marks = publications.flatMap(({ work, sends }) => {
      const id = this.#sent.get(sends)
      if (id === undefined) return []
      if (isWritten.has(work.run)) return [this.#markPublished(id)]
      this.#holds.drop(id)
      return []
    })
    await Promise.all(marks)
  }

  #markPublished(id: string): Promise<void> {
    return new Promise((resolve) => {
      const ended = (): void => {
        this.#holds.drop(id)
        resolve()
      }
      this.#marker.add({ id, ended })
    })
  }

  // Before the handler. --------------------------------------------------------------------------------------------

  #admit(groups: Groups, pass: (rest: Groups) => void): void {
    const entries = groups.map((group) => group.map((work) => this.#entries.add(work)))
    this.#asking++
    this.#ask(entries, pass)
      .catch((error) => this.#parts.broken(error))
      .finally(() => {
        this.#asking--
        this.#flush()
      })
  }

  async #ask(groups: readonly (readonly Entry[])[], pass: (rest: Groups) => void): Promise<void> {
    const asked: (readonly Entry[])[] = []
    for (const group of groups) asked.push(await this.#identify(group))
    const all = asked.flat()
    if (all.length === 0) return
    this.#flush()
    const answers = await this.#begin(all)
    if (answers === null) return
    const claimed = asked.map((group) => this.#judge(group, answers)).filter((group) => group.length > 0)
    this.#flush()
    if (claimed.length > 0) pass(claimed.map((group) => group.map(({ work }) => work)))
  }

  /** Those of a call whose ids can be asked for. The others fail, or wait, or go back behind one of their lane that does. */
  async #identify(group: readonly Entry[]): Promise<readonly Entry[]> {
    const blocked = new Blocked(group.length > 1 ? this.#parts.laneOf : null)
    const ready: Entry[] = []
    for (const entry of group) {
      if (blocked.has(entry.work)) {
        this.#giveBack(entry)
        continue
      }
      try {
        const id = this.#parts.idOf(entry.work)
        // Nearly always a text: no turn of the microtask queue for it.
        entry.id = typeof id === 'string' ? id : await id
      } catch (error) {
        blocked.add(entry.work)
        this.#settle(entry, { status: 'failed', error })
        continue
      }
      if (!this.#entries.has(entry)) continue
      if (this.#holds.take(entry.id, this.#parts.clock.now())) ready.push(entry)
      else {
        blocked.add(entry.work)
        this.#wait(entry)
        this.#holds.await(entry.id, () => this.#comeBack([entry]))
      }
    }
    return ready
  }

  async #begin(asked: readonly Entry[]): Promise<ReadonlyMap<string, DedupAnswer> | null> {
    const ids = asked.map(({ id }) => id)
    const restMs = this.#restsUntilMs - this.#parts.clock.now()
    // It failed a moment ago: thousands of records do not knock one by one.
    if (restMs > 0) return this.#putOff(asked, restMs)
    this.#claims.keep()
    try {
      const answers = await this.#calls.begin(ids, (late) => this.#claims.releaseIdle(late))
      this.#backoff.worked()
      return new Map(ids.map((id, at) => [id, answers[at] as DedupAnswer]))
    } catch (error) {
      this.#parts.report(error)
      const ms = this.#backoff.failed()
      this.#restsUntilMs = this.#parts.clock.now() + ms
      return this.#putOff(asked, ms)
    }
  }

  #putOff(asked: readonly Entry[], ms: number): null {
    const waiting = asked.filter((entry) => this.#entries.has(entry))
    for (const entry of waiting) this.#wait(entry)
    this.#later(ms, () => this.#comeBack(waiting))
    for (const { id } of asked) this.#holds.drop(id)
    return null
  }

  /** What the store says about the records of one call; returns those that run. */
  #judge(group: readonly Entry[], answers: ReadonlyMap<string, DedupAnswer>): readonly Entry[] {
    const blocked = new Blocked(group.length > 1 ? this.#parts.laneOf : null)
    const claimed: Entry[] = []
    const unused: string[] = []
    const taken: Entry[] = []
    for (const entry of group) {
      const answer = answers.get(entry.id)
      const isBlocked = blocked.has(entry.work)
      if (answer === 'new' && this.#entries.has(entry) && !isBlocked) {
        entry.phase = 'running'
        claimed.push(entry)
        continue
      }
      if (answer === 'new') unused.push(entry.id)
      else this.#holds.drop(entry.id)
      if (!this.#entries.has(entry)) continue
      if (isBlocked) this.#giveBack(entry)
      else if (answer === 'done') {
        this.deduplicated++
        this.#settle(entry, { status: 'done' })
      } else {
        blocked.add(entry.work)
        this.#wait(entry)
        taken.push(entry)
      }
    }
    if (taken.length > 0) this.#later(TAKEN_MS, () => this.#comeBack(taken))
    this.#claims.release(unused)
    return claimed
  }

  /** Its key stays held, its place is free. */
  #wait(entry: Entry): void {
    entry.phase = 'waiting'
    this.#said.push({ ...identityOf(entry.work), status: 'deferred' })
  }

  #comeBack(entries: readonly Entry[]): void {
    for (const entry of entries) if (entry.phase === 'waiting') this.#giveBack(entry)
    this.#flush()
  }

  /** Not attempted: the attempt does not count, and it is handed out again if its lease is still open. */
  #giveBack(entry: Entry): void {
    this.#settle(entry, { status: 'returned' })
  }

  #settle(entry: Entry, end: { status: 'done' } | { status: 'returned' } | { status: 'failed'; error: unknown }): void {
    if (!this.#entries.delete(entry)) return
    this.#said.push({ ...identityOf(entry.work), ...end })
  }

  // After the handler. ---------------------------------------------------------------------------------------------

  #completed(completions: readonly Completion[]): void {
    const released: string[] = []
    for (const completion of completions) {
      const entry = this.#entries.find(completion)
      // Known no more: the control plane counts it. Known, but not with the inner engine: it has said so before.
      if (entry === undefined || completion.status === 'deferred') this.#said.push(completion)
      else if (entry.phase !== 'running') continue
      else if (completion.status === 'done') this.#done(entry, completion)
      else {
        this.#entries.delete(entry)
        this.#said.push(completion)
        released.push(entry.id)
      }
    }
    this.#claims.release(released)
    this.#flush()
  }

  #done(entry: Entry, completion: Extract<Completion, { status: 'done' }>): void {
    const { sends } = completion
    if (sends !== undefined && sends.length > 0) {
      this.#entries.delete(entry)
      this.#sent.set(sends, entry.id)
      // If the lease ends before they are published, nobody says so.
      this.#holds.lapseAt(entry.id, this.#parts.clock.now() + this.#parts.claimMs)
      this.#said.push(completion)
      return
    }
    entry.phase = 'marking'
    this.#marker.add({
      id: entry.id,
      ended: (isMarked) => {
        this.#holds.drop(entry.id)
        if (isMarked && this.#entries.delete(entry)) this.#said.push(completion)
      },
    })
  }

  #later(ms: number, then: () => void): void {
    const { clock } = this.#parts
    const cancel = clock.at(clock.now() + ms, () => {
      this.#timers.delete(cancel)
      then()
    })
    this.#timers.add(cancel)
  }

  #flush(): void {
    if (this.#said.length === 0) return
    const said = this.#said
    this.#said = []
    this.#listener(said)
  }
}

function identityOf({ topic, partition, offset, epoch, attempt, run }: WorkId): WorkId {
  return { topic, partition, offset, epoch, attempt, run: run as number }
}

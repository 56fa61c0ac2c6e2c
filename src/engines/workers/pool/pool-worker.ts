/**
 * One worker, as the pool sees it: what it was sent, what it has begun, how much more it should be given.
 *
 * How much: a worker gets what keeps it busy for about eight milliseconds and no more, because what waits in a worker waits
 * behind its handlers, whatever other workers do. So a handler of a microsecond gets a thousand calls at once, one of a
 * millisecond eight, and one of a second none while it runs. Less would leave workers idle whenever the system lets us wait. Only the time until the first await counts: calls that wait for
 * a promise are no burden, and there may be any number of them.
 */
import type { AbortReason } from '../../../kernel/events.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Work } from '../../../ports/engine.ts'
import type { LinkListener, WorkerEnd, WorkerLink } from '../link.ts'
import { type FromWorker, packPlain, readFromWorker, type WorkerSetup } from '../messages.ts'
import { type ReportHead, type Result, readReport } from '../report-message.ts'
import { packRun, type TopicNumbers } from '../run-message.ts'
import type { Task, TaskPlace } from './task.ts'

/** What waits in a worker: so much time, and never more than this in calls and bytes. */
const WAITING_US = 8_000
const WAITING_MAX = 1_024
const WAITING_BYTES_MAX = 4 * 2 ** 20
/** One to work on and one to go on with. Whatever comes meanwhile waits here and travels together: no message for each. */
const MESSAGES_MAX = 2
/** From here on nothing waits in a worker: the way to it takes a small part of the call. */
const LONG_CALL_US = 5_000
/** A worker that has calls before it and has said nothing for so long gets no more of them. */
const SILENT_MS = 10
/** The weight of the last report. Up at once, down slowly: a long call in a crowd of short ones is remembered. */
const DOWN = 0.25

/**
 * - starting: loads its module
 * - ready: takes work
 * - retiring: takes no more, ends when all it has is over
 * - stopping: was told to end, or is being killed
 * - dead: nothing of it runs
 */
export type WorkerPhase = 'starting' | 'ready' | 'retiring' | 'stopping' | 'dead'

export interface WorkerListener {
  ready(worker: PoolWorker): void
  refused(worker: PoolWorker, error: Uint8Array): void
  /** Records ended; `settle` was called for each before. */
  reported(worker: PoolWorker): void
  settle(worker: PoolWorker, seq: number, result: Result): void
  logged(line: Extract<FromWorker, { kind: 'log' }>): void
  ended(worker: PoolWorker, end: WorkerEnd): void
}

export class PoolWorker implements LinkListener, TaskPlace {
  phase: WorkerPhase = 'starting'
  /** Calls that are not over, deferred ones included, in the order of their numbers. */
  readonly underWay: Map<number, Task> = new Map()
  /** Why we ended it ourselves. */
  killedFor: 'blocked' | 'start' | 'stop' | null = null
  /** The call that blocked it. */
  blockedBy: Task | null = null
  /** Records that it has finished. */
  finished = 0
  heardMs: number
  /** Ends the wait for it to start, or to end. */
  cancelWait: () => void = () => undefined
  /** What it said it dies of. */
  lastWords: Uint8Array | null = null
  readonly #link: WorkerLink
  readonly #clock: Clock
  readonly #listener: WorkerListener
  readonly #topics: TopicNumbers = new Map()
  /** Calls that have not been entered and left, as far as we know: the first may be running. */
  #line: Task[] = []
  #lineBytes = 0
  /** The number behind the last record of each message that it is not through with. */
  #messages: number[] = []
  #nextSeq = 0
  #nextCall = 0
  #sent = 0
  #callUs: number | null = null

  constructor(open: (listener: LinkListener) => WorkerLink, clock: Clock, listener: WorkerListener) {
    this.#clock = clock
    this.#listener = listener
    this.heardMs = clock.now()
    this.#link = open(this)
  }

  get name(): string {
    return this.#link.name
  }

  /** Records that were sent to it, in all. */
  get sent(): number {
    return this.#sent
  }

  /** Calls wait in it, or one is running that has not come to an await. */
  get hasLine(): boolean {
    return this.#line.length > 0
  }

  get isSilent(): boolean {
    return this.#line.length > 0 && this.#clock.now() - this.heardMs > SILENT_MS
  }

  /** How many more calls it may have now. */
  room(): number {
    if (this.phase !== 'ready' || this.#lineBytes >= WAITING_BYTES_MAX) return 0
    if (this.#messages.length >= MESSAGES_MAX || this.isSilent) return 0
    return Math.max(0, this.#waitingMax() - this.#line.length)
  }

  #waitingMax(): number {
    // Nothing is known yet: one, and then we know.
    if (this.#callUs === null || this.#callUs >= LONG_CALL_US) return 1
    return Math.min(WAITING_MAX, Math.max(2, Math.floor(WAITING_US / this.#callUs)))
  }

  start(setup: WorkerSetup): void {
    this.#link.post(packPlain({ kind: 'start', setup }))
  }

  send(tasks: readonly Task[], laneOf: (work: Work) => string | null): void {
    const first = this.#nextSeq
    let bytes = 0
    for (const task of tasks) {
      task.place = this
      task.seq = this.#nextSeq
      task.call = this.#nextCall++
      this.#nextSeq += task.works.length
      this.#sent += task.works.length
      bytes += task.bytes
      for (let at = 0; at < task.works.length; at++) this.underWay.set(task.seq + at, task)
      this.#link.claims.sent(task.call)
      this.#line.push(task)
    }
    if (this.#line.length === tasks.length) this.heardMs = this.#clock.now()
    this.#lineBytes += bytes
    this.#messages.push(this.#nextSeq)
    this.#link.post(packRun(tasks, first, this.#topics, laneOf, bytes))
  }

  /** Does this one keep to the limits of the bytes? The first always does. */
  takesBytes(soFar: number, more: number): boolean {
    return soFar + this.#lineBytes === 0 || soFar + this.#lineBytes + more <= WAITING_BYTES_MAX
  }

  abort(tasks: readonly Task[], reason: AbortReason): void {
    this.#link.post(packPlain({ kind: 'abort', seqs: tasks.map(({ seq }) => seq), reason }))
  }

  /** Take a call back that has not begun. */
  takeBack(task: Task): boolean {
    if (!this.#link.claims.takeBack(task.call)) return false
    const at = this.#line.indexOf(task)
    if (at !== -1) {
      this.#line.splice(at, 1)
      this.#lineBytes -= task.bytes
    }
    this.#sent -= task.works.length
    this.forget(task)
    return true
  }

  /** It has no time to report: what is known to be done is taken as done. */
  harvest(): void {
    const { claims } = this.#link
    const left: Task[] = []
    for (const task of this.#line) {
      if (!claims.isDone(task.call)) {
        left.push(task)
        continue
      }
      this.#lineBytes -= task.bytes
      this.#listener.settle(this, task.seq, { status: 'done' })
    }
    this.#line = left
  }

  /** What is under way: what its handlers have seen, and what they have not, in order. */
  sorted(): { readonly begun: Task[]; readonly unbegun: Task[] } {
    const line = new Set(this.#line)
    const begun: Task[] = []
    const unbegun: Task[] = []
    for (const task of new Set(this.underWay.values())) {
      const isWaiting = line.has(task) && task.startedMs === null && !this.#link.claims.isStarted(task.call)
      if (isWaiting) unbegun.push(task)
      else begun.push(task)
    }
    return { begun, unbegun }
  }

  /** The first call that it has begun and, as far as we know, not left. */
  front(): Task | null {
    const first = this.#line[0]
    return first !== undefined && this.#link.claims.isStarted(first.call) ? first : null
  }

  /** The call that it is inside of now, or was when it died; null: none, or nobody can tell. */
  entered(): Task | null {
    const { claims } = this.#link
    return claims.isExact() ? (this.#line.findLast(({ call }) => claims.isStarted(call)) ?? null) : null
  }

  /** Nothing waited for a promise when the last call was entered. */
  get wasAlone(): boolean {
    return this.#link.claims.pending() === 0
  }

  /** Note the time of calls that have begun since somebody looked. */
  stamp(nowMs: number): void {
    const front = this.front()
    if (front !== null) front.startedMs ??= nowMs
  }

  forget(task: Task): void {
    for (let at = 0; at < task.works.length; at++) this.underWay.delete(task.seq + at)
  }

  stop(): void {
    if (this.phase === 'stopping' || this.phase === 'dead') return
    this.phase = 'stopping'
    this.killedFor ??= 'stop'
    this.#link.post(packPlain({ kind: 'stop' }))
  }

  kill(why: 'blocked' | 'start' | 'stop'): void {
    if (this.phase === 'dead') return
    this.killedFor ??= why
    this.phase = 'stopping'
    this.#link.kill()
  }

  // The worker speaks. -----------------------------------------------------------------------------------------------

  message(bytes: Buffer): void {
    this.heardMs = this.#clock.now()
    const message = readFromWorker(bytes)
    switch (message.kind) {
      case 'ready':
        if (this.phase === 'starting') {
          this.phase = 'ready'
          this.cancelWait()
          this.#listener.ready(this)
        }
        return
      case 'refused':
        return this.#listener.refused(this, message.error)
      case 'report':
        this.#learn(readReport(message.reader, (seq, result) => this.#listener.settle(this, seq, result)))
        return this.#listener.reported(this)
      case 'log':
        return this.#listener.logged(message)
      case 'crashed':
        this.lastWords = message.error
        return
      case 'heard':
        return
    }
  }

  ended(end: WorkerEnd): void {
    this.phase = 'dead'
    this.cancelWait()
    this.#listener.ended(this, end)
  }

  #learn({ nextSeq, calls, busyUs }: ReportHead): void {
    let left = 0
    for (const task of this.#line) {
      if (task.seq >= nextSeq) break
      left++
      this.#lineBytes -= task.bytes
      task.startedMs ??= this.heardMs
    }
    if (left > 0) this.#line.splice(0, left)
    while ((this.#messages[0] ?? Number.POSITIVE_INFINITY) <= nextSeq) this.#messages.shift()
    if (calls === 0) return
    const callUs = busyUs / calls
    this.#callUs =
      this.#callUs === null || callUs > this.#callUs ? callUs : this.#callUs + DOWN * (callUs - this.#callUs)
  }
}

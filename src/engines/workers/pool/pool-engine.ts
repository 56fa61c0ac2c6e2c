/**
 * The engine for threads and for processes: a queue, a crew of workers, and the rules between them.
 *
 * What always holds: a task is queued or in one worker; each of its records is completed once; the records of a dead worker
 * are completed only when nothing of it runs any more, so that no record runs twice at once (I8); what no handler has seen
 * goes to another worker as if nothing had happened.
 *
 * `handlerTimeoutMs` is kept here and not by the control plane, which counts from the moment of dispatch: here a record may
 * wait for a worker, and its time begins with its handler.
 */
import { deserialize } from 'node:v8'
import type { FanlaneError } from '../../../errors.ts'
import type { AbortReason, WorkId } from '../../../kernel/events.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Completion, Engine, Work } from '../../../ports/engine.ts'
import type { Logger } from '../../../ports/logger.ts'
import { abortError } from '../../abort.ts'
import type { WorkerEnd } from '../link.ts'
import type { FromWorker } from '../messages.ts'
import type { Result } from '../report-message.ts'
import { blame, blockedError, deathError, type Verdict } from './blame.ts'
import { Crew, type CrewListener, type CrewOptions } from './crew.ts'
import { Dispatcher } from './dispatcher.ts'
import type { PoolWorker } from './pool-worker.ts'
import { Suspects } from './suspects.ts'
import { Task, type TaskPlace, UNSUSPECTED } from './task.ts'
import { Watch } from './watch.ts'

export interface PoolEngineOptions extends Omit<CrewOptions, 'logger'> {
  readonly logger: Logger
  readonly clock: Clock
  readonly capacity: () => number
  /** A key stays with one worker. */
  readonly affinity: boolean
  /** The lane of a record, for batches; null = none. */
  readonly laneOf: (work: Work) => string | null
  readonly handlerTimeoutMs: number | null
  /** After so many attempts a failure is final. */
  readonly attempts: number
  /** False for at-most-once: what may have begun has failed. */
  readonly mayRunAgain: boolean
}

export class PoolEngine implements Engine, CrewListener {
  readonly #options: PoolEngineOptions
  readonly #crew: Crew
  readonly #dispatcher: Dispatcher
  readonly #watch: Watch
  readonly #suspects: Suspects = new Suspects()
  /** Everything that is not over, by the run of each record: for aborts. */
  readonly #tasks: Map<number, Task> = new Map()
  #listener: (completions: readonly Completion[]) => void = () => {
    throw new Error('completions() was not called before the first submit')
  }
  #tellFailure: (error: unknown) => void = () => undefined
  #ended: Completion[] = []
  #running = 0
  #deaths = 0
  #failure: FanlaneError | null = null

  constructor(options: PoolEngineOptions) {
    this.#options = options
    this.#crew = new Crew(options, this)
    this.#dispatcher = new Dispatcher(this.#crew, options)
    this.#watch = new Watch(this.#crew, options, () => {
      this.#dispatcher.relieve()
      this.#flush()
    })
  }

  start(): Promise<void> {
    return this.#crew.start()
  }

  completions(listener: (completions: readonly Completion[]) => void): void {
    this.#listener = listener
  }

  failed(error: FanlaneError): void {
    this.#failure = error
    this.#tellFailure(error)
    for (const task of this.#dispatcher.drain()) this.#giveUp(task)
    this.#flush()
  }

  failures(listener: (error: unknown) => void): void {
    this.#tellFailure = listener
  }

  submit(batch: readonly Work[]): void {
    for (const work of batch) this.#add([work], false)
    this.#go()
  }

  submitBatches(batches: readonly (readonly Work[])[]): void {
    for (const works of batches) this.#add(works, true)
    this.#go()
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    if (reason === 'timeout') return
    const sent = new Map<TaskPlace, Task[]>()
    for (const task of new Set(works.map(({ run }) => this.#tasks.get(run as number)))) {
      if (task === undefined || task.isOver) continue
      const { place } = task
      // A handler that has not begun does not begin (I11).
      if (place === null || place.takeBack(task)) this.#end(task, { status: 'failed', error: abortError(reason) })
      else sent.set(place, [...(sent.get(place) ?? []), task])
    }
    for (const [place, tasks] of sent) place.abort(tasks, reason)
    this.#go()
  }

  inFlight(): number {
    return this.#running
  }

  gauges(): Readonly<Record<string, number>> {
    const workers = this.#crew.workers.filter((worker) => worker !== null)
    return {
      workers: workers.length,
      busy: workers.filter(({ underWay }) => underWay.size > 0).length,
      deaths: this.#deaths,
    }
  }

  capacity(): number {
    return this.#options.capacity()
  }

  async shutdown(deadlineMs: number): Promise<void> {
    this.#watch.stop()
    this.#dispatcher.drain()
    await this.#crew.stop(deadlineMs)
  }

  // Tasks. -----------------------------------------------------------------------------------------------------------

  #add(works: readonly Work[], isBatch: boolean): void {
    const companyMax = this.#suspects.companyMax(works)
    // Which record of a batch kills workers is found out by handing them over one by one.
    const together = isBatch && companyMax !== UNSUSPECTED ? works.slice(0, 1) : works
    const task = new Task(together, isBatch, companyMax, this.#options.affinity ? keyOf(works[0]) : null)
    for (const work of together) this.#tasks.set(work.run as number, task)
    this.#running += together.length
    if (together !== works) {
      for (const work of works.slice(1)) this.#ended.push({ ...idOf(work), status: 'returned' })
    }
    if (this.#failure === null) this.#dispatcher.add(task)
    else this.#giveUp(task)
  }

  #go(): void {
    this.#dispatch()
    this.#flush()
  }

  #dispatch(): void {
    this.#dispatcher.dispatch()
    if (this.#tasks.size > 0) this.#watch.wake()
  }

  #end(task: Task, result: Result): void {
    const wasDeferred = task.isDeferred
    for (const completion of task.end(result)) this.#note(completion, wasDeferred)
  }

  #note(completion: Completion, wasDeferred: boolean): void {
    if (!wasDeferred) this.#running--
    if (completion.status !== 'deferred') this.#tasks.delete(completion.run as number)
    this.#ended.push(completion)
  }

  #flush(): void {
    if (this.#ended.length === 0) return
    const ended = this.#ended
    this.#ended = []
    this.#listener(ended)
  }

  /** There is no worker left to run it. */
  #giveUp(task: Task): void {
    if (this.#options.mayRunAgain) this.#end(task, { status: 'returned' })
    else this.#end(task, { status: 'failed', error: this.#failure })
  }

  // The crew speaks. -------------------------------------------------------------------------------------------------

  settle(worker: PoolWorker, seq: number, result: Result): void {
    const task = worker.underWay.get(seq)
    const wasDeferred = task?.isDeferred ?? false
    const completion = task?.settle(seq, result) ?? null
    if (completion === null) return
    this.#note(completion, wasDeferred)
    if (result.status === 'deferred') return
    worker.finished++
    worker.underWay.delete(seq)
    this.#suspects.clear(completion)
  }

  reported(worker: PoolWorker): void {
    this.#crew.check(worker)
    this.#flush()
    this.#dispatch()
  }

  available(): void {
    this.#dispatch()
  }

  logged({ level, bound, fields, message }: Extract<FromWorker, { kind: 'log' }>): void {
    const { logger } = this.#options
    const about = bound === null ? null : (deserialize(bound) as object)
    const said: unknown = deserialize(fields)
    const to = about === null ? logger : (logger.child?.(about) ?? logger)
    to[level](typeof said === 'object' && said !== null ? said : { fields: said }, message)
  }

  died(worker: PoolWorker, end: WorkerEnd): void {
    if (worker.killedFor !== 'stop') this.#deaths++
    worker.harvest()
    const { begun, unbegun } = worker.sorted()
    const { blockedBy, wasAlone } = worker
    const verdicts = blame({ begun, entered: worker.entered(), wasAlone, blockedBy })
    for (const verdict of verdicts) this.#fail(worker, end, verdict, begun.length - 1)
    this.#dispatcher.putBack(unbegun)
    if (worker.killedFor !== 'stop') this.#tellDeath(worker, end, begun, unbegun)
    this.#flush()
    this.#dispatch()
  }

  #fail(worker: PoolWorker, end: WorkerEnd, verdict: Verdict, others: number): void {
    const { attempts, mayRunAgain, handlerTimeoutMs } = this.#options
    const { task, isCertain, companyMax } = verdict
    if (companyMax !== UNSUSPECTED) for (const work of task.works) this.#suspects.add(work, companyMax)
    // Perhaps another one's fault: it must not be the last straw.
    const isLast = task.works.some(({ attempt }) => attempt >= attempts)
    if (isLast && !isCertain && mayRunAgain) return this.#end(task, { status: 'returned' })
    const error =
      worker.killedFor === 'blocked'
        ? blockedError(worker.name, verdict, handlerTimeoutMs ?? 0)
        : deathError(worker.name, end, verdict, others)
    this.#end(task, { status: 'failed', error })
  }

  #tellDeath(worker: PoolWorker, end: WorkerEnd, begun: readonly Task[], unbegun: readonly Task[]): void {
    this.#options.logger.warn(
      {
        worker: worker.name,
        exitCode: end.exitCode,
        signal: end.signal,
        error: end.error,
        running: begun.length,
        unbegun: unbegun.length,
        blocked: worker.killedFor === 'blocked',
      },
      'a worker died; its records are tried again, and another worker takes its place',
    )
  }
}

function keyOf(work: Work | undefined): string | null {
  return work?.batch.keys[work.index] ?? null
}

function idOf({ topic, partition, offset, epoch, attempt, run }: Work): WorkId {
  return { topic, partition, offset, epoch, attempt, run: run as number }
}

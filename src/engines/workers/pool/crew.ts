/**
 * The workers of a pool and their lives: started before the first record, replaced when they die or have done their share,
 * ended together. A slot is a place for one worker at a time; while a replacement starts, the old one works on.
 *
 * One slot more, the ward, has a worker only while there are suspects: records that may have killed one (see blame.ts).
 */
import { FanlaneError } from '../../../errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Logger } from '../../../ports/logger.ts'
import { endText, type LinkListener, type WorkerEnd, type WorkerLink } from '../link.ts'
import type { WorkerSetup } from '../messages.ts'
import { unpackError } from '../portable-error.ts'
import { PoolWorker, type WorkerListener } from './pool-worker.ts'

/** A module that has not loaded by then never will. */
const START_MS_MAX = 60_000
/** How often in a row workers may fail to start, with none left, before the consumer gives up. */
const START_FAILURES_MAX = 8
const BACKOFF_MS = 50
const BACKOFF_MS_MAX = 3_000
/** How long workers may take to end, whatever the deadline. */
const STOP_MS_MAX = 5_000
/** The ward is closed after so long without a suspect. */
const WARD_IDLE_MS = 10_000

export interface CrewOptions {
  readonly workers: number
  readonly maxRecordsPerWorker: number | null
  readonly setup: WorkerSetup
  readonly open: (listener: LinkListener) => WorkerLink
  readonly clock: Clock
  readonly logger: Logger
}

export interface CrewListener extends Pick<WorkerListener, 'settle' | 'reported' | 'logged'> {
  /** A worker is ready for more. */
  available(): void
  /** It had work under way, or not; its place is being filled. */
  died(worker: PoolWorker, end: WorkerEnd): void
  /** There is no worker, and there will be none. */
  failed(error: FanlaneError): void
}

interface Slot {
  worker: PoolWorker | null
  /** Starting: the first one, or a replacement. */
  next: PoolWorker | null
  /** In a row, without a record finished in between. */
  failures: number
  cancelHire: (() => void) | null
}

export class Crew implements WorkerListener {
  readonly #options: CrewOptions
  readonly #listener: CrewListener
  readonly #slots: readonly Slot[]
  readonly #ward: Slot = newSlot()
  readonly #all: Set<PoolWorker> = new Set()
  #startFailures = 0
  #starting: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | null = null
  #phase: 'working' | 'stopping' = 'working'
  #whenGone: () => void = () => undefined
  #cancelWardEnd: (() => void) | null = null

  constructor(options: CrewOptions, listener: CrewListener) {
    this.#options = options
    this.#listener = listener
    this.#slots = Array.from({ length: options.workers }, newSlot)
  }

  /** Resolves when every worker has loaded its module; rejects if one cannot. */
  start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#starting = { resolve, reject }
    for (const slot of this.#slots) this.#hire(slot)
    return promise
  }

  /** By slot; null where there is none at the moment. */
  get workers(): readonly (PoolWorker | null)[] {
    return this.#slots.map(({ worker }) => (worker?.phase === 'ready' ? worker : null))
  }

  get everybody(): Iterable<PoolWorker> {
    return this.#all
  }

  /** The worker for suspects, once it is there. */
  ward(): PoolWorker | null {
    const ward = this.#ward
    this.#cancelWardEnd?.()
    this.#cancelWardEnd = null
    if (ward.worker === null && ward.next === null && ward.cancelHire === null) this.#hire(ward)
    return ward.worker?.phase === 'ready' ? ward.worker : null
  }

  /** No suspects: the ward is closed after a while. */
  restWard(): void {
    const { clock } = this.#options
    if (this.#ward.worker === null || this.#cancelWardEnd !== null || this.#phase !== 'working') return
    this.#cancelWardEnd = clock.at(clock.now() + WARD_IDLE_MS, () => {
      this.#cancelWardEnd = null
      if (this.#ward.worker !== null) this.#dismiss(this.#ward.worker)
    })
  }

  /** After a report: has it done its share, or all that it had? */
  check(worker: PoolWorker): void {
    const { maxRecordsPerWorker } = this.#options
    if (worker.phase === 'retiring' && worker.underWay.size === 0) return this.#dismiss(worker)
    if (worker.phase !== 'ready' || maxRecordsPerWorker === null || worker.sent < maxRecordsPerWorker) return
    const slot = this.#slots.find((each) => each.worker === worker)
    if (slot !== undefined && slot.next === null && slot.cancelHire === null) this.#hire(slot)
  }

  async stop(deadlineMs: number): Promise<void> {
    const { clock } = this.#options
    this.#phase = 'stopping'
    this.#cancelWardEnd?.()
    for (const slot of [...this.#slots, this.#ward]) slot.cancelHire?.()
    if (this.#all.size === 0) return
    const gone = new Promise<void>((resolve) => {
      this.#whenGone = resolve
    })
    for (const worker of this.#all) worker.stop()
    const lastMs = Math.min(deadlineMs, clock.now() + STOP_MS_MAX)
    const cancel = clock.at(lastMs, () => {
      for (const worker of this.#all) worker.kill('stop')
    })
    await gone
    cancel()
  }

  // Workers speak. ---------------------------------------------------------------------------------------------------

  ready(worker: PoolWorker): void {
    const slot = this.#slotOf(worker)
    if (slot === undefined) return
    const old = slot.worker
    slot.worker = worker
    slot.next = null
    this.#startFailures = 0
    if (old !== null) {
      old.phase = 'retiring'
      this.check(old)
    }
    if (this.#slots.every((each) => each.worker !== null)) {
      this.#starting?.resolve()
      this.#starting = null
    }
    this.#listener.available()
  }

  refused(worker: PoolWorker, error: Uint8Array): void {
    worker.lastWords = error
    worker.kill('start')
  }

  reported(worker: PoolWorker): void {
    this.#listener.reported(worker)
  }

  settle(...settled: Parameters<WorkerListener['settle']>): void {
    this.#listener.settle(...settled)
  }

  logged(...line: Parameters<WorkerListener['logged']>): void {
    this.#listener.logged(...line)
  }

  ended(worker: PoolWorker, { exitCode, signal, error }: WorkerEnd): void {
    const end = { exitCode, signal, error: worker.lastWords === null ? error : unpackError(worker.lastWords) }
    this.#all.delete(worker)
    const slot = this.#slotOf(worker)
    if (slot?.next === worker) {
      slot.next = null
      this.#startFailed(slot, startError(worker, end))
    } else {
      if (slot !== undefined) slot.worker = null
      this.#listener.died(worker, end)
      if (slot !== undefined && !(slot === this.#ward && worker.killedFor === 'stop')) this.#refill(slot, worker)
    }
    if (this.#all.size === 0) this.#whenGone()
  }

  // Hiring. ----------------------------------------------------------------------------------------------------------

  #slotOf(worker: PoolWorker): Slot | undefined {
    return [...this.#slots, this.#ward].find((slot) => slot.worker === worker || slot.next === worker)
  }

  #hire(slot: Slot): void {
    const { open, clock, setup } = this.#options
    slot.cancelHire = null
    if (this.#phase === 'stopping') return
    try {
      const worker = new PoolWorker(open, clock, this)
      slot.next = worker
      this.#all.add(worker)
      worker.cancelWait = clock.at(clock.now() + START_MS_MAX, () => worker.kill('start'))
      worker.start(setup)
    } catch (error) {
      // No thread, no process, no file to be had: later, perhaps.
      this.#startFailed(slot, startError(null, { exitCode: null, signal: null, error }))
    }
  }

  /** In good order, if that does not take too long: its module may close things. */
  #dismiss(worker: PoolWorker): void {
    const { clock } = this.#options
    worker.stop()
    worker.cancelWait = clock.at(clock.now() + STOP_MS_MAX, () => worker.kill('stop'))
  }

  /** At once, unless workers die here one after the other without doing anything. */
  #refill(slot: Slot, { finished }: PoolWorker): void {
    slot.failures = finished > 0 ? 0 : slot.failures + 1
    if (slot.next !== null || slot.cancelHire !== null) return
    if (slot.failures <= 1) return this.#hire(slot)
    this.#hireLater(slot)
  }

  #hireLater(slot: Slot): void {
    const { clock } = this.#options
    if (this.#phase === 'stopping') return
    const waitMs = Math.min(BACKOFF_MS_MAX, BACKOFF_MS * 2 ** slot.failures)
    slot.cancelHire = clock.at(clock.now() + waitMs, () => this.#hire(slot))
  }

  #startFailed(slot: Slot, error: FanlaneError): void {
    if (this.#phase === 'stopping') return
    if (this.#starting !== null) {
      this.#starting.reject(error)
      this.#starting = null
      return
    }
    slot.failures++
    this.#startFailures++
    const { logger } = this.#options
    const isAnybodyThere = this.workers.some((each) => each !== null)
    if (!isAnybodyThere && this.#startFailures >= START_FAILURES_MAX) {
      return this.#listener.failed(
        new FanlaneError(
          'WORKERS_FAILED',
          `No worker is left, and ${this.#startFailures} in a row could not be started. ${error.message}`,
          { cause: error },
        ),
      )
    }
    logger.error({ error, tries: slot.failures }, 'a worker could not be started; it is tried again')
    this.#hireLater(slot)
  }
}

function newSlot(): Slot {
  return { worker: null, next: null, failures: 0, cancelHire: null }
}

/** What the module said is the clearest there is. */
function startError(worker: PoolWorker | null, end: WorkerEnd): FanlaneError {
  const { error } = end
  if (error instanceof FanlaneError) return error
  if (worker === null) {
    const said = error instanceof Error ? error.message : String(error)
    return new FanlaneError(
      'WORKER_START_FAILED',
      `A worker could not be started: ${said.replace(/\.?$/, '.')} See the limits of threads, processes, open files and temporary space, and what engine.execArgv says.`,
      { cause: error },
    )
  }
  const isLate = worker.killedFor === 'start' && error === null
  return new FanlaneError(
    'WORKER_START_FAILED',
    `A worker (${worker.name}) ${isLate ? `was not ready within ${START_MS_MAX} ms` : endText(end)} while it loaded the handler module. See that the module can be imported by itself and that its top level ends.`,
    { cause: error ?? undefined },
  )
}

/** What a contender in Node is given: the task, the handler, and where to say what was committed. */
import { existsSync, readFileSync } from 'node:fs'
import { basesOf } from '../../core/plan.ts'
import type { Outcome, Task } from '../task.ts'
import { Ledger } from './ledger.ts'

/** Loads its library and gives the function that is timed. */
export type Prepare = (task: Task) => Promise<(run: Run) => Promise<void>>

export class Run {
  readonly task: Task
  readonly ledger: Ledger
  /** The id of the first record of each partition. */
  readonly bases: readonly number[]
  readonly #committed: number[]
  readonly #failure: PromiseWithResolvers<never> = Promise.withResolvers()
  readonly #allCommitted: PromiseWithResolvers<void> = Promise.withResolvers()
  readonly #told: Promise<void>
  /** Partitions that are not committed to their end. */
  #behind: number
  #committedMs: number | null = null
  #waitedMs = 0
  #waits = 0

  constructor(task: Task, told: Promise<void>) {
    this.task = task
    this.ledger = new Ledger(task)
    this.bases = basesOf(task.ends)
    this.#committed = task.ends.map(() => 0)
    this.#behind = task.ends.filter((end) => end > 0).length
    this.#told = told
    this.#failure.promise.catch(() => undefined)
  }

  /** A record by its value. Returns nothing where the handler does nothing. */
  readonly handle = (value: Buffer | null): Promise<void> | undefined => {
    if (value === null) throw new Error('a record has no value')
    const id = value.readUInt32LE(0)
    const { handlerMs, straggler } = this.task
    const ms = straggler !== null && id === straggler.id ? straggler.ms : handlerMs
    if (ms === 0) {
      this.ledger.seen(id)
      return undefined
    }
    this.ledger.start(id)
    const startedMs = performance.now()
    return new Promise((resolve) => {
      setTimeout(() => {
        this.ledger.end(id)
        this.#waitedMs += performance.now() - startedMs
        this.#waits++
        resolve()
      }, ms)
    })
  }

  /** The broker has acknowledged this position. Positions that go back are counted by the judge of offsets, not here. */
  commit(partition: number, position: number): void {
    const end = this.task.ends[partition] ?? 0
    const wasBehind = (this.#committed[partition] ?? 0) < end
    this.#committed[partition] = position
    // Counted, not searched: a commit of a thousand partitions must not cost a million looks.
    if (wasBehind !== position < end) this.#behind += wasBehind ? -1 : 1
    if (this.#committedMs !== null || this.#behind > 0) return
    this.#committedMs = performance.now()
    this.#allCommitted.resolve()
  }

  fail(reason: unknown): void {
    this.#failure.reject(reason instanceof Error ? reason : new Error(String(reason)))
  }

  /** Resolves when the task is fulfilled. */
  finished(): Promise<void> {
    const { promise: committed } = this.#allCommitted
    const seen = this.ledger.all()
    const ends: Readonly<Record<Task['until'], Promise<unknown>>> = {
      // Some commit what they have handed out, done or not.
      committed: Promise.all([committed, seen]),
      'caught up': committed,
      seen,
      told: this.#told,
    }
    return Promise.race([ends[this.task.until].then(() => undefined), this.#failure.promise])
  }

  timesSince(startMs: number): Pick<Outcome, 'firstMs' | 'lastMs' | 'committedMs' | 'handlerMs'> {
    const since = (ms: number | null): number | null => (ms === null ? null : ms - startMs)
    const { firstMs, lastMs } = this.ledger
    const handlerMs = this.#waits === 0 ? null : this.#waitedMs / this.#waits
    return { firstMs: since(firstMs), lastMs: since(lastMs), committedMs: since(this.#committedMs), handlerMs }
  }
}

/** User and system time of all threads, and of children that have ended, in microseconds. Linux counts in hundredths. */
export function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    return user + system + (Number(fields[13]) + Number(fields[14])) * 10_000
  } catch {
    // No such file: not Linux, and no way to know of children.
    return user + system
  }
}

export function peakRssMb(): number {
  const file = '/proc/self/status'
  // Where there is no such file, Node knows it as well, but for what was used before it started.
  const found = existsSync(file) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return (found === undefined ? process.resourceUsage().maxRSS : Number(found)) / 1_024
}

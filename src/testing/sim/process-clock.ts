/**
 * The clock of one simulated process. Whatever reaches the process (timers, answers) comes through here, so it can be
 * stopped like one: frozen (SIGSTOP: everything happens later, in the order in which it came) or killed (nothing ever
 * happens again).
 */
import type { Clock } from '../../ports/clock.ts'

interface Task {
  /** null: cancelled. */
  callback: (() => void) | null
}

export class ProcessClock implements Clock {
  readonly name: string
  readonly #parent: Clock
  readonly #random: () => number
  #state: 'running' | 'frozen' | 'killed' = 'running'
  /** Came while the process was frozen; newer ones queue up behind until all of them have run. */
  #held: Task[] = []

  constructor(name: string, parent: Clock, random: () => number) {
    this.name = name
    this.#parent = parent
    this.#random = random
  }

  get state(): 'running' | 'frozen' | 'killed' {
    return this.#state
  }

  now(): number {
    return this.#parent.now()
  }

  random(): number {
    return this.#random()
  }

  at(timeMs: number, callback: () => void): () => void {
    const task: Task = { callback }
    const cancel = this.#parent.at(timeMs, () => this.#arrive(task))
    return () => {
      task.callback = null
      cancel()
    }
  }

  soon(callback: () => void): void {
    this.at(this.#parent.now(), callback)
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen'
  }

  thaw(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'running'
    this.#runHeld()
  }

  kill(): void {
    this.#state = 'killed'
    this.#held = []
  }

  #arrive(task: Task): void {
    if (this.#state === 'killed') return
    if (this.#state === 'frozen' || this.#held.length > 0) this.#held.push(task)
    else run(task)
  }

  /** One event at a time, so that each has its microtasks to itself. */
  #runHeld(): void {
    if (this.#held.length === 0) return
    this.#parent.soon(() => {
      if (this.#state !== 'running') return
      const task = this.#held.shift()
      if (task !== undefined) run(task)
      this.#runHeld()
    })
  }
}

function run(task: Task): void {
  const { callback } = task
  task.callback = null
  callback?.()
}

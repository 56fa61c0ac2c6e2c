/**
 * Which task goes to which worker, and when. Nothing waits in a worker that could wait here: see PoolWorker.room(). What
 * waits in a worker that turns out to be busy is taken back, where the worker is a thread.
 */
import type { Work } from '../../../ports/engine.ts'
import { keeperOf } from './affinity.ts'
import type { Crew } from './crew.ts'
import type { PoolWorker } from './pool-worker.ts'
import { TaskQueue } from './queue.ts'
import type { Task } from './task.ts'

/** The slot of keys that nobody can keep at the moment. */
const NOBODY = -1

export interface DispatchOptions {
  readonly laneOf: (work: Work) => string | null
}

export class Dispatcher {
  readonly #crew: Crew
  readonly #laneOf: (work: Work) => string | null
  /** For any worker. */
  readonly #queue: TaskQueue = new TaskQueue()
  /** For the worker that keeps the key, by slot. */
  readonly #kept: Map<number, TaskQueue> = new Map()
  /** For the ward, alone or in small company. */
  readonly #suspects: TaskQueue = new TaskQueue()

  constructor(crew: Crew, { laneOf }: DispatchOptions) {
    this.#crew = crew
    this.#laneOf = laneOf
  }

  add(task: Task): void {
    this.#queueOf(task).push(task)
  }

  /** They were sent to a worker that never began them. */
  putBack(tasks: readonly Task[]): void {
    const byQueue = new Map<TaskQueue, Task[]>()
    for (const task of tasks) {
      if (task.isOver) continue
      task.recall()
      const queue = this.#queueOf(task)
      byQueue.set(queue, [...(byQueue.get(queue) ?? []), task])
    }
    for (const [queue, back] of byQueue) queue.putBack(back)
  }

  dispatch(): void {
    if (this.#kept.size > 0) this.#dispatchKept()
    if (this.#queue.size > 0) this.#dispatchAny()
    this.#dispatchSuspects()
  }

  /** A worker is busy with something long: others take what waits behind it. */
  relieve(): void {
    const silent = [...this.#crew.everybody].filter((worker) => worker.isSilent)
    for (const worker of silent) worker.harvest()
    if (!this.#crew.workers.some((worker) => worker !== null && worker.room() > 0)) return
    for (const worker of silent) {
      const { unbegun } = worker.sorted()
      this.putBack(unbegun.filter((task) => task.key === null && worker.takeBack(task)))
    }
    this.dispatch()
  }

  /** Everything that waits, and nothing waits any more. */
  drain(): readonly Task[] {
    const kept = [...this.#kept.values()].flatMap((queue) => queue.drain())
    return [...this.#queue.drain(), ...kept, ...this.#suspects.drain()]
  }

  #queueOf(task: Task): TaskQueue {
    if (task.isSuspect) return this.#suspects
    if (task.key === null) return this.#queue
    const keeper = keeperOf(
      task.key,
      this.#crew.workers.map((worker) => worker !== null),
    )
    return this.#keptBy(keeper ?? NOBODY)
  }

  #keptBy(slot: number): TaskQueue {
    const queue = this.#kept.get(slot) ?? new TaskQueue()
    this.#kept.set(slot, queue)
    return queue
  }

  /** Evenly, the least busy first; those that have no room now will have some in a moment, so something is left for them. */
  #dispatchAny(): void {
    for (;;) {
      const there = this.#crew.workers.filter((worker) => worker !== null)
      const free = there.filter((worker) => worker.room() > 0)
      if (free.length === 0 || this.#queue.peek() === null) return
      free.sort((a, b) => a.underWay.size - b.underWay.size)
      const share = Math.ceil(this.#queue.size / there.length)
      let sent = 0
      for (const worker of free) sent += this.#send(worker, this.#queue, Math.min(share, worker.room()))
      // The next one is too large for what they have room for now.
      if (sent === 0) return
    }
  }

  #dispatchKept(): void {
    const workers = this.#crew.workers
    for (const [slot, queue] of this.#kept) {
      if (queue.peek() === null) continue
      const worker = workers[slot] ?? null
      if (worker !== null) this.#send(worker, queue, worker.room())
      // It is gone: its keys go to others until it is back.
      else if (workers.some((each) => each !== null)) this.#move(queue)
    }
  }

  #move(queue: TaskQueue): void {
    for (const task of queue.drain()) {
      const to = this.#queueOf(task)
      to.push(task)
    }
    this.#dispatchKept()
  }

  #dispatchSuspects(): void {
    if (this.#suspects.peek() === null) return this.#crew.restWard()
    const ward = this.#crew.ward()
    if (ward === null) return
    for (let task = this.#suspects.peek(); task !== null; task = this.#suspects.peek()) {
      const company = new Set([...ward.underWay.values(), task])
      const companyMax = Math.min(...[...company].map((each) => each.companyMax))
      if (company.size > companyMax || ward.room() === 0) return
      if (this.#send(ward, this.#suspects, 1) === 0) return
    }
  }

  /** Returns how many. */
  #send(worker: PoolWorker, queue: TaskQueue, callsMax: number): number {
    const tasks: Task[] = []
    let bytes = 0
    while (tasks.length < callsMax) {
      const task = queue.peek()
      if (task === null || !worker.takesBytes(bytes, task.bytes)) break
      queue.shift()
      bytes += task.bytes
      tasks.push(task)
    }
    if (tasks.length > 0) worker.send(tasks, this.#laneOf)
    return tasks.length
  }
}

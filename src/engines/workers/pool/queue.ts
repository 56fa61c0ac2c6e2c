/** Tasks that wait for a worker, oldest first. Those that end while they wait are passed over. */
import type { Task } from './task.ts'

/** Shorter queues are not worth tidying up. */
const HEAD_MAX = 1_024

export class TaskQueue {
  #tasks: Task[] = []
  #head = 0

  /** About: tasks that ended while they waited are still counted. */
  get size(): number {
    return this.#tasks.length - this.#head
  }

  push(task: Task): void {
    this.#tasks.push(task)
  }

  /** They have waited before: they go before all others, in their own order. */
  putBack(tasks: readonly Task[]): void {
    if (tasks.length === 0) return
    this.#tasks = [...tasks, ...this.#tasks.slice(this.#head)]
    this.#head = 0
  }

  peek(): Task | null {
    for (; this.#head < this.#tasks.length; this.#head++) {
      const task = this.#tasks[this.#head]
      if (task !== undefined && !task.isOver) return task
    }
    this.#tasks = []
    this.#head = 0
    return null
  }

  shift(): Task | null {
    const task = this.peek()
    if (task === null) return null
    this.#head++
    if (this.#head > HEAD_MAX && this.#head * 2 > this.#tasks.length) {
      this.#tasks = this.#tasks.slice(this.#head)
      this.#head = 0
    }
    return task
  }

  /** All of them, and the queue is empty. */
  drain(): Task[] {
    const tasks: Task[] = []
    for (let task = this.shift(); task !== null; task = this.shift()) tasks.push(task)
    return tasks
  }
}

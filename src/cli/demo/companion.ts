/** The parent's side of a further member: let it join, let it leave, kill it. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Told, WorkerOptions } from './worker.ts'

export class Companion {
  readonly #child: ChildProcess

  constructor(options: WorkerOptions, tell: (told: Told) => void) {
    const file = new URL(`./member.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url)
    this.#child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#child.on('message', (told) => tell(told as Told))
    this.#child.send(options)
  }

  /** Drains, commits, leaves the group. */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    if (this.#child.connected) this.#child.send('leave')
    await ended
  }

  /** With no time to say anything. */
  async kill(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

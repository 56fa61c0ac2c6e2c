/**
 * Contenders as processes. What always holds: none outlives this one. Each has a pipe from here as its stdin and ends when that ends;
 * one that runs too long is killed, and so are all when this process is told to end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Outcome, outcomeMark } from '../contenders/task.ts'

/** How to start it. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Ended in another way than by printing an outcome: the reason is its message. */
export class RunFailed extends Error {}

const keptChars = 20_000
const alive = new Set<ChildProcess>()

export class Process {
  readonly #child: ChildProcess
  readonly #command: Command
  readonly #closed: Promise<unknown>
  #output = ''

  constructor(command: Command) {
    const { file, args, env = {} } = command
    this.#command = command
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } })
    alive.add(this.#child)
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-keptChars)
      })
    }
    // One that has ended does not read: its exit says what happened.
    this.#child.stdin?.on('error', () => this.#child.stdin?.destroy())
    // It rejects if the program cannot be started.
    this.#closed = once(this.#child, 'close').finally(() => alive.delete(this.#child))
    this.#closed.catch(() => undefined)
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** As `kill -9` does it; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#closed.catch(() => undefined)
  }

  /** Asks it to leave in good order. */
  tell(): void {
    this.#child.stdin?.write('stop\n')
  }

  /** What it printed as its outcome. Rejects if it crashed, or did not end in time: then it is killed first. */
  async outcome(timeoutMs: number): Promise<Outcome> {
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => late.resolve('late'), timeoutMs)
    const end = await Promise.race([this.#closed.then(() => 'ended' as const), late.promise]).catch(
      (error: Error) => error,
    )
    clearTimeout(timer)
    if (end instanceof Error) throw new RunFailed(`${this.#command.file} does not start: ${end.message}`)
    if (end === 'late') {
      await this.kill()
      throw new RunFailed(`not over within ${timeoutMs / 1_000} s${this.#lastWords()}`)
    }
    const line = this.#output.split('\n').findLast((each) => each.startsWith(outcomeMark))
    if (this.#child.exitCode === 0 && line !== undefined) return JSON.parse(line.slice(outcomeMark.length)) as Outcome
    throw new RunFailed(`ended with ${this.#child.exitCode ?? this.#child.signalCode}${this.#lastWords()}`)
  }

  #lastWords(): string {
    const words = this.#output.trim().split('\n').slice(-12).join('\n').slice(-1_200)
    return words === '' ? '' : `: ${words}`
  }
}

/** For the end of this process, however it comes. */
export function killAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}

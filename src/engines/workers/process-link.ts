/**
 * A worker that is a process of its own: it may crash as it likes. Messages go through a pipe (descriptor 3), what it has
 * begun stands in a file without a name (descriptor 4).
 *
 * No process outlives us: each ends when its pipe does, or when its parent is gone while it is busy (orphan-guard.ts); and
 * when we end in good order, they are killed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { FileClaims } from './claims.ts'
import { FrameReader } from './frames.ts'
import type { LinkListener, LinkOptions, WorkerLink } from './link.ts'

/** Tells a worker process whose it is. */
export const WORKER_ENV = 'FANLANE_WORKER'

/** Flags that are about this very process: a port to debug on, a program on the command line, a test run. */
const OWN_FLAGS =
  /^(--inspect|--debug|--test|--watch|-e$|--eval|-p$|--print|-c$|--check|-i$|--interactive|--input-type)/

function inherited(flags: readonly string[]): string[] {
  const isOwn = (flag: string | undefined): boolean => flag !== undefined && OWN_FLAGS.test(flag)
  // `--flag value` is two words; a word alone belongs to the flag before it.
  return flags.filter((flag, at) => !isOwn(flag) && (flag.startsWith('-') || !isOwn(flags[at - 1])))
}

const running: Set<ChildProcess> = new Set()

function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

export class ProcessLink implements WorkerLink {
  readonly name: string
  readonly claims: FileClaims = new FileClaims()
  readonly #child: ChildProcess
  readonly #pipe: Duplex
  readonly #listener: LinkListener
  #exit: { readonly exitCode: number | null; readonly signal: string | null } | null = null
  #isPipeOver = false
  #isOver = false
  #error: unknown = null

  constructor({ entry, memoryMb, execArgv }: LinkOptions, listener: LinkListener) {
    this.#listener = listener
    const flags = execArgv ?? inherited(process.execArgv)
    const limit = memoryMb === null ? [] : [`--max-old-space-size=${memoryMb}`]
    this.#child = spawn(process.execPath, [...flags, ...limit, fileURLToPath(entry)], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', this.claims.fd],
      env: { ...process.env, [WORKER_ENV]: String(process.pid) },
      windowsHide: true,
    })
    this.name = `process ${this.#child.pid ?? '(not started)'}`
    if (running.size === 0) process.on('exit', killAll)
    running.add(this.#child)
    this.#pipe = this.#child.stdio[3] as Duplex
    const frames = new FrameReader((frame) => listener.message(frame))
    this.#pipe.on('data', (chunk: Buffer) => frames.push(chunk))
    // A broken pipe is the end of the process; what it died of is told by `exit`.
    this.#pipe.on('error', () => this.#pipe.destroy())
    this.#pipe.on('close', () => {
      this.#isPipeOver = true
      this.#child.kill('SIGKILL')
      this.#settle()
    })
    this.#child.on('error', (error) => {
      this.#error = error
      // It never was: no exit will come.
      if (this.#child.pid === undefined) this.#exit ??= { exitCode: null, signal: null }
      this.#settle()
    })
    this.#child.on('exit', (exitCode, signal) => {
      this.#exit = { exitCode, signal }
      this.#settle()
    })
  }

  post(message: Buffer): void {
    if (!this.#isPipeOver) this.#pipe.write(message)
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Both must be over: what it said last may come after the news of its end. */
  #settle(): void {
    if (this.#isOver || this.#exit === null || !this.#isPipeOver) return
    this.#isOver = true
    running.delete(this.#child)
    if (running.size === 0) process.off('exit', killAll)
    this.#listener.ended({ ...this.#exit, error: this.#error })
    this.claims.close()
  }
}

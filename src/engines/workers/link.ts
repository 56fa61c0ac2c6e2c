/** A worker from outside, be it a thread or a process: something that takes messages, gives messages, and ends. */
import type { Claims } from './claims.ts'

/** Why a worker is no more. */
export interface WorkerEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** What it died of, as far as it could say. */
  readonly error: unknown
}

export interface LinkListener {
  message(bytes: Buffer): void
  /** Once, when nothing of it runs any more and nothing more comes from it. */
  ended(end: WorkerEnd): void
}

export interface WorkerLink {
  /** For people: `thread 3`, `process 4711`. */
  readonly name: string
  readonly claims: Claims
  post(message: Buffer): void
  /** At once, whatever it does. `ended` follows. */
  kill(): void
}

export interface LinkOptions {
  /** What the worker runs first. */
  readonly entry: URL
  /** Of the heap, for each worker. */
  readonly memoryMb: number | null
  /** Flags of Node for workers; null: those of this process. */
  readonly execArgv: readonly string[] | null
}

export function endText({ exitCode, signal, error }: WorkerEnd): string {
  if ((error as { readonly code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory'
  if (error !== null) return `died of an error that nobody caught (${saidBy(error)})`
  if (signal === 'SIGABRT') return 'ended with the signal SIGABRT, as Node does when it runs out of memory'
  if (signal !== null) return `ended with the signal ${signal}`
  // What a process says of itself when it aborted, where the signal was lost on the way.
  if (exitCode === 134) return 'ended with exit code 134, as Node does when it runs out of memory'
  return exitCode === null ? 'ended' : `ended with exit code ${exitCode}`
}

function saidBy(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}

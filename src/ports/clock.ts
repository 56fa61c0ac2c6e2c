/** Time and chance for everything outside the kernel. The simulator brings its own. */
export interface Clock {
  /** Milliseconds since the epoch; never goes back within a process. */
  now(): number
  /** Uniform in [0, 1). */
  random(): number
  /** Run once at (or after) this time. Returns what cancels it. */
  at(timeMs: number, callback: () => void): () => void
  /** Run after what is under way now, with a chance for I/O in between. */
  soon(callback: () => void): void
}

/** What the control plane needs to know of the user's options: complete, validated, no defaults left to guess. */
export interface KernelOptions {
  readonly order: 'key' | 'partition' | 'none'
  readonly delivery: 'at-most-once' | 'at-least-once' | 'exactly-once'
  readonly output: 'finished' | 'input'
  /** Records with no key: run without order (default), or all in one lane of their partition. */
  readonly nullKeys: 'unordered' | 'ordered'
  readonly concurrency: { readonly min: number; readonly max: number }
  readonly limits: {
    readonly records: number
    readonly bytes: number
    readonly pauseAt: number
    readonly resumeAt: number
  }
  readonly blockingBurst: number
  readonly retry: {
    readonly attempts: number
    readonly initialMs: number
    readonly factor: number
    readonly maxMs: number
    readonly jitter: number
  }
  /** What happens to a record after its last attempt; `handle` = dead letter, log line or user function: the runtime's. */
  readonly onExhausted: 'handle' | 'skip' | 'stop'
  /** So many records of a key in a row that failed for good park it; null: never. */
  readonly breaker: { readonly poisons: number } | null
  readonly commit: CommitOptions
  readonly batch: BatchOptions | null
  readonly handlerTimeoutMs: number | null
  readonly drainMs: number
}

export interface CommitOptions {
  readonly manual: boolean
  readonly everyMs: number
  readonly everyRecords: number
  readonly mapMaxChars: number
  /** How long a request without an answer may still land: until then idle partitions commit again. */
  readonly lateMs: number
  /** How long a final commit is tried again after the drain. */
  readonly finalMs: number
}

export interface BatchOptions {
  readonly max: number
  readonly min: number
  readonly lingerMs: number
  readonly by: 'key' | 'any'
}

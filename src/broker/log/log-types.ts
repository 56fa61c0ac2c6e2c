/** What goes in and out of a partition's log. */
import type { LogConfig } from './config.ts'
import type { ProducerStatesOptions, Verdict } from './producer-state.ts'
import type { LogStorage } from './storage.ts'

export interface OpenOptions {
  readonly storage: LogStorage
  /** A directory of its own. */
  readonly directory: string
  readonly config: LogConfig
  /** Higher than at every earlier start. */
  readonly leaderEpoch: number
  readonly producers?: ProducerStatesOptions
}

export type AppendResult =
  | {
      readonly kind: 'appended'
      readonly baseOffset: number
      readonly lastOffset: number
      /** -1: the records keep their own time. */
      readonly logAppendTimeMs: number
    }
  | Exclude<Verdict, { kind: 'append' }>

/** Up to where: `log-end` is all that was written, whether or not a crash could still take it away. */
export type UpTo = 'high-watermark' | 'last-stable' | 'log-end'

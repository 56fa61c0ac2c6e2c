/** What the runtime tells whoever listens: users' event handlers, logs, metrics, the simulator's oracles. */
import type { CommitEntry, CommitOutcome, Notice, TransactionOutcome, WorkId } from '../kernel/events.ts'
import type { TopicPartition } from '../kernel/ids.ts'

export type Observation =
  | { readonly kind: 'assigned' | 'revoked' | 'lost'; readonly partitions: readonly TopicPartition[] }
  | {
      readonly kind: 'commit'
      readonly entries: readonly CommitEntry[]
      readonly outcomes: readonly CommitOutcome[]
      /** From sending it to its answer. */
      readonly durationMs: number
    }
  | {
      readonly kind: 'transaction'
      readonly entries: readonly CommitEntry[]
      readonly outcome: TransactionOutcome
      readonly durationMs: number
    }
  | { readonly kind: 'exhausted'; readonly work: WorkId; readonly error: unknown }
  | { readonly kind: 'notice'; readonly notice: Notice }
  | { readonly kind: 'error' | 'fatal'; readonly error: unknown }

export type Observer = (observation: Observation) => void

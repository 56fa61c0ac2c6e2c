/** What one run of one contender is told, and what it tells: plain data, since each runs in a process of its own. */
import type { EventsKind } from '../core/events.ts'
import type { Shape } from '../core/plan.ts'

export interface Task {
  readonly brokers: readonly string[]
  readonly topic: string
  readonly group: string
  /** Records of each partition. */
  readonly ends: readonly number[]
  readonly order: 'key' | 'partition' | 'none'
  readonly concurrency: number
  /** 0: does nothing. */
  readonly handlerMs: number
  /** One record takes longer. */
  readonly straggler: { readonly id: number; readonly ms: number } | null
  readonly commitMs: number
  /** How soon a group gives up a member that is silent; 0: the default. */
  readonly sessionMs: number
  readonly events: {
    readonly file: string
    readonly kind: EventsKind
    /** True: every event is in the file before the handler goes on, so that it survives a kill -9. */
    readonly durable: boolean
  }
  /**
   * - `committed`: every record has been handled, and every partition is committed to its end.
   * - `caught up`: every partition is committed to its end, whoever handled the records.
   * - `seen`: every record has been seen; for loops that do not commit.
   * - `told`: the runner says stop. Then it leaves its group in good order.
   */
  readonly until: 'committed' | 'caught up' | 'seen' | 'told'
  /** Room for records under way and waiting, where a contender has such a limit; 0: its default. */
  readonly room: number
  /** Every record is written there as well, in transactions of so many milliseconds. */
  readonly output: { readonly topic: string; readonly transactionMs: number } | null
  /** For producers: what they write. */
  readonly load: Shape | null
  /** For workers: how many, and how many rounds of hashing a record costs. */
  readonly workers: number
  readonly hashRounds: number
  /** The build of fanlane that is measured. */
  readonly build: string
}

/** Times in milliseconds, from the moment before the client is made: connecting and joining count, loading code does not. */
export interface Outcome {
  /** Until the first handler started. */
  readonly firstMs: number | null
  /** Until the last handler had ended. */
  readonly lastMs: number | null
  /** Until every partition was committed to its end; null: it does not commit, or was stopped before. */
  readonly committedMs: number | null
  /** How long handlers that wait did wait, on average: timers are late. Null: they do not wait. */
  readonly handlerMs: number | null
  /** Of the process with all its threads and children, over the same time. */
  readonly cpuSeconds: number
  readonly peakRssMb: number
}

/** Written by a contender as its last line, behind this mark: libraries may print what they like before. */
export const outcomeMark = 'outcome: '

export const totalOf = (ends: readonly number[]): number => ends.reduce((sum, end) => sum + end, 0)

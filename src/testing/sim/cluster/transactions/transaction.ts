/** What the transaction coordinator knows of one transactional id. */
import type { MarkerTarget } from '../options.ts'
import type { Timer } from '../timers.ts'

/** Prepare: decided, but the markers are not all written. */
export type TransactionState =
  | 'Empty'
  | 'Ongoing'
  | 'PrepareCommit'
  | 'PrepareAbort'
  | 'CompleteCommit'
  | 'CompleteAbort'

export interface Transaction {
  readonly transactionalId: string
  readonly producerId: number
  /** −1: never given out. */
  producerEpoch: number
  /** The epoch before the last raise, if its holder may ask for that raise again; −1: nobody may. */
  lastProducerEpoch: number
  timeoutMs: number
  state: TransactionState
  /** What it writes to: key → target. */
  readonly targets: Map<string, MarkerTarget>
  timeout: Timer | null
}

export function isHalfEnded({ state }: Transaction): boolean {
  return state === 'PrepareCommit' || state === 'PrepareAbort'
}

const OFFSETS_KEY = '__consumer_offsets'

export function targetKey(target: MarkerTarget): string {
  return target === 'group' ? OFFSETS_KEY : `${target.topic}/${target.partition}`
}

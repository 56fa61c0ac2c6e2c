/**
 * One transactional id as its coordinator knows it: a value, replaced as a whole by every step. Each value is one record
 * of the state log, so the last record tells everything.
 *
 * What always holds: an id and epoch that were given to a client are never given to another one; epoch 32767 is never
 * given away (it is kept for ending the last transaction of a producer id, which leaves it for a new one).
 */
import { FanlaneError } from '../../errors.ts'
import type { TopicPartition } from './ports.ts'

/** Prepare: decided, but not every marker is written. */
export type TransactionState =
  | 'Empty'
  | 'Ongoing'
  | 'PrepareCommit'
  | 'PrepareAbort'
  | 'CompleteCommit'
  | 'CompleteAbort'

export type TransactionEvent = 'init' | 'add' | 'commit' | 'abort' | 'markersWritten' | 'expire'

/** −1, for ids and epochs: there is none. */
export const none = -1

/** The last epoch that a client may hold. */
export const lastGivenEpoch = 32_766

export interface Transaction {
  readonly transactionalId: string
  readonly producerId: number
  /** Of the state before: a client that asks again after a change of ids still holds this one. */
  readonly previousProducerId: number
  /** Waits for the end of the transaction: the epochs of `producerId` are used up. */
  readonly nextProducerId: number
  /** −1: never given out. */
  readonly producerEpoch: number
  /** The epoch before the last raise, if its holder may ask for that raise again. */
  readonly lastProducerEpoch: number
  readonly timeoutMs: number
  readonly state: TransactionState
  readonly partitions: ReadonlyMap<string, TopicPartition>
  /** −1: not begun. */
  readonly startMs: number
  readonly updatedMs: number
  /** The flow that the client follows: 2 raises the epoch with every end. */
  readonly clientVersion: number
}

type Next = Record<TransactionState, Record<TransactionEvent, TransactionState | 'Dead' | null>>

/** null: nobody may cause this here; whoever tries has not looked at the state first. */
// biome-ignore format: a table is read by its columns
const nextStates: Next = {
  Empty:          { init: 'Empty', add: 'Ongoing', commit: null,            abort: 'PrepareAbort', markersWritten: null,             expire: 'Dead' },
  Ongoing:        { init: null,    add: 'Ongoing', commit: 'PrepareCommit', abort: 'PrepareAbort', markersWritten: null,             expire: null },
  PrepareCommit:  { init: null,    add: null,      commit: null,            abort: null,           markersWritten: 'CompleteCommit', expire: null },
  PrepareAbort:   { init: null,    add: null,      commit: null,            abort: null,           markersWritten: 'CompleteAbort',  expire: null },
  CompleteCommit: { init: 'Empty', add: 'Ongoing', commit: null,            abort: 'PrepareAbort', markersWritten: null,             expire: 'Dead' },
  CompleteAbort:  { init: 'Empty', add: 'Ongoing', commit: null,            abort: 'PrepareAbort', markersWritten: null,             expire: 'Dead' },
}

export function mayExpire({ state }: Transaction): boolean {
  return nextStates[state].expire !== null
}

export function isHalfEnded({ state }: Transaction): boolean {
  return nextStates[state].markersWritten !== null
}

export function isExhausted({ producerEpoch }: Transaction): boolean {
  return producerEpoch >= lastGivenEpoch
}

const noPartitions: ReadonlyMap<string, TopicPartition> = new Map()

export function created(transactionalId: string, producerId: number, nowMs: number): Transaction {
  return {
    transactionalId,
    producerId,
    previousProducerId: none,
    nextProducerId: none,
    producerEpoch: none,
    lastProducerEpoch: none,
    timeoutMs: 0,
    state: 'Empty',
    partitions: noPartitions,
    startMs: -1,
    updatedMs: nowMs,
    clientVersion: 0,
  }
}

/** Id and epoch as they are to be given to the client now. */
export interface Identity {
  readonly producerId: number
  readonly producerEpoch: number
  readonly lastProducerEpoch: number
}

export function initialised(from: Transaction, identity: Identity, timeoutMs: number, nowMs: number): Transaction {
  return step(from, 'init', nowMs, { ...identity, timeoutMs, partitions: noPartitions, startMs: -1 })
}

export function added(
  from: Transaction,
  partitions: readonly TopicPartition[],
  clientVersion: number,
  nowMs: number,
): Transaction {
  const all = new Map(from.partitions)
  for (const partition of partitions) all.set(keyOf(partition), partition)
  const startMs = from.state === 'Ongoing' ? from.startMs : nowMs
  return step(from, 'add', nowMs, { partitions: all, startMs, clientVersion })
}

/** `spareId` is taken if the epochs are used up. */
export function decided(
  from: Transaction,
  event: 'commit' | 'abort',
  flow: { readonly raisesEpoch: boolean; readonly spareId: number },
  nowMs: number,
): Transaction {
  // A client that raises epochs may abort what it never began: the answer to its first write may have been lost.
  const startMs = from.state === 'Ongoing' ? from.startMs : nowMs
  if (!flow.raisesEpoch) return step(from, event, nowMs, { startMs, nextProducerId: none, clientVersion: 0 })
  return step(from, event, nowMs, {
    startMs,
    producerEpoch: from.producerEpoch + 1,
    lastProducerEpoch: from.producerEpoch,
    nextProducerId: isExhausted(from) ? flow.spareId : none,
    clientVersion: 2,
  })
}

export function completed(from: Transaction, nowMs: number): Transaction {
  const isRotated = from.nextProducerId !== none
  return step(from, 'markersWritten', nowMs, {
    producerId: isRotated ? from.nextProducerId : from.producerId,
    producerEpoch: isRotated ? 0 : from.producerEpoch,
    nextProducerId: none,
    partitions: noPartitions,
  })
}

export function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`
}

function step(from: Transaction, event: TransactionEvent, nowMs: number, change: Partial<Transaction>): Transaction {
  const state = nextStates[from.state][event]
  if (state === null || state === 'Dead') {
    throw new FanlaneError(
      'TRANSACTION_STEP_INVALID',
      `'${event}' cannot happen to transaction '${from.transactionalId}' in state ${from.state}. This is a defect of the broker.`,
    )
  }
  return { ...from, ...change, previousProducerId: from.producerId, state, updatedMs: nowMs }
}

/**
 * What the coordinator answers, and what it writes for it. Pure: the state and the question in, the decision out.
 * The order of the questions is part of what Apache Kafka 4.1 is: adding asks first whether an end is under way, ending
 * in the older flow asks first who is there.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { TopicPartition } from './ports.ts'
import {
  added,
  decided,
  initialised,
  isExhausted,
  isHalfEnded,
  keyOf,
  lastGivenEpoch,
  none,
  type Transaction,
  type TransactionState,
} from './transaction.ts'

export type Decision =
  /** Nothing to write. */
  { readonly kind: 'answer'; readonly error: number } | { readonly kind: 'write'; readonly next: Transaction }

export interface Claim {
  readonly producerId: number
  readonly producerEpoch: number
}

const answer = (name: keyof typeof errorCodes): Decision => ({ kind: 'answer', error: errorCodes[name] })

/** `claim`: what the client holds and wants raised; null: a new instance, which fences every other one. */
export function decideInit(
  from: Transaction,
  claim: Claim | null,
  timeoutMs: number,
  spareId: number,
  nowMs: number,
): Decision {
  if (isHalfEnded(from)) return answer('CONCURRENT_TRANSACTIONS')
  if (claim !== null && !mayClaim(from, claim)) return answer('PRODUCER_FENCED')
  // Whoever asks, even a zombie: the open transaction is aborted first, and the asker has to come again.
  if (from.state === 'Ongoing') return decideFence(from, spareId, nowMs)
  const { producerId, producerEpoch, lastProducerEpoch } = from
  const isNew = producerEpoch === none
  if (claim !== null && !isNew && claim.producerEpoch !== producerEpoch) {
    if (claim.producerEpoch !== lastProducerEpoch) return answer('PRODUCER_FENCED')
    // Asked again: it has been raised for this client already.
    return {
      kind: 'write',
      next: initialised(from, { producerId, producerEpoch, lastProducerEpoch }, timeoutMs, nowMs),
    }
  }
  const last = claim === null ? none : producerEpoch
  const identity = isExhausted(from)
    ? { producerId: spareId, producerEpoch: 0, lastProducerEpoch: last }
    : { producerId, producerEpoch: producerEpoch + 1, lastProducerEpoch: last }
  return { kind: 'write', next: initialised(from, identity, timeoutMs, nowMs) }
}

function mayClaim(from: Transaction, claim: Claim): boolean {
  if (from.producerEpoch === none || claim.producerId === from.producerId) return true
  return claim.producerId === from.previousProducerId && claim.producerEpoch >= lastGivenEpoch
}

/** Aborts under a raised epoch, so that the producer cannot go on. It may follow with InitProducerId. */
export function decideFence(from: Transaction, spareId: number, nowMs: number): Decision {
  return { kind: 'write', next: decided(from, 'abort', { raisesEpoch: true, spareId }, nowMs) }
}

export function decideAdd(
  from: Transaction,
  claim: Claim,
  partitions: readonly TopicPartition[],
  clientVersion: number,
  nowMs: number,
): Decision {
  if (isHalfEnded(from)) return answer('CONCURRENT_TRANSACTIONS')
  if (from.producerId !== claim.producerId) return answer('INVALID_PRODUCER_ID_MAPPING')
  if (from.producerEpoch !== claim.producerEpoch) return answer('PRODUCER_FENCED')
  const isKnown = partitions.every((partition) => from.partitions.has(keyOf(partition)))
  if (from.state === 'Ongoing' && isKnown) return answer('NONE')
  return { kind: 'write', next: added(from, partitions, clientVersion, nowMs) }
}

/** Asked before the first write of a transaction to a partition: was it added? */
export function verify(from: Transaction, claim: Claim, partition: TopicPartition): number {
  if (from.producerId !== claim.producerId) return errorCodes.INVALID_PRODUCER_ID_MAPPING
  if (from.producerEpoch !== claim.producerEpoch) return errorCodes.PRODUCER_FENCED
  if (isHalfEnded(from)) return errorCodes.CONCURRENT_TRANSACTIONS
  return from.partitions.has(keyOf(partition)) ? errorCodes.NONE : errorCodes.TRANSACTION_ABORTABLE
}

type End = 'commit' | 'abort'
/** `decide`: write it. `done`: it has happened, this is the same request again. `wait`: an end is under way. */
type EndAnswer = 'decide' | 'done' | 'wait' | 'invalid' | 'fenced'

/** A client that keeps its epoch: whether it asks for the first or the second time cannot be told. */
const keepingEpoch: Record<TransactionState, Record<End, EndAnswer>> = {
  Empty: { commit: 'invalid', abort: 'invalid' },
  Ongoing: { commit: 'decide', abort: 'decide' },
  PrepareCommit: { commit: 'wait', abort: 'wait' },
  PrepareAbort: { commit: 'wait', abort: 'wait' },
  CompleteCommit: { commit: 'done', abort: 'invalid' },
  CompleteAbort: { commit: 'invalid', abort: 'done' },
}

/** A client that gets a new epoch with each end: with the epoch before it asks again, with the current one anew. */
const raisingEpoch: Record<TransactionState, Record<End, { readonly anew: EndAnswer; readonly again: EndAnswer }>> = {
  Empty: { commit: { anew: 'invalid', again: 'fenced' }, abort: { anew: 'decide', again: 'fenced' } },
  Ongoing: { commit: { anew: 'decide', again: 'fenced' }, abort: { anew: 'decide', again: 'fenced' } },
  PrepareCommit: { commit: { anew: 'wait', again: 'wait' }, abort: { anew: 'wait', again: 'wait' } },
  PrepareAbort: { commit: { anew: 'wait', again: 'wait' }, abort: { anew: 'wait', again: 'wait' } },
  CompleteCommit: { commit: { anew: 'invalid', again: 'done' }, abort: { anew: 'decide', again: 'invalid' } },
  CompleteAbort: { commit: { anew: 'invalid', again: 'invalid' }, abort: { anew: 'decide', again: 'done' } },
}

const endErrors: Record<Exclude<EndAnswer, 'decide'>, Decision> = {
  done: answer('NONE'),
  wait: answer('CONCURRENT_TRANSACTIONS'),
  invalid: answer('INVALID_TXN_STATE'),
  fenced: answer('PRODUCER_FENCED'),
}

export function decideEnd(
  from: Transaction,
  claim: Claim,
  end: End,
  flow: { readonly raisesEpoch: boolean; readonly spareId: number },
  nowMs: number,
): Decision {
  const verdict = flow.raisesEpoch ? endRaising(from, claim, end) : endKeeping(from, claim, end)
  if (typeof verdict !== 'string') return verdict
  if (verdict !== 'decide') return endErrors[verdict]
  return { kind: 'write', next: decided(from, end, flow, nowMs) }
}

function endKeeping(from: Transaction, claim: Claim, end: End): EndAnswer | Decision {
  if (from.producerId !== claim.producerId) return answer('INVALID_PRODUCER_ID_MAPPING')
  if (from.producerEpoch !== claim.producerEpoch) return 'fenced'
  return keepingEpoch[from.state][end]
}

function endRaising(from: Transaction, claim: Claim, end: End): EndAnswer | Decision {
  const answers = raisingEpoch[from.state][end]
  if (isHalfEnded(from)) return answers.again
  const isAgainAfterRotation =
    from.previousProducerId === claim.producerId && claim.producerEpoch === lastGivenEpoch && from.producerEpoch === 0
  if (from.producerId !== claim.producerId && !isAgainAfterRotation) return answer('INVALID_PRODUCER_ID_MAPPING')
  if (isAgainAfterRotation || from.producerEpoch === claim.producerEpoch + 1) return answers.again
  return from.producerEpoch === claim.producerEpoch ? answers.anew : 'fenced'
}

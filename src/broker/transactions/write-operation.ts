/**
 * What a write to a partition may ask of the coordinator, by the version of its request, and in which words it hears the
 * answer: producers know other errors than those who talk to the coordinator themselves.
 */
import { errorCodes } from '../../protocol/errors.ts'

/** `add`: the write adds its partition. The others must have added it: `verify` knows TRANSACTION_ABORTABLE, `verifyOld` not. */
export type WriteOperation = 'add' | 'verify' | 'verifyOld'

export function operationOf(
  version: number,
  from: { readonly adds: number; readonly knowsAbortable: number },
): WriteOperation {
  if (version >= from.adds) return 'add'
  return version >= from.knowsAbortable ? 'verify' : 'verifyOld'
}

const {
  PRODUCER_FENCED,
  INVALID_PRODUCER_EPOCH,
  TRANSACTION_ABORTABLE,
  INVALID_TXN_STATE,
  NOT_ENOUGH_REPLICAS,
  CONCURRENT_TRANSACTIONS,
  COORDINATOR_LOAD_IN_PROGRESS,
  COORDINATOR_NOT_AVAILABLE,
} = errorCodes

export function offsetsError(error: number, operation: WriteOperation): number {
  if (error === PRODUCER_FENCED) return INVALID_PRODUCER_EPOCH
  if (error === TRANSACTION_ABORTABLE && operation === 'verifyOld') return INVALID_TXN_STATE
  return error
}

/** A coordinator that is busy is turned into something that producers of all ages try again for. */
export function produceError(error: number, operation: WriteOperation): number {
  if (error === COORDINATOR_LOAD_IN_PROGRESS || error === COORDINATOR_NOT_AVAILABLE) return NOT_ENOUGH_REPLICAS
  if (error === CONCURRENT_TRANSACTIONS && operation !== 'add') return NOT_ENOUGH_REPLICAS
  return offsetsError(error, operation)
}

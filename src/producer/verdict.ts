/** What the answer for one batch means to the producer. */
import { errorCodes, isRetriable } from '../protocol/errors.ts'

/**
 * - `stored`: it is in. A duplicate is the echo of a try whose answer we did not get.
 * - `again`: certainly not written, worth sending again as it is.
 * - `perhaps`: it may have been written; sending it again with the same sequence finds out.
 * - `unwritable`: it will never be taken as it is: a record in it is too large or not valid, or all together are.
 * - `order`: an earlier batch is missing.
 * - `lost`: the broker knows us otherwise than we do, only a new identity helps.
 * - `refused`: certainly not written, and it never will be.
 * - `unclear`: nobody knows, and asking again may not help.
 */
export type Verdict = 'stored' | 'again' | 'perhaps' | 'unwritable' | 'order' | 'lost' | 'refused' | 'unclear'

const known: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [errorCodes.NONE, 'stored'],
  [errorCodes.DUPLICATE_SEQUENCE_NUMBER, 'stored'],
  [errorCodes.REQUEST_TIMED_OUT, 'perhaps'],
  [errorCodes.NETWORK_EXCEPTION, 'perhaps'],
  [errorCodes.NOT_ENOUGH_REPLICAS_AFTER_APPEND, 'perhaps'],
  [errorCodes.MESSAGE_TOO_LARGE, 'unwritable'],
  [errorCodes.RECORD_LIST_TOO_LARGE, 'unwritable'],
  [errorCodes.INVALID_RECORD, 'unwritable'],
  [errorCodes.INVALID_TIMESTAMP, 'unwritable'],
  [errorCodes.OUT_OF_ORDER_SEQUENCE_NUMBER, 'order'],
  [errorCodes.UNKNOWN_PRODUCER_ID, 'lost'],
  [errorCodes.INVALID_PRODUCER_EPOCH, 'lost'],
  [errorCodes.INVALID_PRODUCER_ID_MAPPING, 'lost'],
  [errorCodes.PRODUCER_FENCED, 'lost'],
  [errorCodes.UNKNOWN_SERVER_ERROR, 'unclear'],
])

export function verdictOn(code: number): Verdict {
  return known.get(code) ?? (isRetriable(code) ? 'again' : 'refused')
}

const unwritableNames: ReadonlySet<string> = new Set([
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_RECORD',
  'INVALID_TIMESTAMP',
  'RECORD_INVALID',
])

/** By an error's code: the record itself is at fault, sending it again never helps. */
export function isUnwritable(code: string): boolean {
  return unwritableNames.has(code)
}

/** The reason that a handler finds in `ctx.signal.reason`. */
import { FanlaneError } from '../errors.ts'
import type { AbortReason } from '../kernel/events.ts'

const MESSAGES: Readonly<Record<AbortReason, string>> = {
  revoked: 'The partition was given up and the drain time is over; the next owner will run this record again.',
  lost: 'The partition was lost (session expired or fenced); another owner runs this record.',
  timeout: 'The handler ran longer than handlerTimeoutMs.',
  skipped: 'The record was skipped by hand.',
  sought: 'The position of the partition was moved; this run no longer counts.',
  renewed: 'The end of a transaction is not known; the partition starts again from what is committed.',
}

export function abortError(reason: AbortReason): FanlaneError {
  return new FanlaneError(`ABORTED_${reason.toUpperCase()}`, MESSAGES[reason], { retriable: true })
}

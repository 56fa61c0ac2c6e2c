/** How transactions of a producer fail. */
import { FanlaneError } from '../../errors.ts'
import { errorCodes } from '../../protocol/errors.ts'

const fencings: ReadonlySet<number> = new Set([
  errorCodes.PRODUCER_FENCED,
  errorCodes.INVALID_PRODUCER_EPOCH,
  errorCodes.INVALID_PRODUCER_ID_MAPPING,
  errorCodes.TRANSACTION_COORDINATOR_FENCED,
])

/** Our epoch is over: somebody has taken the id, or the transaction took too long. */
export function isFencing(code: number): boolean {
  return fencings.has(code)
}

export function abortedError(cause: unknown): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_ABORTED',
    `The transaction was aborted, nothing of it is in: ${cause instanceof Error ? cause.message : String(cause)} Run it again.`,
    { retriable: true, cause },
  )
}

export function isAborted(failure: unknown): failure is FanlaneError {
  return failure instanceof FanlaneError && failure.code === 'TRANSACTION_ABORTED'
}

export function unknownError(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_UNKNOWN',
    'The cluster did not answer whether the transaction was committed: it is in as a whole or not at all. Read its topics to find out before you run it again.',
  )
}

export function silentError(request: string): FanlaneError {
  return new FanlaneError(
    'REQUEST_TIMEOUT',
    `${request} was not answered: look whether the brokers can be reached, then try again.`,
    { retriable: true },
  )
}

export function overError(): FanlaneError {
  return new FanlaneError(
    'TRANSACTION_OVER',
    'This transaction has ended. Await everything that is sent inside transaction(async (tx) => …) before it returns.',
  )
}

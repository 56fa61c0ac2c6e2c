/** Why a consumer stops, in words. */
import { FanlaneError } from '../errors.ts'

export function engineFailed(where: string, cause: unknown): FanlaneError {
  const said = (cause instanceof Error ? cause.message : String(cause)).replace(/\.?$/, '.')
  return new FanlaneError(
    'ENGINE_FAILED',
    `The engine failed in ${where}: ${said} What happened to its work is not known, so the consumer stops; what it did not finish runs again at the next start. Errors of handlers belong into completions, with status 'failed'.`,
    { cause },
  )
}

/** The control plane stops without an error of its own only where a transaction was fenced and nobody said why. */
export function fenced(): FanlaneError {
  return new FanlaneError(
    'TRANSACTIONAL_ID_FENCED',
    'Another producer took our transactional id: give every consumer an id of its own.',
  )
}

export function consumerClosed(): FanlaneError {
  return new FanlaneError('CONSUMER_CLOSED', 'The consumer is closed: start a new one with consume().')
}

export function commitFenced(): FanlaneError {
  return new FanlaneError(
    'COMMIT_FENCED',
    'A partition was lost before its commit was stored: its finished records will run again elsewhere.',
    { retriable: false },
  )
}

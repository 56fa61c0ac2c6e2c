/**
 * A wish that is not granted, with the error code and the words that a client gets.
 */
import { FanlaneError } from '../errors.ts'
import { type ErrorName, errorCodes } from '../protocol/errors.ts'
import { TopicRefused } from './topics/registry.ts'

export class Refused extends FanlaneError {
  readonly errorCode: number

  constructor(error: ErrorName, message: string) {
    super(error, message)
    this.name = 'Refused'
    this.errorCode = errorCodes[error]
  }
}

export interface Outcome {
  readonly errorCode: number
  readonly errorMessage: string | null
}

export const granted: Outcome = { errorCode: errorCodes.NONE, errorMessage: null }

/** What a client is told of an error; one that nobody foresaw is not for the client and thrown again. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof Refused || error instanceof TopicRefused) {
    return { errorCode: error.errorCode, errorMessage: error.message }
  }
  throw error
}

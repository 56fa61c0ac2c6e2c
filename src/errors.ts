/**
 * One base for every error that a user can meet: a code to branch on, whether trying again can help, the cause, and
 * in the message what to do about it.
 */
export interface ErrorDetails {
  readonly retriable?: boolean
  readonly cause?: unknown
}

export class FanlaneError extends Error {
  readonly code: string
  readonly retriable: boolean

  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'FanlaneError'
    this.code = code
    this.retriable = details.retriable ?? false
  }
}

/** Throw this from a handler when trying again is pointless: the retries are skipped. */
export class PermanentError extends FanlaneError {
  constructor(message: string, details: { readonly code?: string; readonly cause?: unknown } = {}) {
    super(details.code ?? 'PERMANENT', message, { retriable: false, cause: details.cause })
    this.name = 'PermanentError'
  }
}

/** Throw this from a handler to be tried again, if you like after a time of your choice. */
export class RetryableError extends FanlaneError {
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    details: { readonly code?: string; readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(details.code ?? 'RETRYABLE', message, { retriable: true, cause: details.cause })
    this.name = 'RetryableError'
    this.retryAfterMs = details.retryAfterMs
  }
}

/** An option that is unknown, out of range, or contradicts another one. */
export class OptionError extends FanlaneError {
  readonly option: string

  constructor(code: string, option: string, message: string) {
    super(code, message)
    this.name = 'OptionError'
    this.option = option
  }
}

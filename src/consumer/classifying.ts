/** What an error means for retries. The user may be asked, and may be wrong: then the record is tried again. */
import { FanlaneError, PermanentError, RetryableError } from '../errors.ts'
import type { ConsumeOptions } from './options.ts'
import { isThenable } from './thenable.ts'

type Classify = (error: unknown) => { readonly permanent: boolean; readonly retryAfterMs?: number }
type IsPermanent = NonNullable<NonNullable<ConsumeOptions['retry']>['isPermanent']>

export function classifier(isPermanent: IsPermanent | undefined, report: (error: FanlaneError) => void): Classify {
  return (error) => {
    if (error instanceof PermanentError) return { permanent: true }
    if (error instanceof RetryableError) return retryable(error)
    if (isPermanent === undefined) return { permanent: false }
    return { permanent: asked(isPermanent, error, report) }
  }
}

function retryable({ retryAfterMs }: RetryableError): ReturnType<Classify> {
  // Not a time: the ordinary backoff.
  if (retryAfterMs === undefined || !(retryAfterMs >= 0)) return { permanent: false }
  return { permanent: false, retryAfterMs }
}

/** An exception here would reach the engine that reports results, and the record would never end. */
function asked(isPermanent: IsPermanent, error: unknown, report: (error: FanlaneError) => void): boolean {
  try {
    const answer: unknown = isPermanent(error)
    if (!isThenable(answer)) return Boolean(answer)
    answer.then(undefined, () => undefined)
    report(failed('returned a promise', undefined))
  } catch (cause) {
    report(failed(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause))
  }
  return false
}

function failed(how: string, cause: unknown): FanlaneError {
  return new FanlaneError(
    'IS_PERMANENT_FAILED',
    `retry.isPermanent ${how}. The record counts as retryable; return true or false for every error.`,
    { cause },
  )
}

/**
 * Nest's last exception filter replaces what a handler threw by `{ status: 'error', message: 'Internal server error' }`. Good
 * towards a caller; here there is none, and retries and dead letters need the error itself: a PermanentError must not be tried
 * again, and a dead letter has to say what went wrong. So the strategy brings a filter that lets errors through.
 */
import { Catch, type RpcExceptionFilter } from '@nestjs/common'
import { RpcException } from '@nestjs/microservices'
import { type Observable, throwError } from 'rxjs'
import { FanlaneError } from '../../errors.ts'

export class LetErrorsThrough implements RpcExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception)
  }
}
// A decorator is a function: without its syntax, which Node cannot run as it is.
Catch()(LetErrorsThrough)

/** What fanlane sees as the reason: an RpcException around an error is that error. */
export function reasonOf(thrown: unknown): unknown {
  if (thrown instanceof RpcException) {
    const inner = thrown.getError()
    return inner instanceof Error ? inner : thrown
  }
  if (thrown instanceof Error) return thrown
  if (!isNestAnswer(thrown)) return thrown
  const hidden = thrown.message === 'Internal server error'
  return new FanlaneError(
    hidden ? 'NEST_ERROR_HIDDEN' : 'NEST_RPC_ERROR',
    hidden
      ? 'Nest replaced the error of the handler by "Internal server error", so it counts as retryable: app.useGlobalFilters(strategy.filter) lets the error itself through.'
      : String(thrown.message),
    { retriable: true, cause: thrown },
  )
}

function isNestAnswer(thrown: unknown): thrown is { readonly status: 'error'; readonly message: unknown } {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'message' in thrown &&
    'status' in thrown &&
    thrown.status === 'error'
  )
}

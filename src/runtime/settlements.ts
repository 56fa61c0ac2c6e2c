/** What engines say, in the words of the control plane: checked, because an engine may come from outside. */
import { FanlaneError } from '../errors.ts'
import type { Settlement } from '../kernel/events.ts'
import type { Completion } from '../ports/engine.ts'

/** What an error means for retries. */
export type Classify = (error: unknown) => { readonly permanent: boolean; readonly retryAfterMs?: number }

export function toSettlements(completions: readonly Completion[], classify: Classify): readonly Settlement[] {
  return completions.map((completion) => toSettlement(completion, classify))
}

function toSettlement(completion: Completion, classify: Classify): Settlement {
  switch (completion.status) {
    case 'failed':
      return { ...completion, attempt: completion.attempt ?? 0, error: completion.error, ...classify(completion.error) }
    case 'done':
    case 'deferred':
    case 'returned':
      // The attempt is for people; the control plane counts its own. Echoed in nearly all cases: no copy then.
      return completion.attempt === undefined ? { ...completion, attempt: 0 } : (completion as Settlement)
    default:
      throw unknownStatus(completion)
  }
}

function unknownStatus({ status }: { readonly status: unknown }): FanlaneError {
  return new FanlaneError(
    'UNKNOWN_STATUS',
    `A completion has the status '${status}': say 'done', 'failed', 'deferred' or 'returned'.`,
  )
}

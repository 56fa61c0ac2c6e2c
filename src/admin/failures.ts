/**
 * Where several things are asked for at once, one bad one must neither hide the others nor pass unseen. So a call resolves
 * only if everything was done; else it rejects with an AdminError that has what failed, each with its own error, and the
 * results of all others. `settled()` turns that into plain data for whoever wants both.
 */
import { FanlaneError } from '../errors.ts'

/** One thing that was asked for and not done. */
export interface Failure {
  /** A topic, a group, a partition as `orders-3`, a config as `topic orders`, a broker as `broker 2`. */
  readonly name: string
  readonly error: FanlaneError
}

/** `code` is that of the failures if they all have the same, else SEVERAL_FAILURES. */
export class AdminError extends FanlaneError {
  readonly failures: readonly Failure[]
  /** What was done all the same, as the call would have given it. */
  readonly results: readonly unknown[]

  constructor(request: string, failures: readonly Failure[], results: readonly unknown[]) {
    const errors = failures.map(({ error }) => error)
    const codes = new Set(errors.map(({ code }) => code))
    super(codes.size === 1 ? (errors[0]?.code ?? '') : 'SEVERAL_FAILURES', summary(request, errors, results.length), {
      retriable: errors.every(({ retriable }) => retriable),
      cause: errors[0],
    })
    this.name = 'AdminError'
    this.failures = failures
    this.results = results
  }
}

export interface Settled<Result> {
  readonly results: readonly Result[]
  readonly failures: readonly Failure[]
}

/** `const { results, failures } = await settled(admin.describeGroups(ids))`. What is no AdminError is thrown on. */
export async function settled<Result>(asked: Promise<readonly Result[]>): Promise<Settled<Result>> {
  try {
    return { results: await asked, failures: [] }
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    return { results: error.results as readonly Result[], failures: error.failures }
  }
}

const shownMax = 3

function summary(request: string, errors: readonly FanlaneError[], done: number): string {
  const messages = [...new Set(errors.map(({ message }) => message))]
  if (errors.length === 1) return messages[0] ?? ''
  const shown = messages.slice(0, shownMax).join(' ')
  const more = messages.length > shownMax ? ` And ${messages.length - shownMax} more, see failures.` : ''
  return `${errors.length} of ${errors.length + done} failed in ${request}. ${shown}${more}`
}

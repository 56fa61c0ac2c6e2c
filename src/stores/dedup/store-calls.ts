/**
 * Calls of a store that somebody else wrote, over a network that may be down. What always holds: a call ends within
 * `timeoutMs`, its failure has a code, and a claim that comes too late is given back.
 */
import { FanlaneError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DedupAnswer, DedupStore } from '../../ports/dedup.ts'

export interface StoreCallsParts {
  readonly store: DedupStore
  readonly clock: Clock
  readonly owner: string
  readonly claimMs: number
  readonly timeoutMs: number
}

const ANSWERS: ReadonlySet<unknown> = new Set<DedupAnswer>(['new', 'done', 'taken'])

export class StoreCalls {
  readonly #parts: StoreCallsParts

  constructor(parts: StoreCallsParts) {
    this.#parts = parts
  }

  /** `late`: these were claimed after the call had failed for us. */
  begin(ids: readonly string[], late: (claimed: readonly string[]) => void): Promise<readonly DedupAnswer[]> {
    const { store, owner, claimMs } = this.#parts
    const claimedOf = (answers: readonly DedupAnswer[]): string[] => ids.filter((_, at) => answers[at] === 'new')
    return this.#within(
      'begin',
      async () => checked(ids, await store.begin(ids, { owner, ms: claimMs })),
      (answers) => late(claimedOf(answers)),
    )
  }

  done(ids: readonly string[]): Promise<void> {
    return this.#within('done', async () => this.#parts.store.done(ids), nobody)
  }

  release(ids: readonly string[]): Promise<void> {
    const { store, owner } = this.#parts
    return this.#within('release', async () => store.release(ids, owner), nobody)
  }

  /** Async functions, so that a store that throws at once rejects like any other. */
  #within<Result>(what: string, call: () => Promise<Result>, late: (result: Result) => void): Promise<Result> {
    const { clock, timeoutMs } = this.#parts
    return new Promise((resolve, reject) => {
      let isOver = false
      const cancel = clock.at(clock.now() + timeoutMs, () => {
        isOver = true
        reject(timedOut(what, timeoutMs))
      })
      call().then(
        (result) => {
          cancel()
          if (isOver) late(result)
          else resolve(result)
        },
        (error) => {
          cancel()
          reject(failed(what, error))
        },
      )
    })
  }
}

function checked(ids: readonly string[], answers: readonly DedupAnswer[]): readonly DedupAnswer[] {
  if (Array.isArray(answers) && answers.length === ids.length && answers.every((each) => ANSWERS.has(each))) {
    return answers
  }
  throw new FanlaneError(
    'DEDUP_ANSWER_INVALID',
    "begin() of the dedup store must answer 'new', 'done' or 'taken' for every id, in order.",
  )
}

function failed(what: string, cause: unknown): FanlaneError {
  const said = cause instanceof Error ? cause.message : String(cause)
  return new FanlaneError(
    'DEDUP_STORE_FAILED',
    `${what}() of the dedup store failed: ${said} Records wait and nothing is lost; it is tried again until it works.`,
    { retriable: true, cause },
  )
}

function timedOut(what: string, timeoutMs: number): FanlaneError {
  return new FanlaneError(
    'DEDUP_STORE_TIMEOUT',
    `${what}() of the dedup store did not answer within ${timeoutMs} ms (dedup.timeoutMs). Records wait; it is tried again until it works.`,
    { retriable: true },
  )
}

function nobody(): void {
  // Late or not, there is nothing to give back.
}

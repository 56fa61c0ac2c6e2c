/**
 * Claims between the store and us: given back when nobody uses them, renewed while their handlers run. What always holds: an id is
 * held here until the store has answered about it, so that no release overtakes the claim that follows it.
 */
import { FanlaneError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Holds } from './holds.ts'
import type { StoreCalls } from './store-calls.ts'

export interface ClaimsParts {
  readonly calls: StoreCalls
  readonly holds: Holds
  readonly clock: Clock
  readonly claimMs: number
  readonly report: (error: unknown) => void
  /** Ids whose handlers run now. */
  readonly running: () => ReadonlySet<string>
  /** Whoever waited for an id was woken. */
  readonly settled: () => void
}

export class Claims {
  readonly #parts: ClaimsParts
  #cancelRenewal: (() => void) | null = null
  #isClosed = false

  constructor(parts: ClaimsParts) {
    this.#parts = parts
  }

  release(ids: readonly string[]): void {
    if (ids.length === 0) return
    const { calls, holds, report, settled } = this.#parts
    calls
      .release(ids)
      // It lapses by itself.
      .catch(report)
      .finally(() => {
        for (const id of ids) holds.drop(id)
        settled()
      })
  }

  /** Those of them that nobody here has. */
  releaseIdle(ids: readonly string[]): void {
    const { holds, clock } = this.#parts
    this.release(ids.filter((id) => holds.take(id, clock.now())))
  }

  /** As long as anything is held, claims that grow old are renewed. */
  keep(): void {
    if (this.#cancelRenewal !== null || this.#isClosed) return
    const { clock, claimMs, report } = this.#parts
    this.#cancelRenewal = clock.at(clock.now() + claimMs / 3, () => {
      this.#cancelRenewal = null
      this.#renew().catch(report)
    })
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRenewal?.()
  }

  /** Handlers may run for longer than a claim lasts. */
  async #renew(): Promise<void> {
    const { calls, holds, clock, claimMs, report } = this.#parts
    const nowMs = clock.now()
    const ids = holds.due(nowMs - claimMs / 3, nowMs)
    if (holds.size > 0) this.keep()
    if (ids.length === 0) return
    const answers = await calls.begin(ids, (late) => this.releaseIdle(late))
    // Not those that are being marked: they may well be done by now.
    const running = this.#parts.running()
    const lost = ids.filter((id, at) => answers[at] !== 'new' && running.has(id))
    // Ended and released while we asked: then this claim came after its release.
    this.releaseIdle(ids.filter((id, at) => answers[at] === 'new' && !holds.has(id)))
    if (lost.length > 0) report(claimsLost(lost.length))
  }
}

function claimsLost(count: number): FanlaneError {
  return new FanlaneError(
    'DEDUP_CLAIM_LOST',
    `${count} claims lapsed while their handlers ran, and somebody else has them: a handler may run twice. Was this process frozen for longer than dedup.claimMs? Raise it.`,
  )
}

/**
 * What a dedup store has to do: remember ids, so that the same thing is not done twice.
 *
 * An id is unknown, claimed (somebody is at it) or done. Everything is asked in batches: one call for all records that
 * start or end together, never one for each record. A store that fails rejects; it never answers by guessing.
 */

/** `new`: claimed for you. `done`: it was done before. `taken`: somebody else is at it. */
export type DedupAnswer = 'new' | 'done' | 'taken'

export interface DedupClaim {
  /** Unique to whoever claims. Its own claim is never in its way: asking again renews it. */
  readonly owner: string
  /** The claim lapses after so long, so that whoever crashed locks nothing for ever. */
  readonly ms: number
}

export interface DedupStore {
  /** One answer for each id, in order. No id comes twice in one call. Claims are atomic: of two who ask, one hears `new`. */
  begin(ids: readonly string[], claim: DedupClaim): Promise<readonly DedupAnswer[]>
  /** These are done, whoever claims them now. When it resolves, a crash of this process does not undo it. */
  done(ids: readonly string[]): Promise<void>
  /** These were not done: a claim of this owner goes, anything else stays. */
  release(ids: readonly string[], owner: string): Promise<void>
  /** Whoever made the store closes it; a consumer does not. */
  close?(): Promise<void>
}

/** A broken invariant is a bug of ours. Better to stop with its number than to commit something untrue. */
export class InvariantError extends Error {
  readonly code = 'INVARIANT_BROKEN'
  readonly invariant: string

  constructor(invariant: string, detail: string) {
    super(
      `${invariant} is broken: ${detail}. This is a bug in fanlane; nothing untrue was committed. Please report it.`,
    )
    this.name = 'InvariantError'
    this.invariant = invariant
  }
}

export function invariant(holds: boolean, id: string, detail: () => string): void {
  if (!holds) throw new InvariantError(id, detail())
}

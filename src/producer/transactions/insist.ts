/** Asking a coordinator until it is found and ready. What was certainly not done is asked again; silence is the caller's matter. */
import { isCoordinatorElsewhere } from '../../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../../cluster/backoff.ts'
import type { Coordinator } from '../../cluster/coordinator.ts'
import type { Wire } from '../../cluster/wire.ts'
import { errorCodes } from '../../protocol/errors.ts'

export interface InsistOptions {
  readonly backoff: BackoffOptions
  readonly deadlineMs: number
  /**
   * What silence means. `ends`: the request is not repeated, for the first one may still arrive, later than anybody
   * expects. `repeats`: that does no harm; told how often it was silent.
   */
  readonly silence: 'ends' | { readonly repeats: () => void }
}

/** The definite code; null: silence. */
export async function insist(
  wire: Wire,
  coordinator: Coordinator,
  { backoff: backoffOptions, deadlineMs, silence }: InsistOptions,
  ask: (node: number) => Promise<number | null>,
): Promise<number | null> {
  const backoff = new Backoff(wire.clock, backoffOptions)
  for (;;) {
    const node = await coordinator.find()
    const code = node === null ? errorCodes.NOT_COORDINATOR : await ask(node)
    if (node !== null) coordinator.learn(node, code)
    if (code === null && silence !== 'ends') silence.repeats()
    const isOver = code === null ? silence === 'ends' : !isPassing(code)
    if (isOver || !wire.isOpen || wire.clock.now() >= deadlineMs) return code
    await backoff.pause()
  }
}

function isPassing(code: number): boolean {
  return code === errorCodes.CONCURRENT_TRANSACTIONS || isCoordinatorElsewhere(code)
}

/** Whether the coordinator is here and ready, and what it answers if it is not. */
import { errorCodes } from '../../protocol/errors.ts'

export type Phase =
  /** It is with another broker, or so it seems to clients. */
  | 'moved'
  /** It reads its state from the log. */
  | 'loading'
  | 'active'
  /** The broker stops, or its state log has failed. */
  | 'closed'

const refusals: Readonly<Record<Phase, number>> = {
  moved: errorCodes.NOT_COORDINATOR,
  loading: errorCodes.COORDINATOR_LOAD_IN_PROGRESS,
  active: errorCodes.NONE,
  closed: errorCodes.COORDINATOR_NOT_AVAILABLE,
}

export function refusalIn(phase: Phase): number {
  return refusals[phase]
}

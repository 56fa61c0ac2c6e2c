/** What every part of the admin shares: the wire, and how much patience there is. */
import type { Wire } from '../cluster/wire.ts'
import { type FanlaneError, OptionError } from '../errors.ts'

export interface AdminContext {
  readonly wire: Wire
  /** For a whole call, all its tries included. */
  readonly timeoutMs: number
  /** For one request at most. A call that has less patience than three of these gives each a third of what it has. */
  readonly requestTimeoutMs: number
  /** Why brokers cannot be reached at the moment, if that is known. */
  readonly trouble: () => readonly FanlaneError[]
  /** Who takes requests for the controller; null: look in the metadata. */
  controller: number | null
}

export interface CallOptions {
  /** For the whole call, all its tries included. Default: the admin's, 30,000. */
  readonly timeoutMs?: number
}

/** When a call gives up. Calls that need several rounds share one. */
export interface Deadline {
  readonly atMs: number
  readonly timeoutMs: number
}

export function deadlineOf(context: AdminContext, { timeoutMs = context.timeoutMs }: CallOptions): Deadline {
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new OptionError(
      'OPTION_INVALID',
      'timeoutMs',
      `timeoutMs must be a positive number, not ${String(timeoutMs)}.`,
    )
  }
  return { atMs: context.wire.clock.now() + timeoutMs, timeoutMs }
}

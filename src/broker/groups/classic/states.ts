/**
 * The life of a group of the classic protocol, complete. Empty → PreparingRebalance (members join) → CompletingRebalance (the
 * leader assigns) → Stable, and back to PreparingRebalance whenever the membership changes.
 *
 * null: this cannot happen in this state. Whoever asks for it has a bug, and is told so.
 */
import { FanlaneError } from '../../../errors.ts'

export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead'

export type GroupEvent =
  /** Somebody came, went, or changed: everybody has to join again. */
  | 'rebalance'
  /** Everybody who is in the next generation has joined. */
  | 'joined'
  /** The time to join is over, and nobody is left. */
  | 'emptied'
  /** The leader has assigned. */
  | 'assigned'
  /** The group was deleted, or its coordinator has moved. */
  | 'removed'

type Row = Readonly<Record<GroupEvent, GroupState | null>>

// biome-ignore format: a table is read by its columns
export const transitions: Readonly<Record<GroupState, Row>> = {
  Empty:               { rebalance: 'PreparingRebalance', joined: null,                  emptied: null,    assigned: null,     removed: 'Dead' },
  PreparingRebalance:  { rebalance: null,                 joined: 'CompletingRebalance', emptied: 'Empty', assigned: null,     removed: 'Dead' },
  CompletingRebalance: { rebalance: 'PreparingRebalance', joined: null,                  emptied: null,    assigned: 'Stable', removed: 'Dead' },
  Stable:              { rebalance: 'PreparingRebalance', joined: null,                  emptied: null,    assigned: null,     removed: 'Dead' },
  Dead:                { rebalance: null,                 joined: null,                  emptied: null,    assigned: null,     removed: 'Dead' },
}

export function nextState(state: GroupState, event: GroupEvent): GroupState {
  const next = transitions[state][event]
  if (next === null) {
    throw new FanlaneError(
      'GROUP_STATE_INVALID',
      `A group that is ${state} cannot be ${event}. This is a defect of the broker: please report it.`,
    )
  }
  return next
}

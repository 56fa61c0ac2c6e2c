/**
 * Everything that can happen to the durable state of a consumer group. A heartbeat turns into a list of changes; each is
 * applied to memory and written as one record. Replay reads the records back and applies the same changes: what a
 * restarted broker knows is what the old one knew. Without a value, that part of the group is gone.
 */
import type { Progress, Subscription } from './member.ts'
import type { Partitions } from './partitions.ts'

/** The topics that a regular expression matched, and when they were looked up. */
export interface ResolvedRegex {
  readonly topics: ReadonlySet<string>
  readonly version: number
  readonly timestampMs: number
}

export type Change =
  | { readonly kind: 'group'; readonly value: { readonly epoch: number; readonly metadataHash: bigint } | null }
  | { readonly kind: 'member'; readonly memberId: string; readonly value: Subscription | null }
  | { readonly kind: 'target-epoch'; readonly value: number | null }
  | { readonly kind: 'target-member'; readonly memberId: string; readonly value: Partitions | null }
  | { readonly kind: 'progress'; readonly memberId: string; readonly value: Progress | null }
  | { readonly kind: 'regex'; readonly regex: string; readonly value: ResolvedRegex | null }

/** A member goes: its subscription last, so that a replay never sees a member without one. */
export function memberTombstones(memberId: string): Change[] {
  return [
    { kind: 'progress', memberId, value: null },
    { kind: 'target-member', memberId, value: null },
    { kind: 'member', memberId, value: null },
  ]
}

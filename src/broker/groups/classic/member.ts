/** A member of a group of the classic protocol. */
import type { JoinGroupResponse } from '../../../protocol/generated/11-join-group.ts'
import type { SyncGroupResponse } from '../../../protocol/generated/14-sync-group.ts'
import type { Input } from '../../../protocol/types.ts'

export type AnswerJoin = (response: Input<JoinGroupResponse>) => void
export type AnswerSync = (response: Input<SyncGroupResponse>) => void

/** A way of assigning that the member knows, and what it says to the leader in that case. The best liked comes first. */
export interface MemberProtocol {
  readonly name: string
  readonly metadata: Buffer
}

export interface ClassicMember {
  readonly id: string
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  sessionTimeoutMs: number
  rebalanceTimeoutMs: number
  protocols: readonly MemberProtocol[]
  assignment: Buffer
  /** Has never been in a generation: it may be put out even while it waits to join. */
  isNew: boolean
  /** Set while its JoinGroup waits for the others. Only the group sets it: it counts them. */
  awaitingJoin: AnswerJoin | null
  /** Set while its SyncGroup waits for the leader. */
  awaitingSync: AnswerSync | null
  cancelSession: (() => void) | null
}

export const noAssignment: Buffer = Buffer.alloc(0)

/**
 * The protocols of a request, kept: the bytes are copied out of the frame that they came in. A name that comes twice counts
 * once. (Kafka counts it twice, then waits for a member that does not exist, and never answers.)
 */
export function keptProtocols(
  asked: readonly { readonly name: string; readonly metadata: Buffer }[],
): readonly MemberProtocol[] {
  const kept = new Map<string, MemberProtocol>()
  for (const { name, metadata } of asked) {
    if (!kept.has(name)) kept.set(name, { name, metadata: Buffer.from(metadata) })
  }
  return [...kept.values()]
}

export function protocolBytes(protocols: readonly MemberProtocol[]): number {
  let bytes = 0
  for (const { name, metadata } of protocols) bytes += name.length + metadata.length
  return bytes
}

export function sameProtocols(one: readonly MemberProtocol[], other: readonly MemberProtocol[]): boolean {
  if (one.length !== other.length) return false
  return one.every(({ name, metadata }, i) => name === other[i]?.name && metadata.equals(other[i].metadata))
}

export function metadataFor(member: ClassicMember, protocolName: string | null): Buffer {
  return member.protocols.find(({ name }) => name === protocolName)?.metadata ?? noAssignment
}

/** Somebody who waits for others to join or to assign is alive, whatever the clock says. */
export function isExcused(member: ClassicMember): boolean {
  return !member.isNew && (member.awaitingJoin !== null || member.awaitingSync !== null)
}

/**
 * A member of a consumer group: what it asked for (its subscription) and how far it has come towards its target
 * (its progress). The two are stored in two records, because they change at different times. Members are immutable.
 */
import type { ConsumerGroupHeartbeatRequest } from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import { type MemberProtocol, sameProtocols } from '../classic/member.ts'
import { noPartitions, type Partitions, samePartitions } from './partitions.ts'

/**
 * `stable`: owns what the target of its epoch says. `unrevoked`: must first let partitions go. `unreleased`: waits for
 * partitions that others still own. `unknown`: read from a record that a later version wrote.
 */
export type MemberState = 'stable' | 'unrevoked' | 'unreleased' | 'unknown'

/** What a member said that speaks the classic protocol, and goes on speaking it, in a group of this one. */
export interface ClassicMetadata {
  readonly sessionTimeoutMs: number
  readonly protocols: readonly MemberProtocol[]
}

export interface Subscription {
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly clientId: string
  readonly clientHost: string
  readonly topicNames: ReadonlySet<string>
  /** Empty: none. */
  readonly topicRegex: string
  readonly rebalanceTimeoutMs: number
  readonly serverAssignor: string | null
  /** null: it speaks the consumer protocol. */
  readonly classic: ClassicMetadata | null
}

export interface Progress {
  readonly epoch: number
  /** A member whose last answer got lost comes back with this one. */
  readonly previousEpoch: number
  readonly state: MemberState
  readonly assigned: Partitions
  /** Owned until the member says that it let them go. */
  readonly pendingRevocation: Partitions
}

export interface Member extends Subscription, Progress {
  readonly memberId: string
}

/** Epochs with a meaning of their own. */
export const joinEpoch = 0
export const leaveEpoch = -1
export const staticLeaveEpoch = -2

export const noProgress: Progress = {
  epoch: joinEpoch,
  previousEpoch: joinEpoch,
  state: 'stable',
  assigned: noPartitions,
  pendingRevocation: noPartitions,
}

/** What stays of a member between the tombstone of its progress and that of its subscription. */
export const leftProgress: Progress = { ...noProgress, epoch: leaveEpoch, previousEpoch: leaveEpoch }

const noSubscription: Subscription = {
  instanceId: null,
  rackId: null,
  clientId: '',
  clientHost: '',
  topicNames: new Set(),
  topicRegex: '',
  rebalanceTimeoutMs: -1,
  serverAssignor: null,
  classic: null,
}

export function newMember(memberId: string): Member {
  return { memberId, ...noSubscription, ...noProgress }
}

/**
 * The member after a heartbeat: a field that the request leaves out stays as it was. Who sends one speaks the consumer
 * protocol from now on.
 */
export function subscribed(
  member: Member,
  request: ConsumerGroupHeartbeatRequest,
  client: { readonly clientId: string; readonly clientHost: string },
): Member {
  const names = request.subscribedTopicNames
  return {
    ...member,
    instanceId: request.instanceId ?? member.instanceId,
    rackId: request.rackId ?? member.rackId,
    clientId: client.clientId,
    clientHost: client.clientHost,
    topicNames: names === null ? member.topicNames : new Set(names),
    topicRegex: request.subscribedTopicRegex ?? member.topicRegex,
    rebalanceTimeoutMs: request.rebalanceTimeoutMs === -1 ? member.rebalanceTimeoutMs : request.rebalanceTimeoutMs,
    serverAssignor: request.serverAssignor ?? member.serverAssignor,
    classic: null,
  }
}

export function subscriptionOf(member: Member): Subscription {
  const { instanceId, rackId, clientId, clientHost, topicNames, topicRegex } = member
  const { rebalanceTimeoutMs, serverAssignor, classic } = member
  return {
    instanceId,
    rackId,
    clientId,
    clientHost,
    topicNames,
    topicRegex,
    rebalanceTimeoutMs,
    serverAssignor,
    classic,
  }
}

export function progressOf(member: Member): Progress {
  const { epoch, previousEpoch, state, assigned, pendingRevocation } = member
  return { epoch, previousEpoch, state, assigned, pendingRevocation }
}

export function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name))
}

export function sameSubscription(a: Subscription, b: Subscription): boolean {
  return (
    a.instanceId === b.instanceId &&
    a.rackId === b.rackId &&
    a.clientId === b.clientId &&
    a.clientHost === b.clientHost &&
    sameNames(a.topicNames, b.topicNames) &&
    a.topicRegex === b.topicRegex &&
    a.rebalanceTimeoutMs === b.rebalanceTimeoutMs &&
    a.serverAssignor === b.serverAssignor &&
    sameClassic(a.classic, b.classic)
  )
}

function sameClassic(a: ClassicMetadata | null, b: ClassicMetadata | null): boolean {
  if (a === null || b === null) return a === b
  return a.sessionTimeoutMs === b.sessionTimeoutMs && sameProtocols(a.protocols, b.protocols)
}

export function sameProgress(a: Progress, b: Progress): boolean {
  return (
    a.epoch === b.epoch &&
    a.previousEpoch === b.previousEpoch &&
    a.state === b.state &&
    samePartitions(a.assigned, b.assigned) &&
    samePartitions(a.pendingRevocation, b.pendingRevocation)
  )
}

export function isReconciledTo(progress: Progress, assignmentEpoch: number): boolean {
  return progress.state === 'stable' && progress.epoch === assignmentEpoch
}

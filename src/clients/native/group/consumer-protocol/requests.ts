/** The heartbeats of the consumer protocol, which are all there is to it: one joins, many say that we are there, one leaves. */
import type { ConsumerGroupHeartbeatRequest } from '../../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { TopicIdPartitions } from './target.ts'

export interface ConsumerOptions {
  readonly group: string
  readonly instanceId: string | null
  readonly rackId: string | null
  readonly rebalanceTimeoutMs: number
  /** null: what the broker prefers. */
  readonly serverAssignor: string | null
  /** The broker matches topics by this, and by the names that are wanted; null: by the names alone. */
  readonly topicRegex: string | null
}

export interface Member {
  readonly memberId: string
  readonly memberEpoch: number
}

export const joinEpoch = 0
/** Gone for good. */
const leaveEpoch = -1
/** A static member is gone for a while, and keeps its partitions until its session ends. */
const staticLeaveEpoch = -2

/** A field that is left out is as it was. The answer to one that leaves nothing out has the assignment, changed or not. */
export function wholeHeartbeat(
  options: ConsumerOptions,
  member: Member,
  topics: readonly string[],
  topicPartitions: readonly TopicIdPartitions[],
): ConsumerGroupHeartbeatRequest {
  return {
    ...shortHeartbeat(options, member, topicPartitions),
    rackId: options.rackId,
    rebalanceTimeoutMs: options.rebalanceTimeoutMs,
    subscribedTopicNames: topics,
    subscribedTopicRegex: options.topicRegex,
    serverAssignor: options.serverAssignor,
  }
}

/**
 * What we own is never left out: if an answer with a new epoch is lost, the broker takes a heartbeat with the old one only if
 * it can see that we own nothing that we should not.
 */
export function shortHeartbeat(
  { group, instanceId }: ConsumerOptions,
  { memberId, memberEpoch }: Member,
  topicPartitions: readonly TopicIdPartitions[],
): ConsumerGroupHeartbeatRequest {
  return {
    groupId: group,
    memberId,
    memberEpoch,
    instanceId,
    rackId: null,
    rebalanceTimeoutMs: -1,
    subscribedTopicNames: null,
    subscribedTopicRegex: null,
    serverAssignor: null,
    topicPartitions,
  }
}

export function leaveHeartbeat(
  options: ConsumerOptions,
  memberId: string,
  forGood: boolean,
): ConsumerGroupHeartbeatRequest {
  const memberEpoch = forGood || options.instanceId === null ? leaveEpoch : staticLeaveEpoch
  return { ...shortHeartbeat(options, { memberId, memberEpoch }, []), topicPartitions: null }
}

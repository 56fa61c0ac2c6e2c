/**
 * What can be set for groups. The object is read at every use, so a value that is changed while the broker runs counts from
 * the next request on. The defaults are Apache Kafka's, but for the initial delay (a quick start is worth more here than
 * one rebalance saved) and for the three bounds that Kafka leaves open.
 */
export interface GroupOptions {
  /** group.initial.rebalance.delay.ms: how long a new group waits for more members before its first assignment. */
  readonly groupInitialRebalanceDelayMs: number
  /** group.min.session.timeout.ms */
  readonly groupMinSessionTimeoutMs: number
  /** group.max.session.timeout.ms */
  readonly groupMaxSessionTimeoutMs: number
  /** A new member cannot send heartbeats while it waits to join, and its client may be gone: so long it may wait. */
  readonly groupNewMemberJoinTimeoutMs: number
  /** offset.metadata.max.bytes, which counts UTF-16 units. */
  readonly offsetMetadataMaxChars: number
  /** offsets.retention.minutes */
  readonly offsetsRetentionMs: number
  /** offsets.retention.check.interval.ms */
  readonly offsetsRetentionCheckIntervalMs: number
  /** max.message.bytes of the state log: what one request changes is written in one batch, or not at all. */
  readonly stateBatchBytesMax: number
  /** group.max.size: members of one group, and ids that it has given out to members that may still come. */
  readonly groupMaxSize: number
  /** What the members of one group may say about themselves, all together. */
  readonly groupMetadataBytesMax: number
  readonly groupsMax: number
}

const minuteMs = 60_000

export const defaultGroupOptions: GroupOptions = {
  groupInitialRebalanceDelayMs: 0,
  groupMinSessionTimeoutMs: 6_000,
  groupMaxSessionTimeoutMs: 30 * minuteMs,
  groupNewMemberJoinTimeoutMs: 5 * minuteMs,
  offsetMetadataMaxChars: 4_096,
  offsetsRetentionMs: 7 * 24 * 60 * minuteMs,
  offsetsRetentionCheckIntervalMs: 10 * minuteMs,
  stateBatchBytesMax: 1_048_588,
  groupMaxSize: 10_000,
  groupMetadataBytesMax: 16 * 1024 * 1024,
  groupsMax: 100_000,
}

/**
 * What can be set for groups of the `consumer` protocol. The object is read at every use, so a value that is changed
 * while the broker runs counts from the next heartbeat on.
 */
import type { MigrationPolicy } from '../migration/policy.ts'

export type AssignorName = 'uniform' | 'range'

export interface ConsumerGroupOptions {
  readonly sessionTimeoutMs: number
  readonly heartbeatIntervalMs: number
  /** Members that one group may have. */
  readonly maxSize: number
  /** The assignors that members may ask for; the first one serves those that ask for none. */
  readonly assignors: readonly AssignorName[]
  /** Topics that a regular expression matches are looked up again after this time, even if no topic was created. */
  readonly regexRefreshIntervalMs: number
  /** What a group has of its own, with the broker's values for the rest; left out: no group has anything. */
  readonly ownSettings?: (groupId: string) => OwnSettings
  /** Whether a group with members may come from the classic protocol, and go back to it. */
  readonly migrationPolicy: MigrationPolicy
}

/** The two that a group may have of its own. */
export type OwnSettings = Pick<ConsumerGroupOptions, 'sessionTimeoutMs' | 'heartbeatIntervalMs'>

/** The options as one group has them: read at every use, too. */
export function optionsOfGroup(options: ConsumerGroupOptions, groupId: string): ConsumerGroupOptions {
  const { ownSettings } = options
  if (ownSettings === undefined) return options
  return Object.create(options, {
    sessionTimeoutMs: { get: () => ownSettings(groupId).sessionTimeoutMs },
    heartbeatIntervalMs: { get: () => ownSettings(groupId).heartbeatIntervalMs },
  })
}

/** The defaults of Apache Kafka 4.1, but for the size of a group, which Kafka leaves open. */
export const defaultConsumerGroupOptions: ConsumerGroupOptions = {
  sessionTimeoutMs: 45_000,
  heartbeatIntervalMs: 5_000,
  maxSize: 10_000,
  assignors: ['uniform', 'range'],
  regexRefreshIntervalMs: 600_000,
  migrationPolicy: 'bidirectional',
}

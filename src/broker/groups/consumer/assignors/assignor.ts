/**
 * What an assignor is given and what it gives back: who shall own which partitions. It decides for the whole group at
 * once and knows nothing of epochs; how the members get there is the business of reconciliation.
 */
import type { Uuid } from '../../../../protocol/types.ts'
import type { Partitions } from '../partitions.ts'

export interface AssignorMember {
  readonly memberId: string
  readonly instanceId: string | null
  /** The existing topics that it is subscribed to. */
  readonly topicIds: ReadonlySet<Uuid>
  /** What the last target gave to it. */
  readonly current: Partitions
}

export interface AssignorTopic {
  readonly topicId: Uuid
  readonly partitionCount: number
}

export interface AssignorInput {
  /** By member id, so that the same group always gets the same answer. */
  readonly members: readonly AssignorMember[]
  /** All topics that any member is subscribed to, by name. */
  readonly topics: readonly AssignorTopic[]
  /** Whether all members asked for the same topics. */
  readonly isHomogeneous: boolean
}

/** The partitions of every member of the input. */
export type Assignor = (input: AssignorInput) => ReadonlyMap<string, Partitions>

/**
 * Membership and committed offsets. Subscriptions and assignments are opaque to the cluster, which compares them: they
 * travel as latin1 strings, one character a byte.
 */
import { offsetCommitApi } from '../../../protocol/generated/08-offset-commit.ts'
import { offsetFetchApi } from '../../../protocol/generated/09-offset-fetch.ts'
import { findCoordinatorApi } from '../../../protocol/generated/10-find-coordinator.ts'
import { joinGroupApi } from '../../../protocol/generated/11-join-group.ts'
import { heartbeatApi } from '../../../protocol/generated/12-heartbeat.ts'
import { leaveGroupApi } from '../../../protocol/generated/13-leave-group.ts'
import { syncGroupApi } from '../../../protocol/generated/14-sync-group.ts'
import type { OffsetCommitPartition, PartitionResult } from '../cluster/group-messages.ts'
import { addressOf } from './cluster-map.ts'
import {
  type AnyTranslation,
  type Asked,
  byTopic,
  codeOf,
  coordinator,
  need,
  numberOf,
  translation,
} from './translation.ts'

const opaque = (bytes: Buffer): string => bytes.toString('latin1')
const transparent = (value: unknown): Buffer => Buffer.from((value as string | null) ?? '', 'latin1')

interface CommitTopic {
  readonly name: string
  readonly partitions: readonly {
    readonly partitionIndex: number
    readonly committedOffset: bigint
    readonly committedLeaderEpoch: number
    readonly committedMetadata: string | null
  }[]
}

export function commitsOf(topics: readonly CommitTopic[], asked: Asked): OffsetCommitPartition[] {
  return topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata }) => ({
      topic: name,
      partition: partitionIndex,
      committedOffset: numberOf(committedOffset, asked),
      committedLeaderEpoch,
      committedMetadata,
    })),
  )
}

interface ResultTopic {
  readonly name: string
  readonly partitions: readonly { readonly partitionIndex: number; readonly errorCode: number }[]
}

export function resultsOf(partitions: readonly PartitionResult[]): ResultTopic[] {
  return byTopic(partitions, (name, list) => ({
    name,
    partitions: list.map(({ partition, errorCode }) => ({ partitionIndex: partition, errorCode: codeOf(errorCode) })),
  }))
}

export const groupTranslations: readonly AnyTranslation[] = [
  translation({
    kind: 'FindCoordinator',
    api: findCoordinatorApi,
    lowest: 4,
    highest: 4,
    ask: ({ keyType, coordinatorKeys }, asked) => {
      need(keyType === 0 || keyType === 1, asked, `coordinators of type ${keyType}`)
      need(coordinatorKeys.length === 1, asked, 'a question for several coordinators')
      return { keyType: keyType === 0 ? ('group' as const) : ('transaction' as const), key: coordinatorKeys[0] ?? '' }
    },
    answer: ({ errorCode, nodeId }, _asked, { coordinatorKeys }) => ({
      coordinators: coordinatorKeys.map((key) => ({
        key,
        ...addressOf(nodeId),
        errorCode: codeOf(errorCode),
        errorMessage: null,
      })),
    }),
  }),

  translation({
    kind: 'JoinGroup',
    api: joinGroupApi,
    lowest: 9,
    highest: 9,
    ask: (question, asked) => ({
      node: coordinator(asked),
      clientId: asked.clientId,
      groupId: question.groupId,
      sessionTimeoutMs: question.sessionTimeoutMs,
      rebalanceTimeoutMs: question.rebalanceTimeoutMs,
      memberId: question.memberId,
      groupInstanceId: question.groupInstanceId,
      protocolType: question.protocolType,
      protocols: question.protocols.map(({ name, metadata }) => ({ name, metadata: opaque(metadata) })),
    }),
    answer: (response) => ({
      errorCode: codeOf(response.errorCode),
      generationId: response.generationId,
      protocolType: response.protocolType,
      protocolName: response.protocolName,
      leader: response.leader,
      skipAssignment: response.skipAssignment,
      memberId: response.memberId,
      members: response.members.map(({ memberId, groupInstanceId, metadata }) => ({
        memberId,
        groupInstanceId,
        metadata: transparent(metadata),
      })),
    }),
  }),

  translation({
    kind: 'SyncGroup',
    api: syncGroupApi,
    lowest: 5,
    highest: 5,
    ask: (question, asked) => ({
      node: coordinator(asked),
      groupId: question.groupId,
      generationId: question.generationId,
      memberId: question.memberId,
      groupInstanceId: question.groupInstanceId,
      protocolType: question.protocolType,
      protocolName: question.protocolName,
      assignments: question.assignments.map(({ memberId, assignment }) => ({
        memberId,
        assignment: opaque(assignment),
      })),
    }),
    answer: ({ errorCode, protocolType, protocolName, assignment }) => ({
      errorCode: codeOf(errorCode),
      protocolType,
      protocolName,
      assignment: transparent(assignment),
    }),
  }),

  translation({
    kind: 'Heartbeat',
    api: heartbeatApi,
    lowest: 4,
    highest: 4,
    ask: ({ groupId, generationId, memberId, groupInstanceId }, asked) => ({
      node: coordinator(asked),
      groupId,
      generationId,
      memberId,
      groupInstanceId,
    }),
    answer: ({ errorCode }) => ({ errorCode: codeOf(errorCode) }),
  }),

  translation({
    kind: 'LeaveGroup',
    api: leaveGroupApi,
    lowest: 5,
    highest: 5,
    ask: ({ groupId, members }, asked) => ({
      node: coordinator(asked),
      groupId,
      members: members.map(({ memberId, groupInstanceId }) => ({ memberId, groupInstanceId })),
    }),
    answer: ({ errorCode, members }) => ({
      errorCode: codeOf(errorCode),
      members: members.map((member) => ({ ...member, errorCode: codeOf(member.errorCode) })),
    }),
  }),

  translation({
    kind: 'OffsetCommit',
    api: offsetCommitApi,
    lowest: 9,
    highest: 9,
    ask: ({ groupId, generationIdOrMemberEpoch, memberId, groupInstanceId, topics }, asked) => ({
      node: coordinator(asked),
      groupId,
      generationId: generationIdOrMemberEpoch,
      memberId,
      groupInstanceId,
      partitions: commitsOf(topics, asked),
    }),
    answer: ({ partitions }) => ({ topics: resultsOf(partitions) }),
  }),

  translation({
    kind: 'OffsetFetch',
    api: offsetFetchApi,
    lowest: 8,
    highest: 9,
    ask: ({ groups, requireStable }, asked) => {
      const [group] = groups
      if (group === undefined || groups.length > 1) throw new Error('OffsetFetch: one group at a time is modelled')
      need(group.memberId === null && group.memberEpoch === -1, asked, 'members of the newer group protocol')
      const partitions = group.topics?.flatMap(({ name, partitionIndexes }) =>
        partitionIndexes.map((partition) => ({ topic: name, partition })),
      )
      return { node: coordinator(asked), groupId: group.groupId, requireStable, partitions: partitions ?? null }
    },
    answer: ({ errorCode, partitions }, _asked, { groups }) => ({
      groups: groups.map(({ groupId }) => ({
        groupId,
        errorCode: codeOf(errorCode),
        topics: byTopic(partitions, (name, list) => ({
          name,
          partitions: list.map((each) => ({
            partitionIndex: each.partition,
            committedOffset: BigInt(each.committedOffset),
            committedLeaderEpoch: each.committedLeaderEpoch,
            metadata: each.metadata,
            errorCode: codeOf(each.errorCode),
          })),
        })),
      })),
    }),
  }),
]

/**
 * Administering a cluster, in plain data. Every method takes its own `timeoutMs`; what can pass by itself (a leader moves, a
 * coordinator loads, a broker says nothing) is tried again until then. Methods that take a list resolve only if everything
 * on it was done, with one result for each in the order of the list; else they reject with an AdminError, which has the
 * results of the others as well (see failures.ts and `settled`).
 */

import type { Wire } from '../cluster/wire.ts'
import type { FanlaneError } from '../errors.ts'
import { apiVersions, type BrokerVersions, type ClusterDescription, describeCluster } from './cluster.ts'
import { type CommittedOffset, type CommittedOptions, committed } from './committed.ts'
import {
  alterConfigs,
  type ConfigChange,
  type ConfigQuestion,
  type ConfigResource,
  type DescribeConfigsOptions,
  type DescribedConfig,
  describeConfigs,
} from './configs.ts'
import type { AdminContext, CallOptions } from './context.ts'
import { describeGroups, type GroupDescription } from './group-descriptions.ts'
import {
  deleteGroups,
  type GroupListing,
  type ListGroupsOptions,
  listGroups,
  type MemberToRemove,
  type RemovedGroup,
  type RemovedMember,
  type RemoveMembersOptions,
  removeMembers,
} from './groups.ts'
import { type ListedOffset, type ListOffsetsOptions, listOffsets, type OffsetQuestion } from './list-offsets.ts'
import { describeLogDirs, type LogDir } from './log-dirs.ts'
import { alterOffsets, deleteOffsets, type OffsetChange } from './offset-changes.ts'
import type { PartitionName } from './partitions.ts'
import { type DeletedRecords, deleteRecords, type RecordDeletion } from './records.ts'
import {
  type ChangedTopic,
  type ChangeOptions,
  type CreatedTopic,
  createPartitions,
  createTopics,
  deleteTopics,
  type NewPartitions,
  type NewTopic,
} from './topic-changes.ts'
import {
  describeTopics,
  type ListTopicsOptions,
  listTopics,
  type TopicDescription,
  type TopicListing,
} from './topics.ts'
import {
  describeProducers,
  describeTransactions,
  type ListTransactionsOptions,
  listTransactions,
  type PartitionProducers,
  type TransactionDescription,
  type TransactionListing,
} from './transactions.ts'

export interface AdminParts {
  readonly wire: Wire
  /** For a whole call. Default 30,000. */
  readonly timeoutMs?: number
  /** For one request. Default 30,000, and never more than a third of the call's. */
  readonly requestTimeoutMs?: number
  /** Why brokers cannot be reached at the moment, if that is known. */
  readonly trouble?: () => readonly FanlaneError[]
  /** What to close with the admin: a wire of its own. A shared one stays open. */
  readonly onClose?: () => Promise<void>
}

export class Admin {
  readonly #context: AdminContext
  readonly #onClose: () => Promise<void>

  constructor({ wire, timeoutMs = 30_000, requestTimeoutMs = 30_000, trouble, onClose }: AdminParts) {
    this.#context = { wire, timeoutMs, requestTimeoutMs, trouble: trouble ?? ((): [] => []), controller: null }
    this.#onClose = onClose ?? ((): Promise<void> => Promise.resolve())
  }

  /** Without Kafka's own, unless `internal` is true. */
  async listTopics(options: ListTopicsOptions = {}): Promise<readonly TopicListing[]> {
    return listTopics(this.#context, options)
  }

  async describeTopics(names: readonly string[], options: CallOptions = {}): Promise<readonly TopicDescription[]> {
    return describeTopics(this.#context, names, options)
  }

  /** The brokers hear of a new topic a moment later than this resolves. */
  async createTopics(topics: readonly NewTopic[], options: ChangeOptions = {}): Promise<readonly CreatedTopic[]> {
    return createTopics(this.#context, topics, options)
  }

  async deleteTopics(names: readonly string[], options: CallOptions = {}): Promise<readonly ChangedTopic[]> {
    return deleteTopics(this.#context, names, options)
  }

  /** `count` is how many partitions there are to be. Records of a key may go to another partition from then on. */
  async createPartitions(
    topics: readonly NewPartitions[],
    options: ChangeOptions = {},
  ): Promise<readonly ChangedTopic[]> {
    return createPartitions(this.#context, topics, options)
  }

  async describeConfigs(
    resources: readonly ConfigQuestion[],
    options: DescribeConfigsOptions = {},
  ): Promise<readonly DescribedConfig[]> {
    return describeConfigs(this.#context, resources, options)
  }

  /** Only the entries that are named change. */
  async alterConfigs(
    changes: readonly ConfigChange[],
    options: ChangeOptions = {},
  ): Promise<readonly ConfigResource[]> {
    return alterConfigs(this.#context, changes, options)
  }

  async describeCluster(options: CallOptions = {}): Promise<ClusterDescription> {
    return describeCluster(this.#context, options)
  }

  /** What a broker speaks; without a node, whichever is at hand. */
  async apiVersions(node?: number, options: CallOptions = {}): Promise<BrokerVersions> {
    return apiVersions(this.#context, node, options)
  }

  /** Of all brokers. */
  async listGroups(options: ListGroupsOptions = {}): Promise<readonly GroupListing[]> {
    return listGroups(this.#context, options)
  }

  async describeGroups(ids: readonly string[], options: CallOptions = {}): Promise<readonly GroupDescription[]> {
    return describeGroups(this.#context, ids, options)
  }

  /** With their offsets; only groups without members. */
  async deleteGroups(ids: readonly string[], options: CallOptions = {}): Promise<readonly RemovedGroup[]> {
    return deleteGroups(this.#context, ids, options)
  }

  async removeMembers(
    group: string,
    members: readonly MemberToRemove[],
    options: RemoveMembersOptions = {},
  ): Promise<readonly RemovedMember[]> {
    return removeMembers(this.#context, group, members, options)
  }

  /** Without `partitions`: everything that the group has committed. */
  async committed(
    group: string,
    partitions?: readonly PartitionName[],
    options: CommittedOptions = {},
  ): Promise<readonly CommittedOffset[]> {
    return committed(this.#context, group, partitions, options)
  }

  /** Only while the group has no members. */
  async alterOffsets(
    group: string,
    offsets: readonly OffsetChange[],
    options: CallOptions = {},
  ): Promise<readonly CommittedOffset[]> {
    return alterOffsets(this.#context, group, offsets, options)
  }

  async deleteOffsets(
    group: string,
    partitions: readonly PartitionName[],
    options: CallOptions = {},
  ): Promise<readonly PartitionName[]> {
    return deleteOffsets(this.#context, group, partitions, options)
  }

  async listOffsets(
    questions: readonly OffsetQuestion[],
    options: ListOffsetsOptions = {},
  ): Promise<readonly ListedOffset[]> {
    return listOffsets(this.#context, questions, options)
  }

  async deleteRecords(
    deletions: readonly RecordDeletion[],
    options: CallOptions = {},
  ): Promise<readonly DeletedRecords[]> {
    return deleteRecords(this.#context, deletions, options)
  }

  /** Of all brokers: where logs are, and how large. */
  async describeLogDirs(options: CallOptions = {}): Promise<readonly LogDir[]> {
    return describeLogDirs(this.#context, options)
  }

  async describeProducers(
    partitions: readonly PartitionName[],
    options: CallOptions = {},
  ): Promise<readonly PartitionProducers[]> {
    return describeProducers(this.#context, partitions, options)
  }

  /** Of all brokers. */
  async listTransactions(options: ListTransactionsOptions = {}): Promise<readonly TransactionListing[]> {
    return listTransactions(this.#context, options)
  }

  async describeTransactions(
    ids: readonly string[],
    options: CallOptions = {},
  ): Promise<readonly TransactionDescription[]> {
    return describeTransactions(this.#context, ids, options)
  }

  /** What is under way is given up with CLIENT_CLOSED. */
  close(): Promise<void> {
    return this.#onClose()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** Administering a Kafka cluster: topics, configurations, groups, offsets, records. */
export { Admin, type AdminParts } from './admin.ts'
export type {
  ApiDescription,
  BrokerDescription,
  BrokerVersions,
  ClusterDescription,
  FeatureDescription,
  VersionRange,
} from './cluster.ts'
export type { CommittedOffset, CommittedOptions } from './committed.ts'
export type { ConfigDescription, ConfigSource, ConfigSynonym } from './config-entries.ts'
export type {
  ConfigChange,
  ConfigQuestion,
  ConfigResource,
  ConfigType,
  DescribeConfigsOptions,
  DescribedConfig,
} from './configs.ts'
export type { CallOptions } from './context.ts'
export { AdminError, type Failure, type Settled, settled } from './failures.ts'
export type { GroupDescription, MemberDescription } from './group-descriptions.ts'
export type {
  GroupListing,
  GroupState,
  GroupType,
  ListGroupsOptions,
  MemberToRemove,
  RemovedGroup,
  RemovedMember,
  RemoveMembersOptions,
} from './groups.ts'
export type { Isolation, ListedOffset, ListOffsetsOptions, OffsetAt, OffsetQuestion } from './list-offsets.ts'
export type { LogDir, ReplicaSize } from './log-dirs.ts'
export type { TopicPartitions } from './member-data.ts'
export type { OffsetChange } from './offset-changes.ts'
export { type AdminClientOptions, type OpenAdminOptions, openAdmin } from './open-admin.ts'
export type { PartitionName } from './partitions.ts'
export type { DeletedRecords, RecordDeletion } from './records.ts'
export type { ChangedTopic, ChangeOptions, CreatedTopic, NewPartitions, NewTopic } from './topic-changes.ts'
export type { ListTopicsOptions, PartitionDescription, TopicDescription, TopicListing } from './topics.ts'
export type {
  ActiveProducer,
  ListTransactionsOptions,
  PartitionProducers,
  TransactionDescription,
  TransactionListing,
  TransactionStateName,
} from './transactions.ts'

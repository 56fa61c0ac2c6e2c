/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { AnyApi } from '../api.ts'
import { produceApi } from './00-produce.ts'
import { fetchApi } from './01-fetch.ts'
import { listOffsetsApi } from './02-list-offsets.ts'
import { metadataApi } from './03-metadata.ts'
import { offsetCommitApi } from './08-offset-commit.ts'
import { offsetFetchApi } from './09-offset-fetch.ts'
import { findCoordinatorApi } from './10-find-coordinator.ts'
import { joinGroupApi } from './11-join-group.ts'
import { heartbeatApi } from './12-heartbeat.ts'
import { leaveGroupApi } from './13-leave-group.ts'
import { syncGroupApi } from './14-sync-group.ts'
import { describeGroupsApi } from './15-describe-groups.ts'
import { listGroupsApi } from './16-list-groups.ts'
import { saslHandshakeApi } from './17-sasl-handshake.ts'
import { apiVersionsApi } from './18-api-versions.ts'
import { createTopicsApi } from './19-create-topics.ts'
import { deleteTopicsApi } from './20-delete-topics.ts'
import { deleteRecordsApi } from './21-delete-records.ts'
import { initProducerIdApi } from './22-init-producer-id.ts'
import { offsetForLeaderEpochApi } from './23-offset-for-leader-epoch.ts'
import { addPartitionsToTxnApi } from './24-add-partitions-to-txn.ts'
import { addOffsetsToTxnApi } from './25-add-offsets-to-txn.ts'
import { endTxnApi } from './26-end-txn.ts'
import { writeTxnMarkersApi } from './27-write-txn-markers.ts'
import { txnOffsetCommitApi } from './28-txn-offset-commit.ts'
import { describeAclsApi } from './29-describe-acls.ts'
import { createAclsApi } from './30-create-acls.ts'
import { deleteAclsApi } from './31-delete-acls.ts'
import { describeConfigsApi } from './32-describe-configs.ts'
import { alterConfigsApi } from './33-alter-configs.ts'
import { alterReplicaLogDirsApi } from './34-alter-replica-log-dirs.ts'
import { describeLogDirsApi } from './35-describe-log-dirs.ts'
import { saslAuthenticateApi } from './36-sasl-authenticate.ts'
import { createPartitionsApi } from './37-create-partitions.ts'
import { createDelegationTokenApi } from './38-create-delegation-token.ts'
import { renewDelegationTokenApi } from './39-renew-delegation-token.ts'
import { expireDelegationTokenApi } from './40-expire-delegation-token.ts'
import { describeDelegationTokenApi } from './41-describe-delegation-token.ts'
import { deleteGroupsApi } from './42-delete-groups.ts'
import { electLeadersApi } from './43-elect-leaders.ts'
import { incrementalAlterConfigsApi } from './44-incremental-alter-configs.ts'
import { alterPartitionReassignmentsApi } from './45-alter-partition-reassignments.ts'
import { listPartitionReassignmentsApi } from './46-list-partition-reassignments.ts'
import { offsetDeleteApi } from './47-offset-delete.ts'
import { describeClientQuotasApi } from './48-describe-client-quotas.ts'
import { alterClientQuotasApi } from './49-alter-client-quotas.ts'
import { describeUserScramCredentialsApi } from './50-describe-user-scram-credentials.ts'
import { alterUserScramCredentialsApi } from './51-alter-user-scram-credentials.ts'
import { describeQuorumApi } from './55-describe-quorum.ts'
import { updateFeaturesApi } from './57-update-features.ts'
import { describeClusterApi } from './60-describe-cluster.ts'
import { describeProducersApi } from './61-describe-producers.ts'
import { unregisterBrokerApi } from './64-unregister-broker.ts'
import { describeTransactionsApi } from './65-describe-transactions.ts'
import { listTransactionsApi } from './66-list-transactions.ts'
import { consumerGroupHeartbeatApi } from './68-consumer-group-heartbeat.ts'
import { consumerGroupDescribeApi } from './69-consumer-group-describe.ts'
import { getTelemetrySubscriptionsApi } from './71-get-telemetry-subscriptions.ts'
import { pushTelemetryApi } from './72-push-telemetry.ts'
import { listConfigResourcesApi } from './74-list-config-resources.ts'
import { describeTopicPartitionsApi } from './75-describe-topic-partitions.ts'
import { shareGroupHeartbeatApi } from './76-share-group-heartbeat.ts'
import { shareGroupDescribeApi } from './77-share-group-describe.ts'
import { shareFetchApi } from './78-share-fetch.ts'
import { shareAcknowledgeApi } from './79-share-acknowledge.ts'
import { addRaftVoterApi } from './80-add-raft-voter.ts'
import { removeRaftVoterApi } from './81-remove-raft-voter.ts'
import { initializeShareGroupStateApi } from './83-initialize-share-group-state.ts'
import { readShareGroupStateApi } from './84-read-share-group-state.ts'
import { writeShareGroupStateApi } from './85-write-share-group-state.ts'
import { deleteShareGroupStateApi } from './86-delete-share-group-state.ts'
import { readShareGroupStateSummaryApi } from './87-read-share-group-state-summary.ts'
import { streamsGroupHeartbeatApi } from './88-streams-group-heartbeat.ts'
import { streamsGroupDescribeApi } from './89-streams-group-describe.ts'
import { describeShareGroupOffsetsApi } from './90-describe-share-group-offsets.ts'
import { alterShareGroupOffsetsApi } from './91-alter-share-group-offsets.ts'
import { deleteShareGroupOffsetsApi } from './92-delete-share-group-offsets.ts'

/** Every API, by its key. For tools and tests: a server or client imports the few that it speaks. */
export const apis: readonly AnyApi[] = [
  produceApi as unknown as AnyApi,
  fetchApi as unknown as AnyApi,
  listOffsetsApi as unknown as AnyApi,
  metadataApi as unknown as AnyApi,
  offsetCommitApi as unknown as AnyApi,
  offsetFetchApi as unknown as AnyApi,
  findCoordinatorApi as unknown as AnyApi,
  joinGroupApi as unknown as AnyApi,
  heartbeatApi as unknown as AnyApi,
  leaveGroupApi as unknown as AnyApi,
  syncGroupApi as unknown as AnyApi,
  describeGroupsApi as unknown as AnyApi,
  listGroupsApi as unknown as AnyApi,
  saslHandshakeApi as unknown as AnyApi,
  apiVersionsApi as unknown as AnyApi,
  createTopicsApi as unknown as AnyApi,
  deleteTopicsApi as unknown as AnyApi,
  deleteRecordsApi as unknown as AnyApi,
  initProducerIdApi as unknown as AnyApi,
  offsetForLeaderEpochApi as unknown as AnyApi,
  addPartitionsToTxnApi as unknown as AnyApi,
  addOffsetsToTxnApi as unknown as AnyApi,
  endTxnApi as unknown as AnyApi,
  writeTxnMarkersApi as unknown as AnyApi,
  txnOffsetCommitApi as unknown as AnyApi,
  describeAclsApi as unknown as AnyApi,
  createAclsApi as unknown as AnyApi,
  deleteAclsApi as unknown as AnyApi,
  describeConfigsApi as unknown as AnyApi,
  alterConfigsApi as unknown as AnyApi,
  alterReplicaLogDirsApi as unknown as AnyApi,
  describeLogDirsApi as unknown as AnyApi,
  saslAuthenticateApi as unknown as AnyApi,
  createPartitionsApi as unknown as AnyApi,
  createDelegationTokenApi as unknown as AnyApi,
  renewDelegationTokenApi as unknown as AnyApi,
  expireDelegationTokenApi as unknown as AnyApi,
  describeDelegationTokenApi as unknown as AnyApi,
  deleteGroupsApi as unknown as AnyApi,
  electLeadersApi as unknown as AnyApi,
  incrementalAlterConfigsApi as unknown as AnyApi,
  alterPartitionReassignmentsApi as unknown as AnyApi,
  listPartitionReassignmentsApi as unknown as AnyApi,
  offsetDeleteApi as unknown as AnyApi,
  describeClientQuotasApi as unknown as AnyApi,
  alterClientQuotasApi as unknown as AnyApi,
  describeUserScramCredentialsApi as unknown as AnyApi,
  alterUserScramCredentialsApi as unknown as AnyApi,
  describeQuorumApi as unknown as AnyApi,
  updateFeaturesApi as unknown as AnyApi,
  describeClusterApi as unknown as AnyApi,
  describeProducersApi as unknown as AnyApi,
  unregisterBrokerApi as unknown as AnyApi,
  describeTransactionsApi as unknown as AnyApi,
  listTransactionsApi as unknown as AnyApi,
  consumerGroupHeartbeatApi as unknown as AnyApi,
  consumerGroupDescribeApi as unknown as AnyApi,
  getTelemetrySubscriptionsApi as unknown as AnyApi,
  pushTelemetryApi as unknown as AnyApi,
  listConfigResourcesApi as unknown as AnyApi,
  describeTopicPartitionsApi as unknown as AnyApi,
  shareGroupHeartbeatApi as unknown as AnyApi,
  shareGroupDescribeApi as unknown as AnyApi,
  shareFetchApi as unknown as AnyApi,
  shareAcknowledgeApi as unknown as AnyApi,
  addRaftVoterApi as unknown as AnyApi,
  removeRaftVoterApi as unknown as AnyApi,
  initializeShareGroupStateApi as unknown as AnyApi,
  readShareGroupStateApi as unknown as AnyApi,
  writeShareGroupStateApi as unknown as AnyApi,
  deleteShareGroupStateApi as unknown as AnyApi,
  readShareGroupStateSummaryApi as unknown as AnyApi,
  streamsGroupHeartbeatApi as unknown as AnyApi,
  streamsGroupDescribeApi as unknown as AnyApi,
  describeShareGroupOffsetsApi as unknown as AnyApi,
  alterShareGroupOffsetsApi as unknown as AnyApi,
  deleteShareGroupOffsetsApi as unknown as AnyApi,
]

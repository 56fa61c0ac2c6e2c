/**
 * The APIs that administrators' tools use, and those that have little to tell about a single broker.
 */
import type { Broker } from '../broker.ts'
import type { Route } from '../server/route.ts'
import { createTopics } from './19-create-topics.ts'
import { deleteTopics } from './20-delete-topics.ts'
import { deleteRecords } from './21-delete-records.ts'
import { offsetForLeaderEpoch } from './23-offset-for-leader-epoch.ts'
import { describeAcls } from './29-describe-acls.ts'
import { createAcls } from './30-create-acls.ts'
import { deleteAcls } from './31-delete-acls.ts'
import { describeConfigs } from './32-describe-configs.ts'
import { alterConfigs } from './33-alter-configs.ts'
import { alterReplicaLogDirs } from './34-alter-replica-log-dirs.ts'
import { describeLogDirs } from './35-describe-log-dirs.ts'
import { createPartitions } from './37-create-partitions.ts'
import { createDelegationToken } from './38-create-delegation-token.ts'
import { renewDelegationToken } from './39-renew-delegation-token.ts'
import { expireDelegationToken } from './40-expire-delegation-token.ts'
import { describeDelegationToken } from './41-describe-delegation-token.ts'
import { electLeaders } from './43-elect-leaders.ts'
import { incrementalAlterConfigs } from './44-incremental-alter-configs.ts'
import { alterPartitionReassignments } from './45-alter-partition-reassignments.ts'
import { listPartitionReassignments } from './46-list-partition-reassignments.ts'
import { describeClientQuotas } from './48-describe-client-quotas.ts'
import { alterClientQuotas } from './49-alter-client-quotas.ts'
import { describeUserScramCredentials } from './50-describe-user-scram-credentials.ts'
import { alterUserScramCredentials } from './51-alter-user-scram-credentials.ts'
import { describeQuorum } from './55-describe-quorum.ts'
import { updateFeatures } from './57-update-features.ts'
import { describeCluster } from './60-describe-cluster.ts'
import { describeProducers } from './61-describe-producers.ts'
import { unregisterBroker } from './64-unregister-broker.ts'
import { listConfigResources } from './74-list-config-resources.ts'
import { describeTopicPartitions } from './75-describe-topic-partitions.ts'

const makers: readonly ((broker: Broker) => Route)[] = [
  createTopics,
  deleteTopics,
  deleteRecords,
  offsetForLeaderEpoch,
  describeAcls,
  createAcls,
  deleteAcls,
  describeConfigs,
  alterConfigs,
  alterReplicaLogDirs,
  describeLogDirs,
  createPartitions,
  createDelegationToken,
  renewDelegationToken,
  expireDelegationToken,
  describeDelegationToken,
  electLeaders,
  incrementalAlterConfigs,
  alterPartitionReassignments,
  listPartitionReassignments,
  describeClientQuotas,
  alterClientQuotas,
  describeUserScramCredentials,
  alterUserScramCredentials,
  describeQuorum,
  updateFeatures,
  describeCluster,
  describeProducers,
  unregisterBroker,
  listConfigResources,
  describeTopicPartitions,
]

export function adminRoutes(broker: Broker): Route[] {
  return makers.map((make) => make(broker))
}

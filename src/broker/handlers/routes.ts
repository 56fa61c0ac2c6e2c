/**
 * Every API that this broker serves.
 */
import type { Broker } from '../broker.ts'
import type { Route } from '../server/route.ts'
import { produce } from './00-produce.ts'
import { fetch } from './01-fetch.ts'
import { listOffsets } from './02-list-offsets.ts'
import { metadata } from './03-metadata.ts'
import { offsetCommit } from './08-offset-commit.ts'
import { offsetFetch } from './09-offset-fetch.ts'
import { findCoordinator } from './10-find-coordinator.ts'
import { joinGroup } from './11-join-group.ts'
import { heartbeat } from './12-heartbeat.ts'
import { leaveGroup } from './13-leave-group.ts'
import { syncGroup } from './14-sync-group.ts'
import { describeGroups } from './15-describe-groups.ts'
import { listGroups } from './16-list-groups.ts'
import { saslHandshake } from './17-sasl-handshake.ts'
import { apiVersions } from './18-api-versions.ts'
import { initProducerId } from './22-init-producer-id.ts'
import { addPartitionsToTxn } from './24-add-partitions-to-txn.ts'
import { addOffsetsToTxn } from './25-add-offsets-to-txn.ts'
import { endTxn } from './26-end-txn.ts'
import { writeTxnMarkers } from './27-write-txn-markers.ts'
import { txnOffsetCommit } from './28-txn-offset-commit.ts'
import { saslAuthenticate } from './36-sasl-authenticate.ts'
import { deleteGroups } from './42-delete-groups.ts'
import { offsetDelete } from './47-offset-delete.ts'
import { describeTransactions } from './65-describe-transactions.ts'
import { listTransactions } from './66-list-transactions.ts'
import { consumerGroupHeartbeat } from './68-consumer-group-heartbeat.ts'
import { consumerGroupDescribe } from './69-consumer-group-describe.ts'
import { adminRoutes } from './admin.ts'

const makers: readonly ((broker: Broker) => Route)[] = [
  produce,
  fetch,
  listOffsets,
  metadata,
  offsetCommit,
  offsetFetch,
  findCoordinator,
  joinGroup,
  heartbeat,
  leaveGroup,
  syncGroup,
  describeGroups,
  listGroups,
  saslHandshake,
  apiVersions,
  initProducerId,
  addPartitionsToTxn,
  addOffsetsToTxn,
  endTxn,
  writeTxnMarkers,
  txnOffsetCommit,
  saslAuthenticate,
  deleteGroups,
  offsetDelete,
  describeTransactions,
  listTransactions,
  consumerGroupHeartbeat,
  consumerGroupDescribe,
]

export function allRoutes(broker: Broker): Route[] {
  return [...makers.map((make) => make(broker)), ...adminRoutes(broker)]
}

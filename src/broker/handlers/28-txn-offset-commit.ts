/**
 * TxnOffsetCommit: offsets of a group as part of a transaction. v3 member and generation · v4, v5 KIP-890: the group is added to
 * the transaction by this request.
 */
import {
  type TxnOffsetCommitRequest,
  type TxnOffsetCommitResponse,
  txnOffsetCommitApi,
} from '../../protocol/generated/28-txn-offset-commit.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { groupContext } from './group-context.ts'

export function txnOffsetCommit(broker: Broker): Route {
  return route(txnOffsetCommitApi, {
    handle: (request, context) =>
      broker.groups.txnOffsetCommit(request, groupContext(context), () =>
        broker.transactions.verifyOffsets({
          version: context.version,
          transactionalId: request.transactionalId,
          producerId: Number(request.producerId),
          producerEpoch: request.producerEpoch,
          groupId: request.groupId,
        }),
      ),
    refuse: everywhere,
  })
}

function everywhere(request: TxnOffsetCommitRequest, errorCode: number): Input<TxnOffsetCommitResponse> {
  return {
    topics: request.topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode })),
    })),
  }
}

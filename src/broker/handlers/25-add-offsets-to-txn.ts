/**
 * AddOffsetsToTxn: a transaction is about to commit offsets of a group. v2 PRODUCER_FENCED.
 */
import { addOffsetsToTxnApi } from '../../protocol/generated/25-add-offsets-to-txn.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function addOffsetsToTxn(broker: Broker): Route {
  return route(addOffsetsToTxnApi, {
    handle: async ({ transactionalId, producerId, producerEpoch, groupId }, { version }) => ({
      errorCode: await broker.transactions.addOffsets({
        version,
        transactionalId,
        producerId: Number(producerId),
        producerEpoch,
        groupId,
      }),
    }),
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}

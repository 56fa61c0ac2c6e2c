/**
 * EndTxn: a transaction commits or aborts. v5 the answer carries the epoch of the next transaction (KIP-890).
 */
import { endTxnApi } from '../../protocol/generated/26-end-txn.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function endTxn(broker: Broker): Route {
  return route(endTxnApi, {
    handle: async ({ transactionalId, producerId, producerEpoch, committed }, { version }) => {
      const answer = await broker.transactions.endTxn({
        version,
        transactionalId,
        producerId: Number(producerId),
        producerEpoch,
        committed,
      })
      if (version < 5) return { errorCode: answer.error }
      return { errorCode: answer.error, producerId: BigInt(answer.producerId), producerEpoch: answer.producerEpoch }
    },
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}

/**
 * InitProducerId: an id for an idempotent producer, or the next epoch of a transactional one, which fences its predecessor.
 * v3 a producer may ask for its own next epoch · v4 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH.
 */
import { initProducerIdApi } from '../../protocol/generated/22-init-producer-id.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function initProducerId(broker: Broker): Route {
  return route(initProducerIdApi, {
    handle: async ({ transactionalId, transactionTimeoutMs, producerId, producerEpoch }, { version }) => {
      const answer = await broker.transactions.initProducerId({
        version,
        transactionalId,
        transactionTimeoutMs,
        producerId: Number(producerId),
        producerEpoch,
      })
      return { errorCode: answer.error, producerId: BigInt(answer.producerId), producerEpoch: answer.producerEpoch }
    },
    refuse: (_request, errorCode) => ({ errorCode, producerId: -1n, producerEpoch: -1 }),
  })
}

/**
 * DescribeTransactions: the state of transactions by their ids.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { describeTransactionsApi } from '../../protocol/generated/65-describe-transactions.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function describeTransactions(broker: Broker): Route {
  return route(describeTransactionsApi, {
    handle: ({ transactionalIds }) => ({
      transactionStates: transactionalIds.map((transactionalId) => {
        const found = broker.transactions.describeTransaction(transactionalId)
        if (!('state' in found)) return { transactionalId, errorCode: found.error }
        return {
          errorCode: errorCodes.NONE,
          transactionalId,
          transactionState: found.state,
          transactionTimeoutMs: found.timeoutMs,
          transactionStartTimeMs: BigInt(found.startMs),
          producerId: BigInt(found.producerId),
          producerEpoch: found.producerEpoch,
          topics: [...found.topics].map(([topic, partitions]) => ({ topic, partitions })),
        }
      }),
    }),
    refuse: ({ transactionalIds }, errorCode) => ({
      transactionStates: transactionalIds.map((transactionalId) => ({ transactionalId, errorCode })),
    }),
  })
}

/**
 * ListTransactions: all transactions, filtered by state and producer. v1 by duration · v2 by a pattern of the id.
 */
import { listTransactionsApi } from '../../protocol/generated/66-list-transactions.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function listTransactions(broker: Broker): Route {
  return route(listTransactionsApi, {
    handle: (request) => {
      const { error, unknownStates, transactions } = broker.transactions.listTransactions({
        states: request.stateFilters,
        producerIds: request.producerIdFilters.map(Number),
        durationMs: Number(request.durationFilter),
        pattern: request.transactionalIdPattern,
      })
      return {
        errorCode: error,
        unknownStateFilters: unknownStates,
        transactionStates: transactions.map(({ transactionalId, producerId, state }) => ({
          transactionalId,
          producerId: BigInt(producerId),
          transactionState: state,
        })),
      }
    },
    refuse: (_request, errorCode) => ({ errorCode }),
  })
}

/**
 * UnregisterBroker: takes a broker out of the cluster for good. Kafka does that to its last broker too, and has none then;
 * here the last one stays.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { unregisterBrokerApi } from '../../protocol/generated/64-unregister-broker.ts'
import { nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function unregisterBroker(): Route {
  return route(unregisterBrokerApi, {
    handle: ({ brokerId }) =>
      brokerId === nodeId
        ? {
            errorCode: errorCodes.POLICY_VIOLATION,
            errorMessage: `Broker ID ${brokerId} is the only broker of this cluster and cannot be unregistered`,
          }
        : {
            errorCode: errorCodes.BROKER_ID_NOT_REGISTERED,
            errorMessage: `Broker ID ${brokerId} is not currently registered`,
          },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null }),
  })
}

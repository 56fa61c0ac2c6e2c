/**
 * DescribeCluster: the one broker, which is its own controller. v1 brokers or controllers · v2 fenced brokers.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { describeClusterApi } from '../../protocol/generated/60-describe-cluster.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { authorizedOperations } from './authorized-operations.ts'

const endpoints = { brokers: 1, controllers: 2 } as const

export function describeCluster(broker: Broker): Route {
  return route(describeClusterApi, {
    handle: ({ endpointType, includeClusterAuthorizedOperations }) => {
      if (endpointType === endpoints.controllers) {
        const errorMessage =
          'The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER'
        return { errorCode: errorCodes.MISMATCHED_ENDPOINT_TYPE, errorMessage }
      }
      if (endpointType !== endpoints.brokers) {
        const errorMessage = `Unsupported endpoint type ${endpointType}`
        return { errorCode: errorCodes.UNSUPPORTED_ENDPOINT_TYPE, errorMessage }
      }
      return {
        errorCode: errorCodes.NONE,
        errorMessage: null,
        clusterId: broker.clusterId,
        controllerId: nodeId,
        brokers: [{ brokerId: nodeId, ...broker.advertised, rack: null }],
        ...(includeClusterAuthorizedOperations ? { clusterAuthorizedOperations: authorizedOperations.cluster } : {}),
      }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null }),
  })
}

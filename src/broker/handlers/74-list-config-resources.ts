/**
 * ListConfigResources: the names of everything that has a configuration.
 * v0 subscriptions to metrics of clients only · v1 any types, none named means all.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { listConfigResourcesApi } from '../../protocol/generated/74-list-config-resources.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type ResourceTypeName, resourceTypeName, resourceTypes } from '../configs/resource-types.ts'
import { type Route, route } from '../server/route.ts'

export function listConfigResources(broker: Broker): Route {
  return route(listConfigResourcesApi, {
    handle: (request, { version }) => {
      const asked = version === 0 ? [resourceTypes.clientMetrics] : request.resourceTypes
      const types = asked.length === 0 ? Object.values(resourceTypes) : [...new Set(asked)]
      const known = types.map(resourceTypeName).filter((name) => name !== undefined)
      if (known.length < types.length) return { errorCode: errorCodes.UNSUPPORTED_VERSION, configResources: [] }
      const configResources = known.flatMap((type) =>
        [...namesOf[type](broker)].map((resourceName) => ({ resourceName, resourceType: resourceTypes[type] })),
      )
      return { errorCode: errorCodes.NONE, configResources }
    },
    refuse: (_request, errorCode) => ({ errorCode, configResources: [] }),
  })
}

const namesOf: Readonly<Record<ResourceTypeName, (broker: Broker) => Iterable<string>>> = {
  topic: ({ topics }) => topics.names(),
  broker: () => [String(nodeId)],
  brokerLogger: () => [String(nodeId)],
  clientMetrics: ({ metadata }) => Array.from(metadata.all('client-metrics'), ([name]) => name),
  group: ({ metadata }) => Array.from(metadata.all('group-configs'), ([name]) => name),
}

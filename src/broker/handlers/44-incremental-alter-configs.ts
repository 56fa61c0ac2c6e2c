/**
 * IncrementalAlterConfigs: values of a resource, key by key: set, deleted, and for lists appended and subtracted.
 */
import { incrementalAlterConfigsApi } from '../../protocol/generated/44-incremental-alter-configs.ts'
import type { Broker } from '../broker.ts'
import { alterAll } from '../configs/altering.ts'
import { type Route, route } from '../server/route.ts'

export function incrementalAlterConfigs(broker: Broker): Route {
  return route(incrementalAlterConfigsApi, {
    handle: async ({ resources, validateOnly }) => ({
      responses: await alterAll(broker, resources, 'change', validateOnly),
    }),
    refuse: ({ resources }, errorCode) => ({
      responses: resources.map(({ resourceType, resourceName }) => ({
        errorCode,
        errorMessage: null,
        resourceType,
        resourceName,
      })),
    }),
  })
}

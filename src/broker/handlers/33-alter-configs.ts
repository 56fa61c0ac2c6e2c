/**
 * AlterConfigs: all values of a resource at once; a key that is not named gets its default back. Old clients use it; newer
 * ones change key by key (44-incremental-alter-configs.ts).
 */
import { alterConfigsApi } from '../../protocol/generated/33-alter-configs.ts'
import type { Broker } from '../broker.ts'
import { alterAll } from '../configs/altering.ts'
import { type Route, route } from '../server/route.ts'

const set = 0

export function alterConfigs(broker: Broker): Route {
  return route(alterConfigsApi, {
    handle: async ({ resources, validateOnly }) => {
      const alterations = resources.map((resource) => ({
        ...resource,
        configs: resource.configs.map(({ name, value }) => ({ name, value, configOperation: set })),
      }))
      return { responses: await alterAll(broker, alterations, 'replace', validateOnly) }
    },
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

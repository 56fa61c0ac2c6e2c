/**
 * ApiVersions: what this broker speaks. The first request of nearly every client.
 * v0–2 keys only · v3 names the client's software, flexible · v4 a feature may start at version 0.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  apiVersionsApi,
} from '../../protocol/generated/18-api-versions.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { features } from '../features.ts'
import { type Route, route } from '../server/route.ts'

/** What a name and a version of client software may look like; anything else is refused, as Kafka does. */
const softwareName = /^[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?$/

export function apiVersions(broker: Broker): Route {
  const answer = (errorCode: number, version: number): Input<ApiVersionsResponse> => ({
    errorCode,
    apiKeys: [...broker.routes.values()]
      .map(({ api, advertisedMinVersion }) => ({
        apiKey: api.key,
        minVersion: advertisedMinVersion,
        maxVersion: api.maxVersion,
      }))
      .sort((a, b) => a.apiKey - b.apiKey),
    ...(version < 3 ? {} : featuresFor(version)),
  })
  return route(apiVersionsApi, {
    handle: (request, { version }) =>
      answer(isNamed(request, version) ? errorCodes.NONE : errorCodes.INVALID_REQUEST, version),
    refuse: (_request, errorCode, { version }) => {
      // A client that asked in a version from the future learns here which one it can use.
      if (errorCode === errorCodes.UNSUPPORTED_VERSION)
        return { errorCode, apiKeys: [{ apiKey: 18, minVersion: 0, maxVersion: apiVersionsApi.maxVersion }] }
      return answer(errorCode, version)
    },
  })
}

function isNamed(request: ApiVersionsRequest, version: number): boolean {
  if (version < 3) return true
  return softwareName.test(request.clientSoftwareName) && softwareName.test(request.clientSoftwareVersion)
}

function featuresFor(version: number): Input<ApiVersionsResponse> {
  return {
    supportedFeatures: features
      // Before v4 a feature could not start at 0: clients would not parse the answer.
      .filter(({ minVersion }) => version >= 4 || minVersion > 0)
      .map(({ name, minVersion, maxVersion }) => ({ name, minVersion, maxVersion })),
    finalizedFeaturesEpoch: 1n,
    finalizedFeatures: features.map(({ name, level }) => ({ name, maxVersionLevel: level, minVersionLevel: level })),
  }
}

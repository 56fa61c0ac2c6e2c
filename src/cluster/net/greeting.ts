/** What is said on a fresh connection before anything else: which versions do you speak, and who we are. */

import type { Api } from '../../protocol/api.ts'
import { errorCodes, errorName } from '../../protocol/errors.ts'
import {
  type ApiVersionsRequest,
  type ApiVersionsResponse,
  apiVersionsApi,
} from '../../protocol/generated/18-api-versions.ts'
import type { Input } from '../../protocol/types.ts'
import type { Answer } from '../wire.ts'
import type { Connection } from './connection.ts'
import { createJob } from './job.ts'
import { closedByUs, nonsense } from './mishaps.ts'
import type { Settings } from './options.ts'
import { software } from './software.ts'
import { type Served, servedBy } from './versions.ts'

export interface Greeted {
  readonly served: Served
  readonly versions: ApiVersionsResponse
}

/** A broker that does not know our version answers in the oldest form: the error, and perhaps what it knows. */
const tolerantApi: Api<ApiVersionsRequest, ApiVersionsResponse> = {
  ...apiVersionsApi,
  readResponse: (reader, version) => {
    const isRefusal = reader.buffer.readInt16BE(reader.position) === errorCodes.UNSUPPORTED_VERSION
    return apiVersionsApi.readResponse(reader, isRefusal ? 0 : version)
  },
}

export async function greet(connection: Connection, settings: Settings, address: string): Promise<Greeted> {
  let versions = await apiVersions(connection, settings, apiVersionsApi.maxVersion)
  if (versions.errorCode === errorCodes.UNSUPPORTED_VERSION) {
    const range = servedBy(versions.apiKeys).get(apiVersionsApi.key)
    versions = await apiVersions(connection, settings, Math.min(range?.max ?? 0, apiVersionsApi.maxVersion))
  }
  if (versions.errorCode !== errorCodes.NONE) {
    throw nonsense(address, `answered ApiVersions with ${errorName(versions.errorCode)}`)
  }
  return { served: servedBy(versions.apiKeys), versions }
}

async function apiVersions(connection: Connection, settings: Settings, version: number): Promise<ApiVersionsResponse> {
  const request = version < 3 ? {} : { clientSoftwareName: software.name, clientSoftwareVersion: software.version }
  const { body } = await converse(connection, settings, tolerantApi, request, version)
  return body
}

/** One request of the greeting. Throws what ended the connection if there is no answer. */
export async function converse<Q, R>(
  connection: Connection,
  { clock, requestTimeoutMs }: Settings,
  api: Api<Q, R>,
  request: Input<Q>,
  version: number,
): Promise<Answer<R>> {
  const { job, answered } = createJob<Q, R>(clock, api, () => request, {
    timeoutMs: requestTimeoutMs,
    maxVersion: version,
    expectsAnswer: true,
  })
  connection.send(job, version)
  const answer = await answered
  if (answer === null) throw connection.failure ?? closedByUs
  return answer
}

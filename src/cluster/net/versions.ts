/** Which version of an API both sides speak. */
import { FanlaneError } from '../../errors.ts'
import type { ApiVersion } from '../../protocol/generated/18-api-versions.ts'
import type { ApiShape } from './job.ts'

export interface Range {
  readonly min: number
  readonly max: number
}

/** What a broker serves, by API key. */
export type Served = ReadonlyMap<number, Range>

export function servedBy(apiKeys: readonly ApiVersion[]): Served {
  return new Map(apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, { min: minVersion, max: maxVersion }]))
}

/** The newest that both know, and no newer than `maxVersion`. Throws UNSUPPORTED_VERSION. */
export function chooseVersion(api: ApiShape, served: Served, maxVersion: number, address: string): number {
  const range = served.get(api.key)
  const ours = Math.min(api.maxVersion, maxVersion)
  if (range === undefined) {
    throw unsupported(
      `${address} does not know ${api.name}: the broker is too old for this, or it is switched off there.`,
    )
  }
  const version = Math.min(ours, range.max)
  if (version >= Math.max(api.minVersion, range.min)) return version
  const theirs = `${address} serves ${api.name} in versions ${range.min} to ${range.max}`
  const fix =
    range.max < api.minVersion ? 'the broker is too old: upgrade it' : 'this client is too old for it: upgrade fanlane'
  throw unsupported(`${theirs}, we speak ${api.minVersion} to ${ours}: ${fix}.`)
}

function unsupported(message: string): FanlaneError {
  return new FanlaneError('UNSUPPORTED_VERSION', message)
}

/**
 * One API of the protocol: its number, its versions, and how its messages are read and written.
 */
import type { Reader } from './reader.ts'
import type { Input } from './types.ts'
import type { Writer } from './writer.ts'

export interface Api<Request, Response> {
  readonly key: number
  readonly name: string
  readonly minVersion: number
  readonly maxVersion: number
  /** From this version on strings and arrays are compact, and structs end in tagged fields. */
  readonly flexibleFrom: number
  readonly readRequest: (reader: Reader, version: number) => Request
  readonly writeRequest: (writer: Writer, request: Input<Request>, version: number) => void
  readonly readResponse: (reader: Reader, version: number) => Response
  readonly writeResponse: (writer: Writer, response: Input<Response>, version: number) => void
}

/** An API whose messages are opaque to the caller: what tables of all APIs hold. */
export type AnyApi = Api<object, object>

const apiVersionsKey = 18

export function requestHeaderVersion(api: { readonly flexibleFrom: number }, version: number): number {
  return version >= api.flexibleFrom ? 2 : 1
}

/** An answer to ApiVersions has the oldest header: its reader does not yet know what the server speaks. */
export function responseHeaderVersion(
  api: { readonly key: number; readonly flexibleFrom: number },
  version: number,
): number {
  return version >= api.flexibleFrom && api.key !== apiVersionsKey ? 1 : 0
}

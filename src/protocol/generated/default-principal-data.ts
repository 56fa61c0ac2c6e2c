/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DefaultPrincipalData {
  readonly type: string
  readonly name: string
  readonly tokenAuthenticated: boolean
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDefaultPrincipalData(r: Reader, _version: number): DefaultPrincipalData {
  const type = r.string(true)
  const name = r.string(true)
  const tokenAuthenticated = r.bool()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { type, name, tokenAuthenticated } : { type, name, tokenAuthenticated, unknownTags }
}

export function writeDefaultPrincipalData(w: Writer, value: Input<DefaultPrincipalData>, _version: number): void {
  w.string(value.type ?? '', true)
  w.string(value.name ?? '', true)
  w.bool(value.tokenAuthenticated ?? false)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}
export const defaultPrincipalDataVersions = { min: 0, max: 0 } as const

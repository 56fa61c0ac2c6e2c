/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ResponseHeader {
  readonly correlationId: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readResponseHeader(r: Reader, version: number): ResponseHeader {
  const flexible = version >= 1
  const correlationId = r.int32()
  let unknownTags: UnknownTag[] | undefined
  if (flexible) {
    for (let left = r.uvarint(); left > 0; left--) {
      const tag = r.uvarint()
      const end = r.tagEnd()
      unknownTags = r.unknownTag(tag, end, unknownTags)
      r.closeTag(end)
    }
  }
  return unknownTags === undefined ? { correlationId } : { correlationId, unknownTags }
}

export function writeResponseHeader(w: Writer, value: Input<ResponseHeader>, version: number): void {
  const flexible = version >= 1
  w.int32(value.correlationId ?? 0)
  if (flexible) {
    w.uvarint(value.unknownTags?.length ?? 0)
    w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
  }
}
export const responseHeaderVersions = { min: 0, max: 1 } as const

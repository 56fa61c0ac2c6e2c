/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface EndTxnMarker {
  readonly coordinatorEpoch: number
}

export function readEndTxnMarker(r: Reader, _version: number): EndTxnMarker {
  const coordinatorEpoch = r.int32()
  return { coordinatorEpoch }
}

export function writeEndTxnMarker(w: Writer, value: Input<EndTxnMarker>, _version: number): void {
  w.int32(value.coordinatorEpoch ?? 0)
}
export const endTxnMarkerVersions = { min: 0, max: 0 } as const

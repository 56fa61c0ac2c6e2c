/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Reader } from '../reader.ts'
import type { Input } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface ConsumerGroupRegularExpressionKey {
  readonly groupId: string
  readonly regularExpression: string
}

export function readConsumerGroupRegularExpressionKey(r: Reader, _version: number): ConsumerGroupRegularExpressionKey {
  const groupId = r.string(false)
  const regularExpression = r.string(false)
  return { groupId, regularExpression }
}

export function writeConsumerGroupRegularExpressionKey(w: Writer, value: Input<ConsumerGroupRegularExpressionKey>, _version: number): void {
  w.string(value.groupId ?? '', false)
  w.string(value.regularExpression ?? '', false)
}
export const consumerGroupRegularExpressionKeyType = 16
export const consumerGroupRegularExpressionKeyVersions = { min: 0, max: 0 } as const

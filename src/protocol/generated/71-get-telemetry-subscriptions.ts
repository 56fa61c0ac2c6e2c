/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { type Reader, readScalars, scalar } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface GetTelemetrySubscriptionsRequest {
  readonly clientInstanceId: Uuid
  readonly unknownTags?: readonly UnknownTag[]
}

export function readGetTelemetrySubscriptionsRequest(r: Reader, _version: number): GetTelemetrySubscriptionsRequest {
  const clientInstanceId = r.uuid()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { clientInstanceId } : { clientInstanceId, unknownTags }
}

export function writeGetTelemetrySubscriptionsRequest(w: Writer, value: Input<GetTelemetrySubscriptionsRequest>, _version: number): void {
  w.uuid(value.clientInstanceId ?? zeroUuid)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface GetTelemetrySubscriptionsResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly clientInstanceId: Uuid
  readonly subscriptionId: number
  readonly acceptedCompressionTypes: readonly number[]
  readonly pushIntervalMs: number
  readonly telemetryMaxBytes: number
  readonly deltaTemporality: boolean
  readonly requestedMetrics: readonly string[]
  readonly unknownTags?: readonly UnknownTag[]
}

export function readGetTelemetrySubscriptionsResponse(r: Reader, _version: number): GetTelemetrySubscriptionsResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const clientInstanceId = r.uuid()
  const subscriptionId = r.int32()
  const acceptedCompressionTypes = readScalars(r, true, 1, scalar.int8)
  const pushIntervalMs = r.int32()
  const telemetryMaxBytes = r.int32()
  const deltaTemporality = r.bool()
  const requestedMetrics = readScalars(r, true, 1, scalar.string)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, clientInstanceId, subscriptionId, acceptedCompressionTypes, pushIntervalMs, telemetryMaxBytes, deltaTemporality, requestedMetrics } : { throttleTimeMs, errorCode, clientInstanceId, subscriptionId, acceptedCompressionTypes, pushIntervalMs, telemetryMaxBytes, deltaTemporality, requestedMetrics, unknownTags }
}

export function writeGetTelemetrySubscriptionsResponse(w: Writer, value: Input<GetTelemetrySubscriptionsResponse>, _version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.uuid(value.clientInstanceId ?? zeroUuid)
  w.int32(value.subscriptionId ?? 0)
  {
    const v = value.acceptedCompressionTypes === undefined ? [] : value.acceptedCompressionTypes
    w.count(v.length, true)
    for (const e of v) w.int8(e)
  }
  w.int32(value.pushIntervalMs ?? 0)
  w.int32(value.telemetryMaxBytes ?? 0)
  w.bool(value.deltaTemporality ?? false)
  {
    const v = value.requestedMetrics === undefined ? [] : value.requestedMetrics
    w.count(v.length, true)
    for (const e of v) w.string(e, true)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const getTelemetrySubscriptionsApi: Api<GetTelemetrySubscriptionsRequest, GetTelemetrySubscriptionsResponse> = {
  key: 71,
  name: 'GetTelemetrySubscriptions',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readGetTelemetrySubscriptionsRequest,
  writeRequest: writeGetTelemetrySubscriptionsRequest,
  readResponse: readGetTelemetrySubscriptionsResponse,
  writeResponse: writeGetTelemetrySubscriptionsResponse,
}

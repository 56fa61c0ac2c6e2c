/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import type { Reader } from '../reader.ts'
import { type Input, type UnknownTag, type Uuid, zeroUuid } from '../types.ts'
import type { Writer } from '../writer.ts'

const noBytes: Buffer = Buffer.alloc(0)

export interface PushTelemetryRequest {
  readonly clientInstanceId: Uuid
  readonly subscriptionId: number
  readonly terminating: boolean
  readonly compressionType: number
  readonly metrics: Buffer
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPushTelemetryRequest(r: Reader, _version: number): PushTelemetryRequest {
  const clientInstanceId = r.uuid()
  const subscriptionId = r.int32()
  const terminating = r.bool()
  const compressionType = r.int8()
  const metrics = r.bytes(true)
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { clientInstanceId, subscriptionId, terminating, compressionType, metrics } : { clientInstanceId, subscriptionId, terminating, compressionType, metrics, unknownTags }
}

export function writePushTelemetryRequest(w: Writer, value: Input<PushTelemetryRequest>, _version: number): void {
  w.uuid(value.clientInstanceId ?? zeroUuid)
  w.int32(value.subscriptionId ?? 0)
  w.bool(value.terminating ?? false)
  w.int8(value.compressionType ?? 0)
  w.bytes(value.metrics ?? noBytes, true)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface PushTelemetryResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readPushTelemetryResponse(r: Reader, _version: number): PushTelemetryResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode } : { throttleTimeMs, errorCode, unknownTags }
}

export function writePushTelemetryResponse(w: Writer, value: Input<PushTelemetryResponse>, _version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const pushTelemetryApi: Api<PushTelemetryRequest, PushTelemetryResponse> = {
  key: 72,
  name: 'PushTelemetry',
  minVersion: 0,
  maxVersion: 0,
  flexibleFrom: 0,
  readRequest: readPushTelemetryRequest,
  writeRequest: writePushTelemetryRequest,
  readResponse: readPushTelemetryResponse,
  writeResponse: writePushTelemetryResponse,
}

/**
 * Generated from Apache Kafka's message schemas (vendor/kafka-messages, Apache-2.0) by scripts/generate.ts.
 * Do not edit: change the generator and run `npm run generate`.
 */
import type { Api } from '../api.ts'
import { unsupportedField } from '../protocol-error.ts'
import { type Reader, readStructs } from '../reader.ts'
import type { Input, UnknownTag } from '../types.ts'
import type { Writer } from '../writer.ts'

export interface DescribeClusterRequest {
  readonly includeClusterAuthorizedOperations: boolean
  readonly endpointType: number // v1+
  readonly includeFencedBrokers: boolean // v2+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeClusterRequest(r: Reader, version: number): DescribeClusterRequest {
  const includeClusterAuthorizedOperations = r.bool()
  const endpointType = version >= 1 ? r.int8() : 1
  const includeFencedBrokers = version >= 2 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { includeClusterAuthorizedOperations, endpointType, includeFencedBrokers } : { includeClusterAuthorizedOperations, endpointType, includeFencedBrokers, unknownTags }
}

export function writeDescribeClusterRequest(w: Writer, value: Input<DescribeClusterRequest>, version: number): void {
  w.bool(value.includeClusterAuthorizedOperations ?? false)
  if (version >= 1) {
    w.int8(value.endpointType ?? 1)
  } else if (value.endpointType !== undefined && value.endpointType !== 1) {
    throw unsupportedField('DescribeClusterRequest.endpointType', version)
  }
  if (version >= 2) {
    w.bool(value.includeFencedBrokers ?? false)
  } else if (value.includeFencedBrokers !== undefined && value.includeFencedBrokers !== false) {
    throw unsupportedField('DescribeClusterRequest.includeFencedBrokers', version)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeClusterBroker {
  readonly brokerId: number
  readonly host: string
  readonly port: number
  readonly rack: string | null
  readonly isFenced: boolean // v2+
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeClusterBroker(r: Reader, version: number): DescribeClusterBroker {
  const brokerId = r.int32()
  const host = r.string(true)
  const port = r.int32()
  const rack = r.nullableString(true)
  const isFenced = version >= 2 ? r.bool() : false
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { brokerId, host, port, rack, isFenced } : { brokerId, host, port, rack, isFenced, unknownTags }
}

export function writeDescribeClusterBroker(w: Writer, value: Input<DescribeClusterBroker>, version: number): void {
  w.int32(value.brokerId ?? 0)
  w.string(value.host ?? '', true)
  w.int32(value.port ?? 0)
  w.string(value.rack ?? null, true)
  if (version >= 2) {
    w.bool(value.isFenced ?? false)
  }
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export interface DescribeClusterResponse {
  readonly throttleTimeMs: number
  readonly errorCode: number
  readonly errorMessage: string | null
  readonly endpointType: number // v1+
  readonly clusterId: string
  readonly controllerId: number
  readonly brokers: readonly DescribeClusterBroker[]
  readonly clusterAuthorizedOperations: number
  readonly unknownTags?: readonly UnknownTag[]
}

export function readDescribeClusterResponse(r: Reader, version: number): DescribeClusterResponse {
  const throttleTimeMs = r.int32()
  const errorCode = r.int16()
  const errorMessage = r.nullableString(true)
  const endpointType = version >= 1 ? r.int8() : 1
  const clusterId = r.string(true)
  const controllerId = r.int32()
  const brokers = readStructs(r, version, true, 11, readDescribeClusterBroker)
  const clusterAuthorizedOperations = r.int32()
  let unknownTags: UnknownTag[] | undefined
  for (let left = r.uvarint(); left > 0; left--) {
    const tag = r.uvarint()
    const end = r.tagEnd()
    unknownTags = r.unknownTag(tag, end, unknownTags)
    r.closeTag(end)
  }
  return unknownTags === undefined ? { throttleTimeMs, errorCode, errorMessage, endpointType, clusterId, controllerId, brokers, clusterAuthorizedOperations } : { throttleTimeMs, errorCode, errorMessage, endpointType, clusterId, controllerId, brokers, clusterAuthorizedOperations, unknownTags }
}

export function writeDescribeClusterResponse(w: Writer, value: Input<DescribeClusterResponse>, version: number): void {
  w.int32(value.throttleTimeMs ?? 0)
  w.int16(value.errorCode ?? 0)
  w.string(value.errorMessage ?? null, true)
  if (version >= 1) {
    w.int8(value.endpointType ?? 1)
  }
  w.string(value.clusterId ?? '', true)
  w.int32(value.controllerId ?? -1)
  {
    const v = value.brokers === undefined ? [] : value.brokers
    w.count(v.length, true)
    for (const e of v) writeDescribeClusterBroker(w, e, version)
  }
  w.int32(value.clusterAuthorizedOperations ?? -2147483648)
  w.uvarint(value.unknownTags?.length ?? 0)
  w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)
}

export const describeClusterApi: Api<DescribeClusterRequest, DescribeClusterResponse> = {
  key: 60,
  name: 'DescribeCluster',
  minVersion: 0,
  maxVersion: 2,
  flexibleFrom: 0,
  readRequest: readDescribeClusterRequest,
  writeRequest: writeDescribeClusterRequest,
  readResponse: readDescribeClusterResponse,
  writeResponse: writeDescribeClusterResponse,
}

/**
 * The state of a partition's producers as bytes, so that a restart reads the tail of the log and not all of it.
 *
 *   version i16 · CRC-32C of the rest u32 · producers i32 × (id i64 · epoch i16 · coordinator epoch i32 ·
 *   last timestamp i64 · last append i64 · open from i64 · batches i8 × (first sequence i32 · last sequence i32 ·
 *   first offset i64 · last offset i64 · timestamp i64)) · aborted i32 × (producer id · first offset · marker offset ·
 *   last stable offset, i64 each)
 *
 * What always holds: bytes that are not exactly what was written are refused.
 */
import { FanlaneError } from '../../errors.ts'
import { crc32c } from '../../protocol/crc32c.ts'
import { Reader } from '../../protocol/reader.ts'
import { Writer } from '../../protocol/writer.ts'
import { type ProducerEntry, type RememberedBatch, rememberedBatchesMax } from './producer-entry.ts'
import type { AbortedTransaction } from './transaction-index.ts'

export interface ProducerSnapshot {
  readonly producers: readonly ProducerEntry[]
  readonly aborted: readonly AbortedTransaction[]
}

const version = 1
const headBytes = 6
const batchBytes = 32
const producerBytes = 39
const abortedBytes = 32

export function writeSnapshot({ producers, aborted }: ProducerSnapshot): Buffer {
  const writer = new Writer(headBytes + producers.length * (producerBytes + batchBytes) + aborted.length * abortedBytes)
  writer.int16(version)
  writer.uint32(0)
  writer.int32(producers.length)
  for (const producer of producers) writeProducer(writer, producer)
  writer.int32(aborted.length)
  for (const { producerId, firstOffset, markerOffset, lastStableOffset } of aborted) {
    for (const value of [producerId, firstOffset, markerOffset, lastStableOffset]) writer.int64(BigInt(value))
  }
  const bytes = writer.toBuffer()
  bytes.writeUInt32BE(crc32c(bytes, headBytes), 2)
  return bytes
}

function writeProducer(writer: Writer, producer: ProducerEntry): void {
  writer.int64(BigInt(producer.producerId))
  writer.int16(producer.epoch)
  writer.int32(producer.coordinatorEpoch)
  writer.int64(BigInt(producer.lastTimestampMs))
  writer.int64(BigInt(producer.lastAppendMs))
  writer.int64(BigInt(producer.openFrom))
  writer.int8(producer.batches.length)
  for (const { firstSequence, lastSequence, firstOffset, lastOffset, timestampMs } of producer.batches) {
    writer.int32(firstSequence)
    writer.int32(lastSequence)
    for (const value of [firstOffset, lastOffset, timestampMs]) writer.int64(BigInt(value))
  }
}

export function readSnapshot(bytes: Buffer): ProducerSnapshot {
  if (bytes.length < headBytes) throw corrupt(`it has only ${bytes.length} bytes`)
  const found = bytes.readInt16BE(0)
  if (found !== version) throw corrupt(`version ${found} is unknown`)
  if (bytes.readUInt32BE(2) !== crc32c(bytes, headBytes)) throw corrupt('its checksum is wrong')
  const reader = new Reader(bytes, headBytes)
  const producers: ProducerEntry[] = []
  for (let left = reader.count(false, producerBytes); left > 0; left--) producers.push(readProducer(reader))
  const aborted: AbortedTransaction[] = []
  for (let left = reader.count(false, abortedBytes); left > 0; left--) {
    aborted.push({
      producerId: int64(reader),
      firstOffset: int64(reader),
      markerOffset: int64(reader),
      lastStableOffset: int64(reader),
    })
  }
  if (reader.remaining > 0) throw corrupt(`${reader.remaining} bytes follow its end`)
  return { producers, aborted }
}

function readProducer(reader: Reader): ProducerEntry {
  const producer: ProducerEntry = {
    producerId: int64(reader),
    epoch: reader.int16(),
    coordinatorEpoch: reader.int32(),
    lastTimestampMs: int64(reader),
    lastAppendMs: int64(reader),
    openFrom: int64(reader),
    batches: [],
  }
  const batches = reader.int8()
  if (batches < 0 || batches > rememberedBatchesMax) throw corrupt(`a producer has ${batches} batches`)
  for (let left = batches; left > 0; left--) producer.batches.push(readBatch(reader))
  return producer
}

function readBatch(reader: Reader): RememberedBatch {
  return {
    firstSequence: reader.int32(),
    lastSequence: reader.int32(),
    firstOffset: int64(reader),
    lastOffset: int64(reader),
    timestampMs: int64(reader),
  }
}

function int64(reader: Reader): number {
  return Number(reader.int64())
}

function corrupt(why: string): FanlaneError {
  return new FanlaneError(
    'PRODUCER_SNAPSHOT_CORRUPT',
    `A snapshot of producer states cannot be used: ${why}. Delete it: the state is rebuilt from the log.`,
  )
}

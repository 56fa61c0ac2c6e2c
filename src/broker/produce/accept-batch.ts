/**
 * What becomes of a batch before it is appended: refused, taken as it is, or changed where the topic says so. Changed are only
 * a wrong time in its head (as Kafka corrects it) and its compression, if the topic wants another one than the producer's.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { BatchIndexAndErrorMessage } from '../../protocol/generated/00-produce.ts'
import { type CompressionName, compressionTypes } from '../../protocol/record-batch/compression.ts'
import {
  baseSequence,
  batchSize,
  compressionType,
  isTransactional,
  producerEpoch,
  producerId,
  setCreateTime,
} from '../../protocol/record-batch/header.ts'
import { RecordCursor } from '../../protocol/record-batch/reader.ts'
import { validateBatch } from '../../protocol/record-batch/validate.ts'
import { type BatchRecord, encodeBatch } from '../../protocol/record-batch/writer.ts'
import type { TopicSettings } from '../configs/topic-configs.ts'

/** Above this a batch counts as a compression bomb. */
const maxDecompressedBytes = 128 * 2 ** 20
/** zstd came with this version of Produce: an older client could not read what it wrote. */
const zstdVersion = 7

export type Accepted =
  | { readonly kind: 'accepted'; readonly batch: Buffer }
  | {
      readonly kind: 'refused'
      readonly error: number
      readonly message: string | null
      readonly records?: readonly BatchIndexAndErrorMessage[]
    }

const refused = (error: number, message: string | null = null): Accepted => ({ kind: 'refused', error, message })

export function acceptBatch(records: Buffer, settings: TopicSettings, version: number, nowMs: number): Accepted {
  const size = batchSize(records, 0)
  if (size > settings.maxMessageBytes && size === records.length) {
    const message = `the batch has ${size} bytes, the topic takes max.message.bytes=${settings.maxMessageBytes}`
    return refused(errorCodes.MESSAGE_TOO_LARGE, message)
  }
  const isCreateTime = settings.timestampType === 'CreateTime'
  const checked = validateBatch(records, {
    maxDecompressedBytes,
    needKeys: settings.cleanupPolicies.has('compact'),
    ...(isCreateTime
      ? { minTimestampMs: nowMs - settings.timestampBeforeMaxMs, maxTimestampMs: nowMs + settings.timestampAfterMaxMs }
      : {}),
  })
  if (checked.kind === 'invalid') {
    const { error, message, records: blamed = [] } = checked
    return {
      kind: 'refused',
      error: errorCodes[error],
      message,
      records: blamed.map((record) => ({ batchIndex: record.index, batchIndexErrorMessage: record.message })),
    }
  }
  const compression = compressionType(records, 0)
  if (compression === compressionTypes.zstd && version < zstdVersion) {
    return refused(errorCodes.UNSUPPORTED_COMPRESSION_TYPE, `zstd needs Produce ${zstdVersion} or later`)
  }
  const wanted = wantedCompression(settings.compressionType)
  if (wanted !== undefined && wanted !== compression) return { kind: 'accepted', batch: recompressed(records, wanted) }
  const batch = owned(records)
  if (isCreateTime && !checked.timeInHeadIsRight) setCreateTime(batch, 0, checked.maxTimestamp)
  return { kind: 'accepted', batch }
}

/** undefined: whatever the producer chose. */
function wantedCompression(name: string): number | undefined {
  if (name === 'producer') return undefined
  return name === 'uncompressed' ? compressionTypes.none : compressionTypes[name as CompressionName]
}

function recompressed(records: Buffer, compression: number): Buffer {
  const cursor = new RecordCursor().reset(records, 0, maxDecompressedBytes)
  const list: BatchRecord[] = []
  while (cursor.next()) {
    list.push({ key: cursor.key(), value: cursor.value(), headers: cursor.headers(), timestampMs: cursor.timestamp })
  }
  return encodeBatch({
    records: list,
    compression,
    producerId: producerId(records, 0),
    producerEpoch: producerEpoch(records, 0),
    baseSequence: baseSequence(records, 0),
    transactional: isTransactional(records, 0),
  })
}

/** The log keeps the batch: it must not keep the whole chunk that came from the socket with it. */
function owned(records: Buffer): Buffer {
  return records.length >= records.buffer.byteLength * 0.8 ? records : Buffer.from(records)
}

/**
 * Judges a batch that a client produces, the way Apache Kafka 4.1 does: one batch of format version 2 per request and
 * partition, with the error code that Kafka answers for each defect (asked of a real broker; the fixtures of the tests
 * hold its answers). Never throws, whatever the bytes are.
 *
 * Kafka lets a few things pass that its consumers stumble over, or trips over them with an unexpected error; here they
 * are INVALID_RECORD: offset deltas out of sequence, lengths below -1, in compressed batches records longer or shorter
 * than their fields, and bytes behind the batch. Kafka knows no limit for unpacked records; above ours it is
 * MESSAGE_TOO_LARGE, because then Java's producer splits the batch and tries again.
 * Not judged here, because it takes more than the batch: topic limits, zstd in old requests, transactional ids, sequences.
 */
import { FanlaneError } from '../../errors.ts'
import { compressionTypes } from './compression.ts'
import * as header from './header.ts'
import { lz4BlocksDepend } from './lz4.ts'
import { RecordCursor } from './reader.ts'

export type ValidationError =
  | 'CORRUPT_MESSAGE'
  | 'INVALID_RECORD'
  | 'INVALID_TIMESTAMP'
  | 'MESSAGE_TOO_LARGE'
  | 'UNKNOWN_SERVER_ERROR'

export interface ValidationLimits {
  readonly maxDecompressedBytes: number
  /** Compacted topics: a record without a key could never be superseded. */
  readonly needKeys: boolean
  /** Times that records may carry; records without a time (-1) may always. Default: any. */
  readonly minTimestampMs?: number
  readonly maxTimestampMs?: number
}

export type Validation =
  | {
      readonly kind: 'valid'
      readonly recordCount: number
      /** The latest time of a record; -1 where none has one. */
      readonly maxTimestamp: number
      /** The earliest time of a record, those without one (-1) left out; Infinity where none has one. */
      readonly minTimestamp: number
      /** False: what the head says about time is not so. Kafka corrects that on append: see `setCreateTime`. */
      readonly timeInHeadIsRight: boolean
    }
  | {
      readonly kind: 'invalid'
      readonly error: ValidationError
      readonly message: string
      /** Which records are to blame, where it is records: at most `blamedRecordsMax` of them. */
      readonly records?: readonly BlamedRecord[]
    }

export interface BlamedRecord {
  /** Counted from 0. */
  readonly index: number
  readonly message: string
}

type Invalid = Extract<Validation, { kind: 'invalid' }>

/** Clients fail the blamed records and send the others again; a batch of tiny records must not blow up the answer. */
const blamedRecordsMax = 10_000

/** A length field below this was never written by any format version. */
const minLengthField = 14

export function validateBatch(buffer: Buffer, limits: ValidationLimits): Validation {
  return frameDefect(buffer) ?? headDefect(buffer) ?? validateRecords(buffer, limits)
}

/** Whether there is exactly one whole, undamaged batch. The order of the checks decides between codes, as in Kafka. */
function frameDefect(buffer: Buffer): Invalid | undefined {
  const size = header.batchSize(buffer, 0)
  if (size === -1 && buffer.length < header.logOverhead) return refuse('INVALID_RECORD', 'there is no record batch')
  if (size < header.logOverhead + minLengthField) {
    return refuse('CORRUPT_MESSAGE', `the batch says that ${size - header.logOverhead} bytes follow its length`)
  }
  // Up to and with the version byte the layout is the same in all versions.
  if (buffer.length > 16) {
    const version = header.magic(buffer, 0)
    if (version < 0 || version > 2) return refuse('CORRUPT_MESSAGE', `there is no format version ${version}`)
    if (version < 2) return refuse('INVALID_RECORD', `format version ${version} is too old, only version 2 is taken`)
  }
  if (size > buffer.length) return refuse('INVALID_RECORD', `the batch has ${size} bytes, ${buffer.length} were sent`)
  if (size < header.batchOverhead) return refuse('CORRUPT_MESSAGE', `the batch has ${size} bytes, less than its head`)
  if (size < buffer.length) return refuse('INVALID_RECORD', 'there is more than one batch')
  if (!isZeroInt64(buffer, 0)) return refuse('INVALID_RECORD', 'the base offset of a produced batch must be 0')
  if (!header.crcMatches(buffer, 0)) return refuse('CORRUPT_MESSAGE', 'the checksum does not match')
  return undefined
}

/** Whether the fields of the head go together. */
function headDefect(buffer: Buffer): Invalid | undefined {
  const lastDelta = header.lastOffsetDelta(buffer, 0)
  const count = header.recordCount(buffer, 0)
  if (count <= 0 || count !== lastDelta + 1) {
    return refuse('INVALID_RECORD', `${count} records with offsets 0 to ${lastDelta} cannot be`)
  }
  // The sign decides: ids beyond the safe range are refused where they are read.
  const hasProducer = buffer.readInt32BE(43) >= 0
  if (hasProducer && header.baseSequence(buffer, 0) < 0) {
    return refuse('INVALID_RECORD', `sequence ${header.baseSequence(buffer, 0)} of an idempotent producer`)
  }
  if (header.isControl(buffer, 0)) return refuse('INVALID_RECORD', 'control batches are written by brokers only')
  if (header.isTransactional(buffer, 0) && !hasProducer) {
    return refuse('INVALID_RECORD', 'a transactional batch needs a producer id')
  }
  if (
    header.compressionType(buffer, 0) === compressionTypes.lz4 &&
    lz4BlocksDepend(buffer.subarray(header.batchOverhead))
  ) {
    return refuse('UNKNOWN_SERVER_ERROR', "its LZ4 blocks depend on each other, which Kafka's consumers cannot read")
  }
  return undefined
}

function validateRecords(buffer: Buffer, limits: ValidationLimits): Validation {
  const earliest = limits.minTimestampMs ?? Number.NEGATIVE_INFINITY
  const latest = limits.maxTimestampMs ?? Number.POSITIVE_INFINITY
  let maxTimestamp = -1
  let minTimestamp = Number.POSITIVE_INFINITY
  let index = -1
  const blamed = new Blame()
  try {
    // Asked for on its own: its refusal has a code of its own.
    const announced = timeInHead(buffer)
    if (announced === undefined) return refuse('INVALID_TIMESTAMP', 'a timestamp is larger than any time')
    header.producerId(buffer, 0)
    const cursor = new RecordCursor().reset(buffer, 0, limits.maxDecompressedBytes)
    index = 0
    // The cursor sees to it that offsets rise and stay within the announced ones. As many as those are announced, so they
    // are 0, 1, 2 and so on.
    while (cursor.next()) {
      const timestamp = cursor.timestamp
      if (limits.needKeys && cursor.keyLength < 0) {
        blamed.add('INVALID_RECORD', index, 'the topic is compacted, every record needs a key')
      } else if (timestamp !== -1) {
        if (timestamp < earliest || timestamp > latest) {
          blamed.add('INVALID_TIMESTAMP', index, `timestamp ${timestamp} is not within ${earliest} and ${latest}`)
        }
        if (timestamp < minTimestamp) minTimestamp = timestamp
        if (timestamp > maxTimestamp) maxTimestamp = timestamp
      }
      index++
    }
    const refusal = blamed.refusal()
    if (refusal !== undefined) return refusal
    const timeInHeadIsRight = announced === maxTimestamp && !header.isLogAppendTime(buffer, 0)
    return { kind: 'valid', recordCount: index, maxTimestamp, minTimestamp, timeInHeadIsRight }
  } catch (error) {
    if (!(error instanceof FanlaneError)) throw error
    const { message } = error
    return { ...refuse(answerTo(error.code), message), ...(index < 0 ? {} : { records: [{ index, message }] }) }
  }
}

/** The max timestamp in the head; undefined where it, or what the records count from, is outside the safe range. */
function timeInHead(buffer: Buffer): number | undefined {
  try {
    header.baseTimestamp(buffer, 0)
    return header.maxTimestamp(buffer, 0)
  } catch (error) {
    if (error instanceof FanlaneError) return undefined
    throw error
  }
}

/** Kafka answers an unknown codec, or data that a codec cannot read, with the code for what it did not expect. */
function answerTo(code: string): ValidationError {
  switch (code) {
    case 'DECOMPRESSED_TOO_LARGE':
      return 'MESSAGE_TOO_LARGE'
    case 'DECOMPRESSION_FAILED':
    case 'COMPRESSION_UNKNOWN':
      return 'UNKNOWN_SERVER_ERROR'
    default:
      return 'INVALID_RECORD'
  }
}

function isZeroInt64(buffer: Buffer, at: number): boolean {
  return buffer.readInt32BE(at) === 0 && buffer.readInt32BE(at + 4) === 0
}

/** Every record that breaks a rule of its topic, so that a producer fails these and not their neighbours. */
class Blame {
  readonly #records: BlamedRecord[] = []
  #count = 0
  #error: ValidationError = 'INVALID_RECORD'

  add(error: ValidationError, index: number, message: string): void {
    this.#count++
    // One wrong time gives the whole answer its code, as in Kafka.
    if (error === 'INVALID_TIMESTAMP') this.#error = error
    if (this.#records.length < blamedRecordsMax) this.#records.push({ index, message })
  }

  refusal(): Invalid | undefined {
    const first = this.#records[0]
    if (first === undefined) return undefined
    const message = `${this.#count} ${this.#count === 1 ? 'record is' : 'records are'} refused, the first is number ${first.index}: ${first.message}`
    return { ...refuse(this.#error, message), records: this.#records }
  }
}

function refuse(error: ValidationError, message: string): Invalid {
  return { kind: 'invalid', error, message }
}

/**
 * Reads batches lazily. `eachBatch` steps over concatenated batches; a `RecordCursor` walks the records of one and holds
 * positions only: no object per record, no slice before it is asked for. One cursor serves any number of batches.
 *
 * A record: length · attributes i8 · timestamp delta · offset delta · key length, key · value length, value · header
 * count, headers (key length, key, value length, value each). All but the attributes are zigzag varints; -1 is null.
 *
 * What always holds, whatever the input: every position lies inside its record, every record inside the batch; offsets
 * rise; as many records come as the batch announces and nothing is left over. Anything else is a FanlaneError
 * (BATCH_INVALID and what compression.ts throws). The checksum is not looked at here: see `crcMatches`.
 */
import { FanlaneError } from '../../errors.ts'
import { decompress } from './compression.ts'
import { invalid } from './failures.ts'
import * as header from './header.ts'

const noBytes = Buffer.alloc(0)

/**
 * The positions where batches start in buffer[start, end). Stops in front of a last batch that is not all there: answers
 * to a fetch may be cut anywhere.
 */
export function* eachBatch(buffer: Buffer, start = 0, end: number = buffer.length): Generator<number, void, undefined> {
  let at = start
  while (end - at >= header.batchOverhead) {
    checkHead(buffer, at)
    const size = header.batchSize(buffer, at)
    if (size > end - at) return
    yield at
    at += size
  }
}

export class RecordCursor {
  /** What the positions point into: the batch's own buffer, or the unpacked records. */
  bytes: Buffer = noBytes
  offset = -1
  timestamp = -1
  keyStart = 0
  /** -1 is null. */
  keyLength = -1
  valueStart = 0
  /** -1 is null. */
  valueLength = -1
  headerCount = 0
  headersStart = 0
  /** Where the record begins, its length included, and how many bytes it takes. */
  start = 0
  size = 0
  #at = 0
  #end = 0
  #left = 0
  #baseOffset = 0
  #baseTimestamp = 0
  #isAppendTime = false
  #appendTimestamp = -1
  #lastDelta = -1
  #maxDelta = 0

  /** Stands in front of the first record of the batch at `at`. Compressed records are unpacked here. */
  reset(buffer: Buffer, at: number, maxDecompressedBytes: number): this {
    // Nothing of the last batch may be left if this one is refused.
    this.bytes = noBytes
    this.#left = 0
    this.#at = 0
    this.#end = 0
    if (buffer.length - at < header.batchOverhead) throw invalid('it is cut off inside its head')
    checkHead(buffer, at)
    const end = at + header.batchSize(buffer, at)
    if (end > buffer.length) throw invalid('it is cut off')
    const count = header.recordCount(buffer, at)
    if (count < 0) throw invalid(`it announces ${count} records`)
    this.#baseOffset = header.baseOffset(buffer, at)
    this.#baseTimestamp = header.baseTimestamp(buffer, at)
    this.#isAppendTime = header.isLogAppendTime(buffer, at)
    this.#appendTimestamp = this.#isAppendTime ? header.maxTimestamp(buffer, at) : -1
    this.#lastDelta = -1
    this.#maxDelta = header.lastOffsetDelta(buffer, at)
    if (!Number.isSafeInteger(this.#baseOffset + this.#maxDelta)) throw invalid('its last offset is beyond all offsets')
    const compression = header.compressionType(buffer, at)
    if (compression === 0) {
      this.bytes = buffer
      this.#at = at + header.batchOverhead
      this.#end = end
    } else {
      this.bytes = decompress(compression, buffer.subarray(at + header.batchOverhead, end), maxDecompressedBytes)
      this.#end = this.bytes.length
    }
    this.#left = count
    return this
  }

  /** Moves to the next record; false behind the last one. */
  next(): boolean {
    if (this.#left === 0) {
      if (this.#at !== this.#end) throw invalid('bytes are left over behind the last record')
      return false
    }
    this.start = this.#at
    const length = this.#varint()
    const end = this.#at + length
    this.size = end - this.start
    // Seven bytes is the shortest record: its six fields after the length take one byte each at least.
    if (length < 6 || end > this.#end)
      throw invalid(`a record has length ${length}, which runs over the end or is too short`)
    this.#at++
    const timestampDelta = this.#varlong()
    const offsetDelta = this.#varint()
    if (offsetDelta <= this.#lastDelta || offsetDelta > this.#maxDelta) {
      throw invalid(
        `offset delta ${offsetDelta} follows ${this.#lastDelta}, the last one announced is ${this.#maxDelta}`,
      )
    }
    this.#lastDelta = offsetDelta
    this.offset = this.#baseOffset + offsetDelta
    this.timestamp = this.#isAppendTime ? this.#appendTimestamp : this.#baseTimestamp + timestampDelta
    if (!Number.isSafeInteger(this.timestamp)) throw invalid('a timestamp is larger than any time')
    this.keyLength = this.#varint()
    this.keyStart = this.#at
    this.#skip(this.keyLength, end)
    this.valueLength = this.#varint()
    this.valueStart = this.#at
    this.#skip(this.valueLength, end)
    this.headerCount = this.#varint()
    this.headersStart = this.#at
    if (this.headerCount !== 0) this.#skipHeaders(end)
    if (this.#at !== end) throw invalid('a record is longer or shorter than its fields')
    this.#left--
    return true
  }

  /** A view, not a copy: it keeps the whole batch in memory as long as it lives. */
  key(): Buffer | null {
    return this.keyLength < 0 ? null : this.bytes.subarray(this.keyStart, this.keyStart + this.keyLength)
  }

  /** A view, not a copy: it keeps the whole batch in memory as long as it lives. */
  value(): Buffer | null {
    return this.valueLength < 0 ? null : this.bytes.subarray(this.valueStart, this.valueStart + this.valueLength)
  }

  /** In the order of the wire; a name may come more than once. */
  headers(): [string, Buffer | null][] {
    return headersAt(this.bytes, this.headersStart, this.headerCount)
  }

  #skip(length: number, end: number): void {
    if (length > 0) {
      if (length > end - this.#at) throw invalid('a key or value runs over the end of its record')
      this.#at += length
    } else if (length < -1) {
      throw invalid(`a key or value has length ${length}`)
    }
  }

  #skipHeaders(end: number): void {
    if (this.headerCount < 0) throw invalid(`a record announces ${this.headerCount} headers`)
    for (let index = 0; index < this.headerCount; index++) {
      const nameLength = this.#varint()
      if (nameLength < 0 || nameLength > end - this.#at) throw invalid('a header name runs over the end of its record')
      this.#at += nameLength
      const length = this.#varint()
      if (length < -1 || length > end - this.#at) throw invalid('a header value runs over the end of its record')
      if (length > 0) this.#at += length
    }
  }

  /** A zigzag int32. Never reads behind the records; five bytes at most. */
  #varint(): number {
    const first = this.bytes[this.#at++] as number
    if (first < 128) {
      if (this.#at > this.#end) throw invalid('it ends inside a number')
      return (first >>> 1) ^ -(first & 1)
    }
    return this.#longVarint(first)
  }

  #longVarint(first: number): number {
    let value = first & 127
    for (let shift = 7; shift <= 28; shift += 7) {
      if (this.#at >= this.#end) throw invalid('it ends inside a number')
      const byte = this.bytes[this.#at++] as number
      value |= (byte & 127) << shift
      if (byte < 128) {
        if (shift === 28 && byte > 15) break
        return (value >>> 1) ^ -(value & 1)
      }
    }
    throw invalid('a number takes more than 32 bits')
  }

  /** A zigzag int64 that must be a safe integer. */
  #varlong(): number {
    let value = 0
    let scale = 1
    for (let count = 0; count < 8; count++) {
      if (this.#at >= this.#end) throw invalid('it ends inside a number')
      const byte = this.bytes[this.#at++] as number
      value += (byte & 127) * scale
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      }
      scale *= 128
    }
    throw invalid('a timestamp delta is larger than any time')
  }
}

/** Headers of a record that a cursor has passed over, so that their bytes are known to be sound. */
export function headersAt(bytes: Buffer, start: number, count: number): [string, Buffer | null][] {
  const found: [string, Buffer | null][] = []
  let at = start
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number
      value |= (byte & 127) << shift
      if (byte < 128) return (value >>> 1) ^ -(value & 1)
    }
  }
  for (let index = 0; index < count; index++) {
    const nameLength = varint()
    const name = bytes.toString('utf8', at, at + nameLength)
    at += nameLength
    const length = varint()
    found.push([name, length < 0 ? null : bytes.subarray(at, at + length)])
    if (length > 0) at += length
  }
  return found
}

/** Whether a batch of the one version that is known can start here; at least its head is there. */
function checkHead(buffer: Buffer, at: number): void {
  const version = header.magic(buffer, at)
  if (version !== 2) {
    throw new FanlaneError(
      'BATCH_VERSION_UNSUPPORTED',
      `Record batch refused: it has format version ${version}, only version 2 (Kafka 0.11 and later) is read. Use a newer ` +
        'client; if it is one, the data is damaged.',
    )
  }
  const size = header.batchSize(buffer, at)
  if (size < header.batchOverhead) throw invalid(`it has length ${size}, less than its own head`)
}

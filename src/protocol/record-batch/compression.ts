/**
 * Packs and unpacks the records of a batch, synchronously: batches are small, a thread hop costs more than it saves.
 * What always holds: unpacking never allocates more than the caller's limit (plus one chunk), whatever the input says;
 * input above it is DECOMPRESSED_TOO_LARGE, damaged input is DECOMPRESSION_FAILED.
 */
import zlib from 'node:zlib'
import { FanlaneError } from '../../errors.ts'
import { tooLarge, undecodable } from './failures.ts'
import { lz4Pack, lz4Unpack } from './lz4.ts'
import { snappyPack, snappyUnpack } from './snappy.ts'

/** The numbers in the attributes of a batch. */
export const compressionTypes: {
  readonly none: 0
  readonly gzip: 1
  readonly snappy: 2
  readonly lz4: 3
  readonly zstd: 4
} = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 }

export type CompressionName = keyof typeof compressionTypes

const chunkBytesMax = 65536
const chunkBytesMin = 1024
/** Each frame costs a decoder of its own; writers make one, so many tiny ones are only there to burn time. */
const zstdFramesMax = 100

/** The result may share memory with the input where nothing is to be done. */
export function compress(type: number, bytes: Buffer): Buffer {
  switch (type) {
    case compressionTypes.none:
      return bytes
    case compressionTypes.gzip:
      return zlib.gzipSync(bytes)
    case compressionTypes.snappy:
      return snappyPack(bytes)
    case compressionTypes.lz4:
      return lz4Pack(bytes)
    case compressionTypes.zstd:
      return zlib.zstdCompressSync(bytes)
    default:
      throw unknownType(type)
  }
}

/** The result may share memory with the input where nothing is to be done. */
export function decompress(type: number, bytes: Buffer, maxOutputBytes: number): Buffer {
  switch (type) {
    case compressionTypes.none:
      if (bytes.length > maxOutputBytes) throw tooLarge('none', maxOutputBytes)
      return bytes
    case compressionTypes.gzip:
      return unpackGzip(bytes, maxOutputBytes)
    case compressionTypes.snappy:
      return snappyUnpack(bytes, maxOutputBytes)
    case compressionTypes.lz4:
      return lz4Unpack(bytes, maxOutputBytes)
    case compressionTypes.zstd:
      return unpackZstd(bytes, maxOutputBytes)
    default:
      throw unknownType(type)
  }
}

function unpackGzip(bytes: Buffer, maxBytes: number): Buffer {
  const unpacked = guarded('gzip', maxBytes, () => zlib.gunzipSync(bytes, unpackOptions(bytes, maxBytes)))
  if (unpacked.length > maxBytes) throw tooLarge('gzip', maxBytes)
  return unpacked
}

/** Node stops behind the first frame and says nothing about the rest, so frames are counted by what was consumed. */
function unpackZstd(bytes: Buffer, maxBytes: number): Buffer {
  const frames: Buffer[] = []
  let at = 0
  let length = 0
  do {
    const rest = bytes.subarray(at)
    const options = { ...unpackOptions(rest, maxBytes - length), info: true }
    // With `info` the result is an object; the types do not know that.
    const { buffer, engine } = guarded(
      'zstd',
      maxBytes,
      () => zlib.zstdDecompressSync(rest, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } },
    )
    frames.push(buffer)
    length += buffer.length
    if (length > maxBytes) throw tooLarge('zstd', maxBytes)
    if (engine.bytesWritten === 0 || frames.length > zstdFramesMax) throw undecodable('zstd', 'too many frames')
    at += engine.bytesWritten
  } while (at < bytes.length)
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames, length)
}

function unpackOptions(bytes: Buffer, maxBytes: number): { chunkSize: number; maxOutputLength: number } {
  return {
    // One chunk that holds the usual result saves joining; a small batch must not pin 64 KB.
    chunkSize: Math.min(Math.max(bytes.length * 4, chunkBytesMin), chunkBytesMax),
    // The library refuses a limit of 0; the one byte too many is found by the caller.
    maxOutputLength: Math.max(1, maxBytes),
  }
}

function guarded<T>(codec: string, maxBytes: number, unpack: () => T): T {
  try {
    return unpack()
  } catch (cause) {
    if (isCode(cause, 'ERR_BUFFER_TOO_LARGE')) throw tooLarge(codec, maxBytes)
    throw undecodable(codec, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

function unknownType(type: number): FanlaneError {
  return new FanlaneError(
    'COMPRESSION_UNKNOWN',
    `Compression type ${type} is not known. Use 0 none, 1 gzip, 2 snappy, 3 lz4 or 4 zstd.`,
  )
}

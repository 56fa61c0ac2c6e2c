/**
 * LZ4 frames as Kafka uses them since batches of version 2: magic, flags, block size, a check byte, blocks, end mark.
 *
 * Written: independent blocks of 64 KB, no checksums (the batch has one), the form of Kafka's own producer. Read: blocks
 * that depend on each other too, and any block size. As in Kafka, checksums of blocks are verified, size and checksum of
 * the content are passed over, and bytes after the end mark are not looked at.
 * What always holds: the whole size is known and within the limit before it is allocated.
 */
import { tooLarge, undecodable } from './failures.ts'
import { lz4BlockBound, lz4BlockLength, packLz4Block, unpackLz4Block } from './lz4-block.ts'
import { xxhash32 } from './xxhash32.ts'

const frameMagic = 0x184d2204
/** Flag bits of the byte after the magic. */
const versionMask = 0xc0
const versionOne = 0x40
const independentBlocks = 0x20
const blockChecksums = 0x10
const contentSize = 0x08
const contentChecksum = 0x04
const reservedOrDictionary = 0x03
/** Magic, flags "version 1, independent blocks", block size code 4 (64 KB), and the check byte that belongs to them. */
const writtenHeader = Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82)
const writtenBlockBytes = 65536
const storedBit = 0x80000000

export function lz4Pack(bytes: Buffer): Buffer {
  const blocks = Math.ceil(bytes.length / writtenBlockBytes)
  const target = Buffer.allocUnsafe(writtenHeader.length + 4 + blocks * 4 + lz4BlockBound(bytes.length) + blocks * 16)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  target.set(writtenHeader)
  let to = writtenHeader.length
  for (let at = 0; at < bytes.length; at += writtenBlockBytes) {
    const end = Math.min(bytes.length, at + writtenBlockBytes)
    const packed = packLz4Block(bytes, view, at, end, target, to + 4) - (to + 4)
    if (packed < end - at) {
      target.writeUInt32LE(packed, to)
      to += 4 + packed
    } else {
      // Nothing gained: the block goes as it is, marked by the top bit of its size.
      target.writeUInt32LE((end - at + storedBit) >>> 0, to)
      bytes.copy(target, to + 4, at, end)
      to += 4 + end - at
    }
  }
  target.writeUInt32LE(0, to)
  return target.subarray(0, to + 4)
}

/** Whether blocks need the ones before them: Kafka's own consumer cannot read that. */
export function lz4BlocksDepend(bytes: Buffer): boolean {
  return bytes.length > 4 && ((bytes[4] as number) & independentBlocks) === 0
}

interface Frame {
  readonly flags: number
  readonly blockMaxBytes: number
  readonly blocksAt: number
}

export function lz4Unpack(bytes: Buffer, maxBytes: number): Buffer {
  const frame = readHeader(bytes)
  const length = measure(bytes, frame, maxBytes)
  const target = Buffer.allocUnsafe(length)
  const sourceView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const targetView = new DataView(target.buffer, target.byteOffset, target.byteLength)
  const trailer = (frame.flags & blockChecksums) === 0 ? 0 : 4
  const independent = (frame.flags & independentBlocks) !== 0
  let at = frame.blocksAt
  let to = 0
  // `measure` walked the same way to the end mark, so everything read here is there.
  for (;;) {
    const word = bytes.readUInt32LE(at)
    at += 4
    if (word === 0) break
    const size = word % storedBit
    if (word >= storedBit) to += bytes.copy(target, to, at, at + size)
    else to = unpackLz4Block(bytes, sourceView, at, at + size, target, targetView, to, independent ? to : 0)
    if (trailer !== 0 && xxhash32(bytes, at, at + size) !== bytes.readUInt32LE(at + size)) {
      throw undecodable('lz4', 'the checksum of a block does not match')
    }
    at += size + trailer
  }
  if ((frame.flags & contentChecksum) !== 0 && bytes.length - at < 4) {
    throw undecodable('lz4', 'it ends before the content checksum')
  }
  return target
}

function readHeader(bytes: Buffer): Frame {
  if (bytes.length < 7 || bytes.readUInt32LE(0) !== frameMagic)
    throw undecodable('lz4', 'it does not start with a frame')
  const flags = bytes.readUInt8(4)
  if ((flags & versionMask) !== versionOne || (flags & reservedOrDictionary) !== 0) {
    throw undecodable('lz4', `frame flags ${flags} are not supported`)
  }
  const sizeCode = bytes.readUInt8(5)
  if (sizeCode < 0x40 || sizeCode > 0x70 || (sizeCode & 0x0f) !== 0) {
    throw undecodable('lz4', `block size code ${sizeCode} is not supported`)
  }
  const checkAt = (flags & contentSize) === 0 ? 6 : 14
  if (bytes.length <= checkAt) throw undecodable('lz4', 'it ends inside the frame header')
  if (((xxhash32(bytes, 4, checkAt) >>> 8) & 255) !== bytes.readUInt8(checkAt)) {
    throw undecodable('lz4', 'the check byte of the frame header does not match')
  }
  // Code 4 is 64 KB, each step four times as much.
  return { flags, blockMaxBytes: 65536 << (2 * ((sizeCode >>> 4) - 4)), blocksAt: checkAt + 1 }
}

/** Adds up what the blocks unpack to, without unpacking them. */
function measure(bytes: Buffer, frame: Frame, maxBytes: number): number {
  const trailer = (frame.flags & blockChecksums) === 0 ? 0 : 4
  let at = frame.blocksAt
  let length = 0
  for (;;) {
    if (bytes.length - at < 4) throw undecodable('lz4', 'it ends before the end mark')
    const word = bytes.readUInt32LE(at)
    at += 4
    if (word === 0) break
    const size = word % storedBit
    if (size + trailer > bytes.length - at) throw undecodable('lz4', 'it ends inside a block')
    const unpacked = word >= storedBit ? size : lz4BlockLength(bytes, at, at + size)
    if (unpacked > frame.blockMaxBytes) throw undecodable('lz4', 'a block is larger than the header allows')
    length += unpacked
    if (length > maxBytes) throw tooLarge('lz4', maxBytes)
    at += size + trailer
  }
  return length
}

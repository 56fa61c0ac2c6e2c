/**
 * Snappy as Kafka's clients write it. The Java client (xerial's library) frames it: a header of 16 bytes, then raw blocks,
 * each behind its length; others send one raw block. Reading accepts both, writing is the framed form with blocks of
 * 32 KB, as Java does. What always holds: the whole size is known and within the limit before it is allocated.
 */
import { tooLarge, undecodable } from './failures.ts'
import { packSnappyBlock, snappyBound, snappyLength, unpackSnappyBlock } from './snappy-block.ts'

/** 0x82 "SNAPPY" 0, version 1, readable since version 1. */
const frameHeader = Buffer.from('82534e4150505900' + '00000001' + '00000001', 'hex')
const magicBytes = 8
const writtenBlockBytes = 32768

export function snappyPack(bytes: Buffer): Buffer {
  const blocks = Math.ceil(bytes.length / writtenBlockBytes)
  const target = Buffer.allocUnsafe(
    frameHeader.length + blocks * (4 + snappyBound(Math.min(bytes.length, writtenBlockBytes))),
  )
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  target.set(frameHeader)
  let to = frameHeader.length
  for (let at = 0; at < bytes.length; at += writtenBlockBytes) {
    const end = packSnappyBlock(bytes, view, at, Math.min(bytes.length, at + writtenBlockBytes), target, to + 4)
    target.writeInt32BE(end - to - 4, to)
    to = end
  }
  return target.subarray(0, to)
}

export function snappyUnpack(bytes: Buffer, maxBytes: number): Buffer {
  if (startsFrame(bytes, 0)) return unpackFramed(bytes, maxBytes)
  const target = Buffer.allocUnsafe(snappyLength(bytes, 0, bytes.length, maxBytes))
  const sourceView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const targetView = new DataView(target.buffer, target.byteOffset, target.byteLength)
  unpackSnappyBlock(bytes, sourceView, 0, bytes.length, target, targetView, 0, target.length)
  return target
}

function unpackFramed(bytes: Buffer, maxBytes: number): Buffer {
  let length = 0
  for (let at = nextBlock(bytes, 0); at < bytes.length; at = nextBlock(bytes, at)) {
    const end = blockEnd(bytes, at)
    length += snappyLength(bytes, at + 4, end, maxBytes)
    if (length > maxBytes) throw tooLarge('snappy', maxBytes)
    at = end
  }
  const target = Buffer.allocUnsafe(length)
  const sourceView = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const targetView = new DataView(target.buffer, target.byteOffset, target.byteLength)
  let to = 0
  for (let at = nextBlock(bytes, 0); at < bytes.length; at = nextBlock(bytes, at)) {
    const end = blockEnd(bytes, at)
    const size = snappyLength(bytes, at + 4, end, maxBytes)
    unpackSnappyBlock(bytes, sourceView, at + 4, end, target, targetView, to, size)
    to += size
    at = end
  }
  return target
}

/** Skips headers: where framed streams were joined, one stands in the middle. */
function nextBlock(bytes: Buffer, start: number): number {
  let at = start
  while (startsFrame(bytes, at)) {
    if (bytes.length - at < frameHeader.length) throw undecodable('snappy', 'it ends inside the frame header')
    at += frameHeader.length
  }
  return at
}

function blockEnd(bytes: Buffer, at: number): number {
  if (bytes.length - at < 4) throw undecodable('snappy', 'it ends inside a block length')
  const size = bytes.readInt32BE(at)
  if (size < 0 || size > bytes.length - at - 4) throw undecodable('snappy', 'a block is longer than what is there')
  return at + 4 + size
}

function startsFrame(bytes: Buffer, at: number): boolean {
  return bytes.length - at >= magicBytes && bytes.compare(frameHeader, 0, magicBytes, at, at + magicBytes) === 0
}

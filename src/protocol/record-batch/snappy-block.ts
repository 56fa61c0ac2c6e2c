/**
 * Raw snappy: the unpacked length as a varint, then elements. The low two bits of an element's first byte tell its kind:
 * 0 literals, 1 / 2 / 3 a copy with 11, 16 or 32 bits of distance back into what was already written.
 *
 * Written by hand because unpacking is attack surface of the broker: the announced length is compared with the limit, and
 * with what so few bytes can hold at all, before anything is allocated; every length and distance is checked before it
 * is used. Words are moved by DataView: it compiles to one unaligned load or store.
 */
import { tooLarge, undecodable } from './failures.ts'

/** Three bytes of input can ask for a copy of 64 bytes; nothing expands more. */
const maxExpansion = 22
/** Fragments are packed on their own, so positions in them fit 16 bits. */
const fragmentBytes = 65536
/** A fragment's last bytes are always literals, so the search may read a whole word everywhere. */
const searchMargin = 15

/** The unpacked length that a raw block announces; refused where it is above `maxBytes` or cannot be true. */
export function snappyLength(source: Uint8Array, start: number, end: number, maxBytes: number): number {
  let length = 0
  let at = start
  for (let shift = 0; ; shift += 7) {
    if (at >= end || shift > 28) throw undecodable('snappy', 'the announced length is not a number')
    const byte = source[at++] as number
    length += (byte & 127) * 2 ** shift
    if (byte < 128) break
  }
  if (length > maxBytes) throw tooLarge('snappy', maxBytes)
  if (length > (end - at) * maxExpansion) throw undecodable('snappy', 'the announced length is impossible')
  return length
}

/** Unpacks one raw block into target[targetAt, targetAt + length), `length` being what `snappyLength` told. */
export function unpackSnappyBlock(
  source: Uint8Array,
  sourceView: DataView,
  start: number,
  end: number,
  target: Uint8Array,
  targetView: DataView,
  targetAt: number,
  length: number,
): void {
  let at = start
  while ((source[at++] as number) >= 128);
  let to = targetAt
  const targetEnd = targetAt + length
  while (at < end) {
    const tag = source[at++] as number
    let size: number
    let distance: number
    if ((tag & 3) === 0) {
      size = (tag >>> 2) + 1
      if (size > 60) {
        const extra = size - 60
        if (extra > end - at) throw undecodable('snappy', 'it ends inside a length')
        size = 1
        for (let byte = 0; byte < extra; byte++) size += (source[at++] as number) * 2 ** (8 * byte)
      }
      if (size > end - at || size > targetEnd - to) throw undecodable('snappy', 'literals run over the end')
      if (size > 96) {
        target.set(source.subarray(at, at + size), to)
        at += size
        to += size
      } else {
        const stop = to + size
        for (; to <= stop - 4; to += 4, at += 4) targetView.setInt32(to, sourceView.getInt32(at, true), true)
        while (to < stop) target[to++] = source[at++] as number
      }
      continue
    }
    if ((tag & 3) === 1) {
      if (at >= end) throw undecodable('snappy', 'it ends inside a copy')
      size = ((tag >>> 2) & 7) + 4
      distance = ((tag >>> 5) << 8) | (source[at++] as number)
    } else if ((tag & 3) === 2) {
      if (at + 2 > end) throw undecodable('snappy', 'it ends inside a copy')
      size = (tag >>> 2) + 1
      distance = (source[at] as number) | ((source[at + 1] as number) << 8)
      at += 2
    } else {
      if (at + 4 > end) throw undecodable('snappy', 'it ends inside a copy')
      size = (tag >>> 2) + 1
      distance = sourceView.getUint32(at, true)
      at += 4
    }
    if (distance === 0 || distance > to - targetAt) throw undecodable('snappy', 'a copy reaches back too far')
    if (size > targetEnd - to) throw undecodable('snappy', 'a copy runs over the end')
    let from = to - distance
    const stop = to + size
    // Words only where they do not read what they are about to write.
    if (distance >= 4) {
      for (; to <= stop - 4; to += 4, from += 4) targetView.setInt32(to, targetView.getInt32(from, true), true)
    }
    while (to < stop) target[to++] = target[from++] as number
  }
  if (to !== targetEnd) throw undecodable('snappy', 'it holds less than it announces')
}

/** Room that a packed block may need at most. */
export function snappyBound(length: number): number {
  return 32 + length + Math.ceil(length / 6)
}

/** Packs source[start, end) as one raw block into `target`, which has room for the bound. Returns where it ended. */
export function packSnappyBlock(
  source: Uint8Array,
  sourceView: DataView,
  start: number,
  end: number,
  target: Uint8Array,
  targetAt: number,
): number {
  let to = targetAt
  let rest = end - start
  for (; rest >= 128; rest = Math.floor(rest / 128)) target[to++] = (rest & 127) | 128
  target[to++] = rest
  for (let at = start; at < end; at += fragmentBytes) {
    to = packFragment(source, sourceView, at, Math.min(end, at + fragmentBytes), target, to)
  }
  return to
}

/**
 * Where in the fragment the four bytes with this hash were seen last. What is left over from an empty slot or a collision
 * is found out by comparing the bytes, so 0 needs no special meaning.
 */
const hashBits = 13
const seen = new Uint16Array(1 << hashBits)

function slotOf(word: number): number {
  return Math.imul(word, 0x1e35a7bd) >>> (32 - hashBits)
}

function packFragment(
  source: Uint8Array,
  sourceView: DataView,
  start: number,
  end: number,
  target: Uint8Array,
  targetAt: number,
): number {
  let to = targetAt
  let anchor = start
  const searchEnd = end - searchMargin
  if (start < searchEnd) seen.fill(0)
  let at = start + 1
  let misses = 0
  while (at < searchEnd) {
    const word = sourceView.getInt32(at, true)
    const slot = slotOf(word)
    let from = start + (seen[slot] as number)
    seen[slot] = at - start
    if (sourceView.getInt32(from, true) !== word) {
      // The longer nothing is found, the larger the steps: packed data passes quickly.
      at += 1 + (misses++ >>> 5)
      continue
    }
    misses = 0
    const distance = at - from
    const matchAt = at
    at += 4
    from += 4
    while (at <= end - 4 && sourceView.getInt32(at, true) === sourceView.getInt32(from, true)) {
      at += 4
      from += 4
    }
    while (at < end && source[at] === source[from]) {
      at++
      from++
    }
    if (anchor < matchAt) to = putLiterals(source, anchor, matchAt, target, to)
    to = putCopy(target, to, distance, at - matchAt)
    anchor = at
    if (at < searchEnd) seen[slotOf(sourceView.getInt32(at - 1, true))] = at - 1 - start
  }
  return anchor < end ? putLiterals(source, anchor, end, target, to) : to
}

function putLiterals(source: Uint8Array, start: number, end: number, target: Uint8Array, targetAt: number): number {
  let to = targetAt
  const rest = end - start - 1
  if (rest < 60) {
    target[to++] = rest << 2
  } else if (rest < 256) {
    target[to++] = 60 << 2
    target[to++] = rest
  } else {
    // A fragment has 64 KB at most, so two bytes always hold it.
    target[to++] = 61 << 2
    target[to++] = rest & 255
    target[to++] = rest >>> 8
  }
  if (rest >= 96) {
    target.set(source.subarray(start, end), to)
    return to + rest + 1
  }
  for (let at = start; at < end; at++) target[to++] = source[at] as number
  return to
}

function putCopy(target: Uint8Array, targetAt: number, distance: number, size: number): number {
  let to = targetAt
  let rest = size
  while (rest > 0) {
    if (rest >= 4 && rest < 12 && distance < 2048) {
      target[to++] = 1 | ((rest - 4) << 2) | ((distance >>> 8) << 5)
      target[to++] = distance & 255
      return to
    }
    // Never leave a remainder of one to three bytes: it would not fit the short form.
    const part = rest > 64 ? (rest < 68 ? 60 : 64) : rest
    target[to++] = 2 | ((part - 1) << 2)
    target[to++] = distance & 255
    target[to++] = distance >>> 8
    rest -= part
  }
  return to
}

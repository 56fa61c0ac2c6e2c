/**
 * LZ4 blocks: a sequence is a token (4 bits literal length, 4 bits match length - 4, both extended by bytes of 255), the
 * literals, and a two-byte distance back into what was already written. The last sequence has literals only.
 *
 * Written by hand because unpacking is attack surface of the broker: the size is known, and every length and distance
 * checked, before a byte is allocated or written; damaged input costs an error and nothing else.
 * Words are moved by DataView: it compiles to one unaligned load or store.
 */
import { undecodable } from './failures.ts'

const minMatch = 4
/** The format wants the last five bytes as literals, and no match to start in the last twelve. */
const lastLiterals = 5
const matchStartLimit = 12

/** How many bytes a block unpacks to: walks the tokens only. Lengths are checked here, distances while unpacking. */
export function lz4BlockLength(source: Uint8Array, start: number, end: number): number {
  let at = start
  let length = 0
  while (at < end) {
    const token = source[at++] as number
    let literals = token >>> 4
    if (literals === 15) {
      let more = 255
      while (more === 255 && at < end) {
        more = source[at++] as number
        literals += more
      }
    }
    at += literals
    length += literals
    if (at >= end) {
      if (at > end) throw undecodable('lz4', 'literals run over the end of a block')
      return length
    }
    at += 2
    let match = token & 15
    if (match === 15) {
      let more = 255
      while (more === 255 && at < end) {
        more = source[at++] as number
        match += more
      }
    }
    length += match + minMatch
  }
  throw undecodable('lz4', 'a block ends inside a sequence')
}

/**
 * Unpacks a block whose length `lz4BlockLength` has found to fit `target` from `targetAt`. Matches may reach back to
 * `historyStart`: the block's own start, or the frame's where blocks depend on each other.
 */
export function unpackLz4Block(
  source: Uint8Array,
  sourceView: DataView,
  start: number,
  end: number,
  target: Uint8Array,
  targetView: DataView,
  targetAt: number,
  historyStart: number,
): number {
  let at = start
  let to = targetAt
  while (at < end) {
    const token = source[at++] as number
    let literals = token >>> 4
    if (literals === 15) {
      let more = 255
      while (more === 255) {
        more = source[at++] as number
        literals += more
      }
    }
    if (literals > 96) {
      target.set(source.subarray(at, at + literals), to)
      at += literals
      to += literals
    } else {
      const stop = to + literals
      for (; to <= stop - 4; to += 4, at += 4) targetView.setInt32(to, sourceView.getInt32(at, true), true)
      while (to < stop) target[to++] = source[at++] as number
    }
    if (at >= end) return to
    const distance = (source[at] as number) | ((source[at + 1] as number) << 8)
    at += 2
    if (distance === 0 || distance > to - historyStart) throw undecodable('lz4', 'a match reaches back too far')
    let match = (token & 15) + minMatch
    if (match === 15 + minMatch) {
      let more = 255
      while (more === 255) {
        more = source[at++] as number
        match += more
      }
    }
    let from = to - distance
    const stop = to + match
    if (match > 96 && distance >= match) {
      target.copyWithin(to, from, from + match)
      to = stop
      continue
    }
    // Words only where they do not read what they are about to write.
    if (distance >= 4)
      for (; to <= stop - 4; to += 4, from += 4) targetView.setInt32(to, targetView.getInt32(from, true), true)
    while (to < stop) target[to++] = target[from++] as number
  }
  return to
}

/** Room that a packed block may need at most. */
export function lz4BlockBound(length: number): number {
  return length + Math.ceil(length / 255) + 16
}

/**
 * Where in the block the four bytes with this hash were seen last. What is left over from an empty slot or a collision is
 * found out by comparing the bytes, so 0 needs no special meaning.
 */
const hashBits = 13
const seen = new Uint16Array(1 << hashBits)

function slotOf(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> (32 - hashBits)
}

/** Packs source[start, end), at most 64 KB, into `target`, which has room for the bound. Returns where it ended. */
export function packLz4Block(
  source: Uint8Array,
  sourceView: DataView,
  start: number,
  end: number,
  target: Uint8Array,
  targetAt: number,
): number {
  let to = targetAt
  let anchor = start
  if (end - start > matchStartLimit) {
    seen.fill(0)
    const searchEnd = end - matchStartLimit
    const matchEnd = end - lastLiterals
    // From the second byte on: the first can only be found, and the slots say that it was seen.
    let at = start + 1
    let misses = 0
    while (at < searchEnd) {
      const word = sourceView.getInt32(at, true)
      const slot = slotOf(word)
      const from = start + (seen[slot] as number)
      seen[slot] = at - start
      if (sourceView.getInt32(from, true) !== word) {
        // The longer nothing is found, the larger the steps: packed data passes quickly.
        at += 1 + (misses++ >>> 6)
        continue
      }
      misses = 0
      let left = at
      let leftFrom = from
      while (left > anchor && leftFrom > start && source[left - 1] === source[leftFrom - 1]) {
        left--
        leftFrom--
      }
      let right = at + minMatch
      let rightFrom = from + minMatch
      while (right <= matchEnd - 4 && sourceView.getInt32(right, true) === sourceView.getInt32(rightFrom, true)) {
        right += 4
        rightFrom += 4
      }
      while (right < matchEnd && source[right] === source[rightFrom]) {
        right++
        rightFrom++
      }
      const literals = left - anchor
      const match = right - left - minMatch
      target[to++] = ((literals < 15 ? literals : 15) << 4) | (match < 15 ? match : 15)
      if (literals >= 15) to = putLength(target, to, literals - 15)
      to = copyLiterals(source, anchor, left, target, to)
      const distance = left - leftFrom
      target[to++] = distance & 255
      target[to++] = distance >>> 8
      if (match >= 15) to = putLength(target, to, match - 15)
      if (right - 2 < searchEnd) {
        seen[slotOf(sourceView.getInt32(right - 2, true))] = right - 2 - start
      }
      anchor = right
      at = right
    }
  }
  const literals = end - anchor
  target[to++] = (literals < 15 ? literals : 15) << 4
  if (literals >= 15) to = putLength(target, to, literals - 15)
  return copyLiterals(source, anchor, end, target, to)
}

function copyLiterals(source: Uint8Array, start: number, end: number, target: Uint8Array, targetAt: number): number {
  if (end - start > 96) {
    target.set(source.subarray(start, end), targetAt)
    return targetAt + end - start
  }
  let to = targetAt
  for (let at = start; at < end; at++) target[to++] = source[at] as number
  return to
}

function putLength(target: Uint8Array, targetAt: number, length: number): number {
  let to = targetAt
  let rest = length
  for (; rest >= 255; rest -= 255) target[to++] = 255
  target[to++] = rest
  return to
}

/**
 * CRC-32C (Castagnoli), the checksum of Kafka's record batches. `zlib.crc32` is another polynomial and cannot be used.
 *
 * Sliced tables: table k holds the checksum of one byte that is followed by k zero bytes, so the lookups of one step do
 * not wait for each other. Short input goes eight bytes a step, long input sixteen, read as four words (measured: 1.1 and
 * 1.9 GB/s). One table object with constant distances ran 1.6 times as fast as eight separate ones.
 * What always holds: the result is an unsigned 32-bit number, and `seed` is the result over the bytes before, so a
 * checksum can be computed in pieces: crc32c(b, 0, n) === crc32c(b, k, n, crc32c(b, 0, k)).
 */

/** Castagnoli's polynomial 0x1EDC6F41 with its bits reversed. */
const polynomial = 0x82f63b78

const table = buildTable(16)

/** Below this, making a view of words costs more than it saves. */
const wordsFromBytes = 320
/** The words are read in the machine's own byte order, the slicing needs them with the lowest byte first. */
const lowestByteFirst = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

export function crc32c(buffer: Uint8Array, start = 0, end: number = buffer.length, seed = 0): number {
  if (start < 0 || end > buffer.length) {
    throw new RangeError(`A checksum over bytes ${start} to ${end} was asked for, the buffer has ${buffer.length}.`)
  }
  if (!lowestByteFirst || end - start < wordsFromBytes) return ~byBytes(buffer, start, end, ~seed) >>> 0
  const unaligned = (4 - ((buffer.byteOffset + start) & 3)) & 3
  const wordsAt = start + unaligned
  const wordCount = ((end - wordsAt) >>> 4) << 2
  const words = new Int32Array(buffer.buffer, buffer.byteOffset + wordsAt, wordCount)
  const state = byWords(words, byBytes(buffer, start, wordsAt, ~seed))
  return ~byBytes(buffer, wordsAt + wordCount * 4, end, state) >>> 0
}

// The casts below say what holds anyway: loops stay inside their array, every index inside the table.

function byBytes(buffer: Uint8Array, start: number, end: number, before: number): number {
  const t = table
  let state = before
  let at = start
  for (const lastWhole = end - 8; at <= lastWhole; at += 8) {
    const a =
      state ^
      ((buffer[at] as number) |
        ((buffer[at + 1] as number) << 8) |
        ((buffer[at + 2] as number) << 16) |
        ((buffer[at + 3] as number) << 24))
    state =
      (t[1792 + (a & 255)] as number) ^
      (t[1536 + ((a >>> 8) & 255)] as number) ^
      (t[1280 + ((a >>> 16) & 255)] as number) ^
      (t[1024 + (a >>> 24)] as number) ^
      (t[768 + (buffer[at + 4] as number)] as number) ^
      (t[512 + (buffer[at + 5] as number)] as number) ^
      (t[256 + (buffer[at + 6] as number)] as number) ^
      (t[buffer[at + 7] as number] as number)
  }
  for (; at < end; at++) state = (t[(state ^ (buffer[at] as number)) & 255] as number) ^ (state >>> 8)
  return state
}

function byWords(words: Int32Array, before: number): number {
  const t = table
  let state = before
  for (let at = 0; at < words.length; at += 4) {
    const a = state ^ (words[at] as number)
    const b = words[at + 1] as number
    const c = words[at + 2] as number
    const d = words[at + 3] as number
    // The lookups that need the last step's result come last: the others run while it is still being computed.
    state =
      (t[2816 + (b & 255)] as number) ^
      (t[2560 + ((b >>> 8) & 255)] as number) ^
      (t[2304 + ((b >>> 16) & 255)] as number) ^
      (t[2048 + (b >>> 24)] as number) ^
      (t[1792 + (c & 255)] as number) ^
      (t[1536 + ((c >>> 8) & 255)] as number) ^
      (t[1280 + ((c >>> 16) & 255)] as number) ^
      (t[1024 + (c >>> 24)] as number) ^
      (t[768 + (d & 255)] as number) ^
      (t[512 + ((d >>> 8) & 255)] as number) ^
      (t[256 + ((d >>> 16) & 255)] as number) ^
      (t[d >>> 24] as number) ^
      (t[3840 + (a & 255)] as number) ^
      (t[3584 + ((a >>> 8) & 255)] as number) ^
      (t[3328 + ((a >>> 16) & 255)] as number) ^
      (t[3072 + (a >>> 24)] as number)
  }
  return state
}

function buildTable(slices: number): Int32Array {
  const built = new Int32Array(slices * 256)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    built[byte] = crc
  }
  for (let at = 256; at < built.length; at++) {
    const before = built[at - 256] as number
    built[at] = (built[before & 255] as number) ^ (before >>> 8)
  }
  return built
}

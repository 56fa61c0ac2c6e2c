/**
 * The text around a payload:
 *
 *   text    = magic character, then bits in characters of its alphabet
 *   bits    = version:3  codec:3  base  payload  zeros up to a whole character  crc:32
 *   base    = width:6 (0 for base 0), then the width-1 bits below the leading one
 *
 * Only the magic and the version are promised to later versions. The base is written out in full, although the broker
 * stores the committed offset next to the text: a map that somebody copied to another offset must be recognised, not
 * guessed at. No length is stored: each codec knows its end.
 */
import { ALPHABETS, type Alphabet, type AlphabetName, alphabetOf } from './alphabet.ts'
import { BitReader, BitWriter, bitWidth } from './bits.ts'
import { crc32 } from './crc32.ts'

export const VERSION = 1
const CRC_BITS = 32

/** Bits that a text of so many characters can hold before its CRC. */
export function roomFor(alphabet: AlphabetName, chars: number): number {
  return (chars - 1) * ALPHABETS[alphabet].bitsPerChar - CRC_BITS
}

export function charsFor(alphabet: AlphabetName, bits: number): number {
  return 1 + Math.ceil((bits + CRC_BITS) / ALPHABETS[alphabet].bitsPerChar)
}

/** A writer with the header in it, ready for the payload. */
export function openFrame(base: number, codecId: number, maxBits: number): BitWriter {
  const out = new BitWriter(maxBits)
  out.bits(VERSION, 3)
  out.bits(codecId, 3)
  const width = bitWidth(base)
  out.bits(width, 6)
  if (width > 1) out.bits(base - 2 ** (width - 1), width - 1)
  return out
}

export function headerBits(base: number): number {
  return 12 + Math.max(0, bitWidth(base) - 1)
}

/** Pads, seals with the CRC and spells the text. */
export function sealFrame(out: BitWriter, alphabetName: AlphabetName): string {
  const alphabet = ALPHABETS[alphabetName]
  const { bitsPerChar } = alphabet
  const past = (out.length + CRC_BITS) % bitsPerChar
  if (past > 0) out.fill(0, bitsPerChar - past)
  out.bits(crc32(out.bytes), CRC_BITS)
  const symbols = out.reader()
  let text = String.fromCharCode(alphabet.magic)
  while (symbols.left > 0) text += String.fromCharCode(alphabet.letter(symbols.bits(bitsPerChar)))
  return text
}

export type OpenedFrame =
  | {
      readonly kind: 'frame'
      readonly alphabet: AlphabetName
      readonly codecId: number
      readonly base: number
      readonly payload: BitReader
    }
  | { readonly kind: 'refused'; readonly reason: 'foreign' | 'version' | 'corrupt' }

/** Checks everything that can be checked without knowing the codec. */
export function readFrame(text: string): OpenedFrame {
  const alphabet = alphabetOf(text.charCodeAt(0))
  if (alphabet === null) return refused('foreign')
  // The version comes before everything else: a later version may spell the rest as it likes.
  const first = alphabet.symbol(text.charCodeAt(1))
  const version = first >>> (alphabet.bitsPerChar - 3)
  if (first >= 0 && version > VERSION) return refused('version')
  const bits = symbolsOf(text, alphabet)
  if (bits === null || version !== VERSION || bits.length < CRC_BITS + 12) return refused('corrupt')
  const length = bits.length - CRC_BITS
  if (crc32(leading(bits.bytes, length)) !== trailing(bits, length)) return refused('corrupt')

  const header = new BitReader(bits.bytes, length)
  header.bits(3)
  const codecId = header.bits(3)
  const width = header.bits(6)
  if (width > 53) return refused('corrupt')
  const base = width === 0 ? 0 : 2 ** (width - 1) + header.bits(width - 1)
  return { kind: 'frame', alphabet: alphabet.name, codecId, base, payload: header }
}

function refused(reason: 'foreign' | 'version' | 'corrupt'): OpenedFrame {
  return { kind: 'refused', reason }
}

function symbolsOf(text: string, alphabet: Alphabet): BitWriter | null {
  const bits = new BitWriter(Number.POSITIVE_INFINITY)
  for (let i = 1; i < text.length; i++) {
    const symbol = alphabet.symbol(text.charCodeAt(i))
    if (symbol < 0) return null
    bits.bits(symbol, alphabet.bitsPerChar)
  }
  return bits
}

/** The first `length` bits, zero-filled to a whole byte, as `sealFrame` saw them. */
function leading(bytes: Uint8Array, length: number): Uint8Array {
  const copy = bytes.slice(0, (length + 7) >>> 3)
  const last = copy.length - 1
  if (length % 8 > 0) copy[last] = copy[last]! & (0xff00 >>> (length % 8))
  return copy
}

function trailing(bits: BitWriter, from: number): number {
  const reader = bits.reader()
  reader.skip(from)
  return reader.bits(CRC_BITS)
}

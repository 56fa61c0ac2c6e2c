import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drifting, SHAPES, seeded } from '../../bench/offset-map-shapes.ts'
import { ALPHABETS } from '../../src/kernel/offset-map/alphabet.ts'
import { BitWriter } from '../../src/kernel/offset-map/bits.ts'
import { openFrame, sealFrame, VERSION } from '../../src/kernel/offset-map/frame.ts'
import { type AlphabetName, decodeMap, encodeMap, type IgnoredReason } from '../../src/kernel/offset-map/index.ts'
import { RangeEncoder } from '../../src/kernel/offset-map/range-coder.ts'

const BOTH: readonly AlphabetName[] = ['wide', 'base64']
const BASE = 1_234_567

/** Texts of every encoding in both alphabets, small enough to damage in every way. */
const SAMPLES: readonly string[] = BOTH.flatMap((alphabet) =>
  [
    [1, 1],
    [3, 10_000_000],
    SHAPES['50 % random']!(500),
    SHAPES['1 % holes']!(2_000),
    SHAPES.bursts!(1_000),
    drifting(4_000),
  ].map((runs) => encodeMap(BASE, runs, { maxChars: 2_000, alphabet, truncate: true })!.text),
)

function refusedBecause(text: string, ...reasons: IgnoredReason[]): void {
  const decoded = decodeMap(BASE, text)
  assert.ok(decoded.kind === 'ignored' && reasons.includes(decoded.reason), `${JSON.stringify(decoded)} for ${text}`)
}

describe('offset map, undecodable metadata', () => {
  test('I14 · no prefix of a map is a map, nor is a map with something after it', () => {
    for (const text of SAMPLES) {
      for (let length = 1; length < text.length; length++) refusedBecause(text.slice(0, length), 'corrupt')
      for (const tail of ['A', '㐀', '\0', ' ', text]) refusedBecause(text + tail, 'corrupt')
    }
  })

  test('I14 · no single-bit flip of any character passes', () => {
    for (const text of SAMPLES) {
      for (let at = 0; at < text.length; at++) {
        for (let bit = 0; bit < 16; bit++) {
          const flipped = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit))
          const damaged = text.slice(0, at) + flipped + text.slice(at + 1)
          refusedBecause(damaged, ...(at === 0 ? (['foreign', 'corrupt'] as const) : (['corrupt', 'version'] as const)))
        }
      }
    }
  })

  test('I14 · no other letter in any place passes, and no two neighbours swapped', () => {
    for (const text of SAMPLES.filter((sample) => sample.length < 60)) {
      const alphabet = text[0] === '~' ? ALPHABETS.base64 : ALPHABETS.wide
      const letters = 2 ** alphabet.bitsPerChar
      for (let at = 1; at < text.length; at++) {
        for (let symbol = 0; symbol < letters; symbol += letters > 64 ? 61 : 1) {
          const letter = String.fromCharCode(alphabet.letter(symbol))
          if (letter !== text[at]) refusedBecause(text.slice(0, at) + letter + text.slice(at + 1), 'corrupt', 'version')
        }
        const [left, right] = [text[at - 1]!, text[at]!]
        if (left !== right) {
          refusedBecause(text.slice(0, at - 1) + right + left + text.slice(at + 1), 'foreign', 'corrupt', 'version')
        }
      }
    }
  })

  test('I14 · random text is refused, also when it starts like ours', () => {
    const random = seeded(14)
    for (let round = 0; round < 20_000; round++) {
      const alphabet = ALPHABETS[BOTH[round % 2]!]
      const length = 1 + Math.floor(random() * 40)
      const any = Array.from({ length }, () => Math.floor(random() * 65_536))
      const ours = any.map((unit) => alphabet.letter(unit % 2 ** alphabet.bitsPerChar))
      if (any[0] !== alphabet.magic) refusedBecause(String.fromCharCode(...any), 'foreign', 'corrupt', 'version')
      refusedBecause(String.fromCharCode(alphabet.magic, ...ours), 'corrupt', 'version')
    }
  })

  test('I14 · lone surrogates, NULs and other debris', () => {
    for (const debris of [
      '\ud800',
      '\udfff',
      '\0',
      '\0\0\0',
      '\ufeff',
      '\uffff',
      '💥',
      'ᚠ',
      '~',
      'ᚠ\ud800',
      '~\0',
      '~~~~',
      'ᚠ '.repeat(50),
    ]) {
      refusedBecause(debris, 'foreign', 'corrupt')
    }
    // A client in plain JavaScript may hand over anything.
    for (const alien of [0, 42, {}, [], Buffer.from('~A'), true]) {
      assert.deepEqual(decodeMap(BASE, alien as unknown as string), { kind: 'ignored', reason: 'foreign' })
    }
  })

  test("I14 · other tools' metadata", () => {
    const base64 = (...parts: (number[] | Buffer)[]) =>
      Buffer.concat(parts.map((part) => Buffer.from(part))).toString('base64')
    const payload = Buffer.from([0, 0, 0, 9, 0b1010_1010, 1, 0, 3, 0, 200])
    const others = [
      // Confluent Parallel Consumer: one letter for the encoding, then bitset, run lengths or a compressed form.
      ...[...'LlanJosep', '\u00ee'].map((letter) => base64([letter.charCodeAt(0)], payload)),
      // Kafka Streams: a version byte, the stream time, and from version 2 on processor metadata.
      base64([1], [0, 0, 1, 0x8f, 0x12, 0x34, 0x56, 0x78]),
      base64([2], [0, 0, 1, 0x8f, 0x12, 0x34, 0x56, 0x78], [0, 0, 0, 0]),
      '{"version":1,"offsets":[1,2,3]}',
      'NO_METADATA',
      'consumer-7 at 2026-01-01T00:00:00Z',
      'fanlane',
      ' ',
    ]
    for (const text of others) refusedBecause(text, 'foreign')
  })

  test('I14 · a later version is recognised as such and left alone', () => {
    for (const text of SAMPLES) {
      const alphabet = text[0] === '~' ? ALPHABETS.base64 : ALPHABETS.wide
      const first = alphabet.symbol(text.charCodeAt(1))
      for (let version = 2; version < 8; version++) {
        const shift = alphabet.bitsPerChar - 3
        const letter = alphabet.letter((first % 2 ** shift) + version * 2 ** shift)
        // Its remainder is its own business: letters that we do not know, another checksum, another length.
        refusedBecause(text[0]! + String.fromCharCode(letter), 'version')
        refusedBecause(`${text[0]}${String.fromCharCode(letter)} whatever \ud800`, 'version')
      }
      refusedBecause(
        text[0]! + String.fromCharCode(alphabet.letter(first % 2 ** (alphabet.bitsPerChar - 3))) + text.slice(2),
        'corrupt',
      )
    }
  })

  test('I14 · a map for another position claims nothing', () => {
    for (const text of SAMPLES) {
      for (const base of [0, 1, BASE - 1, BASE + 1, BASE + 2 ** 15, BASE + 2 ** 32, -1, 0.5, Number.NaN]) {
        assert.deepEqual(decodeMap(base, text), { kind: 'ignored', reason: 'base-mismatch' })
      }
    }
  })
})

/** A text with a valid header and checksum around whatever an attacker likes. */
function forged(codecId: number, write: (out: BitWriter) => void, alphabet: AlphabetName = 'wide'): string {
  const out = openFrame(BASE, codecId, Number.POSITIVE_INFINITY)
  write(out)
  return sealFrame(out, alphabet)
}

describe('offset map, forged metadata with a valid checksum', () => {
  test('I14 · payloads that no encoder writes', () => {
    const forgeries: Record<string, string> = {
      'unknown codec': forged(7, (out) => out.bits(0x11, 8)),
      'run-length: nothing': forged(0, () => {}),
      'run-length: only an unfinished run': forged(0, (out) => out.bits(0x1, 4)),
      'run-length: overlong varint': forged(0, (out) => out.bits(0x9_01, 12)),
      'run-length: zero in the middle': forged(0, (out) => out.bits(0x1_0_1_1, 16)),
      'run-length: varint without end': forged(0, (out) => out.fill(1, 4_000)),
      'run-length: past the last safe offset': forged(0, (out) => {
        out.bits(0x1, 4)
        out.fill(1, 4 * 18)
        out.bits(0x7, 4)
      }),
      'bitset: nothing finished': forged(1, (out) => out.fill(0, 100)),
      'bitset: needless zeros at the end': forged(1, (out) => out.bits(0b1000_0000_0000_0000_0000, 20)),
      'range: no pairs': forged(2, (out) => out.fill(0, 300)),
      'range: more pairs than allowed': forged(2, (out) => out.bits(2 ** 19 + 1, 39)),
      'range: sloppy end': forged(2, (out) => {
        out.bits(1, 1)
        out.bits(0b1110_1111, 8)
      }),
      'base wider than 53 bits': sealFrame(overwideBase(), 'wide'),
    }
    for (const [name, text] of Object.entries(forgeries)) {
      assert.deepEqual(decodeMap(BASE, text), { kind: 'ignored', reason: 'corrupt' }, name)
    }
  })

  test('I14 · a short text that claims a million runs costs bounded memory and time', () => {
    // All bits 1 read as "longer still" for ever: runs of 2^55, stopped at the first.
    refusedBecause(
      forged(2, (out) => {
        out.bits(2 ** 19, 39)
        out.fill(1, 1_000)
      }),
      'corrupt',
    )
    // The densest thing that can be said: every run is 1. It is a true map, of at most RUNS_MAX runs.
    const ones = (pairs: number) =>
      forged(2, (out) => {
        out.bits(pairs, 39)
        const coder = new RangeEncoder(out)
        for (let i = 0; i < pairs; i++) for (let kind = 0; kind < 2; kind++) coder.decide(0, 1, 2 * i + 2)
        coder.finish()
      })
    const decoded = decodeMap(BASE, ones(2 ** 19))
    assert.ok(decoded.kind === 'map' && decoded.runs.length === 2 ** 20)
    assert.ok(ones(2 ** 19).length < 20)
    refusedBecause(ones(2 ** 19 + 1), 'corrupt')
  })
})

function overwideBase(): BitWriter {
  const out = new BitWriter(Number.POSITIVE_INFINITY)
  out.bits(VERSION, 3)
  out.bits(0, 3)
  out.bits(63, 6)
  out.fill(1, 80)
  return out
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drifting, SHAPES } from '../../bench/offset-map-shapes.ts'
import { ALPHABETS } from '../../src/kernel/offset-map/alphabet.ts'
import { crc32 } from '../../src/kernel/offset-map/crc32.ts'
import {
  type AlphabetName,
  type DecodedMap,
  decodeMap,
  type EncodeOptions,
  encodeMap,
} from '../../src/kernel/offset-map/index.ts'

const BOTH: readonly AlphabetName[] = ['wide', 'base64']
const unlimited = (alphabet: AlphabetName): EncodeOptions => ({
  maxChars: Number.POSITIVE_INFINITY,
  alphabet,
  truncate: false,
})

function finished(runs: readonly number[]): number {
  return runs.reduce((sum, length, i) => sum + (i % 2 === 1 ? length : 0), 0)
}

function roundTrip(base: number, runs: readonly number[], alphabet: AlphabetName): string {
  const encoded = encodeMap(base, runs, unlimited(alphabet))
  assert.ok(encoded !== null)
  assert.equal(encoded.entries, finished(runs))
  assert.equal(encoded.dropped, 0)
  assert.deepEqual(decodeMap(base, encoded.text), {
    kind: 'map',
    runs,
    encoding: encoded.encoding,
    entries: encoded.entries,
  })
  return encoded.encoding
}

const PERIODIC = Array.from({ length: 120 }, (_, i) => (i % 6 === 0 ? 41 : i % 4 === 1 ? 9 : 1))

const WRITTEN_BY_VERSION_1: readonly [encoding: string, base: number, runs: number[], wide: string, base64: string][] =
  [
    ['run-length', 1_234_567, [1, 10_000_000], 'ᚠ䒩槡靑忙뉃刘圅', '~IVLWhxiKuZ5Ai7rrv'],
    ['bitset', 0, [1, 1], 'ᚠ䘆많闵', '~JAi8x2G1'],
    [
      'range',
      1_234_567,
      [1, 1, 1, 108, 1, 173, 1, 30, 1, 73, 1, 125, 1, 46, 1, 165, 1, 172, 1, 8, 1, 88],
      'ᚠ䢩槡霴㯌犨邖劉뻝谘䘃跫秐',
      '~KVLWhxegfMfNFxWPJP6dr7BJUNrFY',
    ],
    [
      'range-looks-back',
      2 ** 40,
      PERIODIC,
      'ᚠ䭈㐀㐀㐇璬刣妎瀑㗙综椫弻術謭糆竹귂㚕茍',
      '~LpAAAAAAAHgNh3jSpzvRA7Mq8adar7qCdbtkQ0a52yBSs7N',
    ],
  ]

describe('offset map', () => {
  test('P6 · six shapes at three sizes come back exactly, in both alphabets', () => {
    for (const shape of Object.values(SHAPES)) {
      for (const records of [1_000, 10_000, 100_000]) {
        for (const alphabet of BOTH) roundTrip(1_000_000, shape(records), alphabet)
      }
    }
  })

  test('P6 · every encoding wins somewhere', () => {
    assert.equal(roundTrip(7, SHAPES['one straggler']!(10_000), 'wide'), 'run-length')
    assert.equal(roundTrip(7, SHAPES['50 % random']!(10_000), 'wide'), 'bitset')
    assert.equal(roundTrip(7, SHAPES['1 % holes']!(10_000), 'wide'), 'range')
    assert.equal(roundTrip(7, drifting(100_000), 'wide'), 'range-looks-back')
  })

  test('P6 · an equal number of characters goes to the encoding that is cheaper to decode', () => {
    // A bitset of 1 bit beside varints of 8: with base 0 that saves a character, with base 2 it does not.
    assert.equal(roundTrip(0, [1, 1], 'wide'), 'bitset')
    assert.equal(roundTrip(2, [1, 1], 'wide'), 'run-length')
  })

  test('P6 · no finished record after the position: no text', () => {
    const empty = { text: '', encoding: 'none', entries: 0, dropped: 0 }
    assert.deepEqual(encodeMap(5, [], { maxChars: 0, alphabet: 'wide', truncate: false }), empty)
    for (const nothing of ['', null, undefined]) assert.deepEqual(decodeMap(5, nothing), { kind: 'empty' })
  })

  test('P6 · runs of any length up to the last safe offset', () => {
    const last = Number.MAX_SAFE_INTEGER
    const wild: [number, number[]][] = [
      [0, [1, 10_000_000]],
      [0, [10_000_000, 1]],
      [0, [1, last - 1]],
      [0, [last - 1, 1]],
      [last - 2, [1, 1]],
      [2 ** 52, [2 ** 51, 2 ** 50, 2 ** 49, 2 ** 32, 2 ** 31, 2 ** 31 - 1]],
      [2 ** 32 - 1, [2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 3]],
      [3, [2 ** 24, 2 ** 24 - 1, 2 ** 23, 2 ** 24 + 1]],
      [3, Array.from({ length: 500 }, (_, i) => 2 ** (i % 43))],
    ]
    for (const [base, runs] of wild) for (const alphabet of BOTH) roundTrip(base, runs, alphabet)
  })

  test('P6 · a map that is none is refused before it can claim anything', () => {
    const malformed: [number, number[]][] = [
      [0, [1]],
      [0, [1, 2, 3]],
      [0, [0, 1]],
      [0, [1, 0]],
      [0, [1, -1]],
      [0, [1, 1.5]],
      [0, [1, Number.NaN]],
      [-1, [1, 1]],
      [0.5, [1, 1]],
      [1, [1, Number.MAX_SAFE_INTEGER - 1]],
    ]
    for (const [base, runs] of malformed) assert.throws(() => encodeMap(base, runs, unlimited('wide')), RangeError)
  })

  test('P6 · the wide alphabet survives whatever handles text', () => {
    const { letter, symbol, magic } = ALPHABETS.wide
    const all = String.fromCharCode(magic, ...Array.from({ length: 32_768 }, (_, i) => letter(i)))
    assert.equal(new Set(all).size, 32_769)
    assert.ok(all.isWellFormed())
    for (const form of ['NFC', 'NFKC']) assert.equal(all.normalize(form), all)
    assert.doesNotMatch(all, /[\p{Cc}\p{Cf}\p{Z}\p{M}"'\\]/u)
    assert.equal(Buffer.from(all).toString(), all)
    for (let i = 0; i < 65_536; i++) if (symbol(i) >= 0) assert.equal(letter(symbol(i)), i)
    assert.equal(symbol(magic), -1)
    assert.equal(symbol(Number.NaN), -1)
  })

  test('P6 · the base64 alphabet is plain ASCII', () => {
    const encoded = encodeMap(1_000_000, SHAPES.bursts!(1_000), unlimited('base64'))
    assert.match(encoded!.text, /^~[A-Za-z0-9_-]+$/)
  })

  test('P6 · the CRC is the standard CRC-32/BZIP2', () => {
    assert.equal(crc32(Buffer.from('123456789')), 0xfc89_1918)
  })

  // Commits outlive a release: what version 1 wrote must be read by every later one.
  test('P6 · texts written by version 1 keep their meaning', () => {
    for (const [encoding, base, runs, ...texts] of WRITTEN_BY_VERSION_1) {
      const map: DecodedMap = { kind: 'map', runs, encoding, entries: finished(runs) }
      for (const text of texts) assert.deepEqual(decodeMap(base, text), map)
      for (const [i, alphabet] of BOTH.entries())
        assert.equal(encodeMap(base, runs, unlimited(alphabet))?.text, texts[i])
    }
  })
})

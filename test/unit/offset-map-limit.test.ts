import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drifting, SHAPES } from '../../bench/offset-map-shapes.ts'
import { type AlphabetName, decodeMap, encodeMap } from '../../src/kernel/offset-map/index.ts'

const BOTH: readonly AlphabetName[] = ['wide', 'base64']
const BASE = 1_000_000
/** All six, and the one where the look-back coder wins. */
const ALL_SHAPES = { ...SHAPES, drifting }

/** The offsets that a text claims finished, as [first, past] pairs. */
function claims(base: number, text: string): [number, number][] {
  const decoded = decodeMap(base, text)
  if (decoded.kind !== 'map') return []
  const pairs: [number, number][] = []
  let at = base
  for (const [i, length] of decoded.runs.entries()) {
    if (i % 2 === 1) pairs.push([at, at + length])
    at += length
  }
  return pairs
}

describe('offset map size guard', () => {
  test('I10 · metadata never exceeds the limit, whatever the limit', () => {
    for (const [name, shape] of Object.entries(ALL_SHAPES)) {
      const runs = shape(3_000)
      for (const alphabet of BOTH) {
        for (const maxChars of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 40, 64, 100, 200]) {
          const encoded = encodeMap(BASE, runs, { maxChars, alphabet, truncate: true })
          assert.ok(encoded !== null && encoded.text.length <= maxChars, `${name}, ${alphabet}, ${maxChars}`)
          if (encoded.text === '') assert.equal(encoded.encoding, 'none')
          else assert.equal(decodeMap(BASE, encoded.text).kind, 'map')
        }
      }
    }
  })

  test('I10 · exactly at the limit nothing is dropped; one character less drops, or refuses', () => {
    for (const shape of Object.values(ALL_SHAPES)) {
      for (const alphabet of BOTH) {
        const runs = shape(5_000)
        const whole = encodeMap(BASE, runs, { maxChars: 100_000, alphabet, truncate: false })
        assert.ok(whole !== null)
        const at = { maxChars: whole.text.length, alphabet }
        assert.deepEqual(encodeMap(BASE, runs, { ...at, truncate: false }), whole)
        assert.deepEqual(encodeMap(BASE, runs, { ...at, truncate: true }), whole)
        const below = { maxChars: whole.text.length - 1, alphabet }
        assert.equal(encodeMap(BASE, runs, { ...below, truncate: false }), null)
        const cut = encodeMap(BASE, runs, { ...below, truncate: true })
        assert.ok(cut !== null && cut.dropped > 0)
        assert.equal(cut.entries + cut.dropped, whole.entries)
      }
    }
  })

  test('P6 · the oldest finished entries go first, and no more than needed', () => {
    for (const shape of [SHAPES['1 % holes']!, SHAPES['50 % random']!, SHAPES.bursts!, drifting]) {
      const runs = shape(20_000)
      const options = { alphabet: 'wide', truncate: false } as const
      const full = claims(BASE, encodeMap(BASE, runs, { ...options, maxChars: 10_000 })!.text)
      const cut = encodeMap(BASE, runs, { maxChars: 60, alphabet: 'wide', truncate: true })!
      const kept = claims(BASE, cut.text)
      assert.ok(kept.length > 0)
      assert.deepEqual(kept, full.slice(-kept.length))
      // One finished run more would not have fitted.
      const swallowed = runs.slice(0, -2 * kept.length - 1).reduce((sum, length) => sum + length, 0)
      const oneMore = [swallowed - runs.at(-2 * kept.length - 1)!, ...runs.slice(-2 * kept.length - 1)]
      assert.ok(kept.length < full.length && oneMore.length === 2 * kept.length + 2)
      assert.equal(encodeMap(BASE, oneMore, { ...options, maxChars: 60 }), null)
    }
  })

  test('P6 · where not even the newest run fits, the map is empty and everything counts as dropped', () => {
    const cut = encodeMap(BASE, [1, 5, 1, 10_000_000], { maxChars: 5, alphabet: 'wide', truncate: true })
    assert.deepEqual(cut, { text: '', encoding: 'none', entries: 0, dropped: 10_000_005 })
  })

  test('P6 · ten million records ahead of one straggler cost eight characters and no time', () => {
    const encoded = encodeMap(BASE, [1, 10_000_000], { maxChars: 4_000, alphabet: 'wide', truncate: false })
    assert.equal(encoded?.text.length, 8)
  })

  test('P6 · more runs than a decoder will ever build are cut down to what it accepts', () => {
    const runs = new Uint8Array(2 ** 20 + 20).fill(1)
    const options = { maxChars: 4_000, alphabet: 'wide' } as const
    assert.equal(encodeMap(BASE, runs, { ...options, truncate: false }), null)
    const cut = encodeMap(BASE, runs, { ...options, truncate: true })
    assert.equal(cut?.dropped, 10)
    assert.equal(decodeMap(BASE, cut.text).kind, 'map')
  })
})

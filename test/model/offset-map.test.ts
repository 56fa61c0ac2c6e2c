import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { BitWriter } from '../../src/kernel/offset-map/bits.ts'
import { CODECS, leastBits } from '../../src/kernel/offset-map/codecs.ts'
import { charsFor, openFrame } from '../../src/kernel/offset-map/frame.ts'
import { type AlphabetName, decodeMap, encodeMap } from '../../src/kernel/offset-map/index.ts'
import { wholeMap } from '../../src/kernel/offset-map/runs.ts'

/** FC_RUNS and FC_SEED search wider than CI does. */
const RUNS = Number(process.env.FC_RUNS ?? 300)
const SEED = Number(process.env.FC_SEED ?? 20_260_101)
const check = (property: fc.IProperty<unknown>, share = 1) =>
  fc.assert(property, { numRuns: Math.ceil(RUNS * share), seed: SEED })

const alphabets = fc.constantFrom<AlphabetName>('wide', 'base64')
const plain = (maxChars: number, alphabet: AlphabetName) => ({ maxChars, alphabet, truncate: false })

/** One length: mostly ones, small, uniform in its bits, or enormous. */
function lengths(maxBits: number): fc.Arbitrary<number> {
  const wide = fc
    .integer({ min: 0, max: maxBits })
    .chain((bits) => fc.integer({ min: 2 ** bits, max: 2 ** (bits + 1) - 1 }))
  return fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 300 }), wide)
}

const pairs = (max: number, maxBits: number) =>
  fc.array(fc.tuple(lengths(maxBits), lengths(maxBits)), { minLength: 1, maxLength: max }).map((list) => list.flat())

/** A pattern said over and over, with a few slips: what an adaptive coder learns best, and so can lose most. */
const patterns = fc
  .record({
    motif: pairs(6, 12),
    times: fc.integer({ min: 1, max: 80 }),
    slips: fc.array(fc.tuple(fc.nat(), lengths(30)), { maxLength: 8 }),
  })
  .map(({ motif, times, slips }) => {
    const runs = Array.from({ length: times }, () => motif).flat()
    for (const [at, length] of slips) runs[at % runs.length] = length
    return runs
  })

/** Long calm, then strangers at the end, and the other way round: what was learned is of no use for the rest. */
const turns = fc
  .tuple(patterns, pairs(12, 40), fc.boolean())
  .map(([calm, wild, first]) => (first ? [...calm, ...wild] : [...wild, ...calm]))

const maps: fc.Arbitrary<{ base: number; runs: number[] }> = fc
  .record({
    runs: fc.oneof(pairs(30, 20), pairs(200, 4), pairs(8, 48), patterns, turns),
    base: fc.oneof(fc.nat(), fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 52), fc.maxSafeNat()),
  })
  .map(({ base, runs }) => {
    const span = runs.reduce((sum, length) => sum + length, 0)
    return { base: Math.min(base, Math.max(0, Number.MAX_SAFE_INTEGER - span)), runs }
  })
  .filter(({ base, runs }) => base + runs.reduce((sum, length) => sum + length, 0) <= Number.MAX_SAFE_INTEGER)

describe('offset map, model', () => {
  test('P6 · every map comes back exactly', () => {
    check(
      fc.property(maps, alphabets, ({ base, runs }, alphabet) => {
        const encoded = encodeMap(base, runs, plain(Number.POSITIVE_INFINITY, alphabet))
        const decoded = decodeMap(base, encoded?.text)
        assert.ok(decoded.kind === 'map')
        assert.deepEqual(decoded.runs, runs)
        assert.equal(decoded.entries, encoded?.entries)
      }),
    )
  })

  test('P6 · every codec reads what it wrote, also where another one would have won', () => {
    check(
      fc.property(maps, ({ base, runs }) => {
        const tail = wholeMap(runs)
        const least = leastBits(tail)
        for (const [i, codec] of CODECS.entries()) {
          if (least[i]! > 100_000) continue
          const out = new BitWriter(Number.POSITIVE_INFINITY)
          assert.ok(codec.write(tail, out))
          assert.deepEqual(codec.read(out.reader()), runs, `${codec.name} from ${base}`)
          // The chooser and the size guard rely on it.
          assert.ok(
            least[i]! <= out.length && out.length <= least[i]! + 4,
            `${codec.name}: ${least[i]} … ${out.length}`,
          )
        }
      }),
    )
  })

  test('P6 · the shortest wins, and of equals the one that is cheaper to decode', () => {
    check(
      fc.property(maps, alphabets, ({ base, runs }, alphabet) => {
        const tail = wholeMap(runs)
        const least = leastBits(tail)
        const chars = CODECS.map((codec, i) => {
          if (least[i]! > 100_000) return Number.POSITIVE_INFINITY
          const out = openFrame(base, codec.id, Number.POSITIVE_INFINITY)
          codec.write(tail, out)
          return charsFor(alphabet, out.length)
        })
        const encoded = encodeMap(base, runs, plain(Number.POSITIVE_INFINITY, alphabet))
        assert.equal(encoded?.text.length, Math.min(...chars))
        assert.equal(encoded.encoding, CODECS[chars.indexOf(Math.min(...chars))]?.name)
      }),
    )
  })

  test('I10 · metadata never exceeds the limit, and what is left is the newest part of the truth', () => {
    check(
      fc.property(maps, alphabets, fc.integer({ min: 0, max: 120 }), ({ base, runs }, alphabet, maxChars) => {
        const cut = encodeMap(base, runs, { maxChars, alphabet, truncate: true })
        assert.ok(cut !== null && cut.text.length <= maxChars)
        const whole = encodeMap(base, runs, plain(maxChars, alphabet))
        if (whole !== null) assert.deepEqual(cut, whole)
        else assert.ok(cut.dropped > 0)
        const decoded = decodeMap(base, cut.text)
        if (decoded.kind !== 'map') return assert.deepEqual([decoded.kind, cut.entries], ['empty', 0])
        const [head, ...rest] = decoded.runs
        assert.deepEqual(rest, runs.slice(-rest.length))
        const span = (list: readonly number[]) => list.reduce((sum, length) => sum + length, 0)
        assert.equal(head! + span(rest), span(runs))
        assert.equal(cut.entries, decoded.entries)
      }),
    )
  })

  test('I14 · an edited text never becomes another map', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 65_535 }), fc.nat({ max: 2 })), {
      minLength: 1,
      maxLength: 6,
    })
    check(
      fc.property(maps, alphabets, edits, ({ base, runs }, alphabet, list) => {
        const { text } = encodeMap(base, runs, { maxChars: 300, alphabet, truncate: true })!
        let edited = text
        for (const [where, unit, kind] of list) {
          const at = where % (edited.length + 1)
          const inserted =
            kind === 0 ? '' : String.fromCharCode(kind === 1 ? unit : text.charCodeAt(unit % text.length) || 0)
          edited = edited.slice(0, at) + inserted + edited.slice(at + (unit % 2))
        }
        const decoded = decodeMap(base, edited)
        if (decoded.kind === 'map') assert.equal(edited, text)
      }),
      3,
    )
  })

  test('X5 · moving the position over a map that fits still fits, with 64 characters to spare', () => {
    check(
      fc.property(maps, alphabets, fc.infiniteStream(fc.nat()), ({ base, runs }, alphabet, dice) => {
        const whole = encodeMap(base, runs, plain(Number.POSITIVE_INFINITY, alphabet))!
        const limit = whole.text.length + 64
        let position = base
        for (let first = 0; first < runs.length; first += 2) {
          const rest = runs.slice(first)
          // The position stands before this unfinished run, somewhere inside it, or before its last record.
          for (const inside of new Set([0, dice.next().value! % rest[0]!, rest[0]! - 1])) {
            const later = [rest[0]! - inside, ...rest.slice(1)]
            assert.notEqual(encodeMap(position + inside, later, plain(limit, alphabet)), null)
          }
          position += rest[0]! + rest[1]!
        }
      }),
      0.3,
    )
  })
})

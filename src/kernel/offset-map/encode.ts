import type { AlphabetName } from './alphabet.ts'
import type { BitWriter } from './bits.ts'
import { CODECS, leastBits } from './codecs.ts'
import { charsFor, headerBits, openFrame, roomFor, sealFrame } from './frame.ts'
import { faultIn, finishedIn, RUNS_MAX, type Runs, runCount, type Tail, wholeMap, withoutOldest } from './runs.ts'

export interface EncodeOptions {
  readonly maxChars: number
  readonly alphabet: AlphabetName
  /** Above `maxChars`: true gives up the oldest finished entries, false gives up the encoding. */
  readonly truncate: boolean
}

export interface EncodedMap {
  readonly text: string
  /** Name of the winner; 'none' for an empty map. */
  readonly encoding: string
  /** Finished offsets that the text claims. */
  readonly entries: number
  /** Finished offsets that had to be left out: they will run again after a restart, which at-least-once allows. */
  readonly dropped: number
}

/** null: does not fit, and truncate is false. */
export function encodeMap(base: number, runs: Runs, options: EncodeOptions): EncodedMap | null {
  // A malformed map is a fault in the tracker; encoded, it could claim records that nobody finished.
  const fault = faultIn(base, runs)
  if (fault !== null) throw new RangeError(`offset map: ${fault}`)
  const whole = wholeMap(runs)
  const total = finishedIn(whole)
  if (total === 0) return { text: '', encoding: 'none', entries: 0, dropped: 0 }
  const attempt = shortest(base, whole, options)
  if (attempt !== null) return encoded(attempt, options, total, 0)
  if (!options.truncate) return null

  const cut = fewestToDrop(base, whole, options)
  if (cut === null) return { text: '', encoding: 'none', entries: 0, dropped: total }
  const entries = finishedIn(cut.tail)
  return encoded(cut.attempt, options, entries, total - entries)
}

interface Attempt {
  /** Its place in CODECS. */
  readonly rank: number
  readonly bits: BitWriter
  readonly chars: number
}

function encoded(attempt: Attempt, options: EncodeOptions, entries: number, dropped: number): EncodedMap {
  return { text: sealFrame(attempt.bits, options.alphabet), encoding: CODECS[attempt.rank]!.name, entries, dropped }
}

/**
 * The shortest of all codecs in characters; ties go to the one that is cheaper to decode. The most promising one runs
 * first, and the others only if their estimate can still beat what it really took. null: none fits.
 */
function shortest(base: number, tail: Tail, options: EncodeOptions): Attempt | null {
  const { alphabet, maxChars } = options
  const least = leastBits(tail)
  const order = CODECS.map((_, i) => i).sort((a, b) => least[a]! - least[b]!)
  let best: Attempt | null = null
  for (const rank of order) {
    const chars = best === null ? maxChars : best.chars - (rank > best.rank ? 1 : 0)
    const room = roomFor(alphabet, chars)
    if (headerBits(base) + least[rank]! > room) continue
    const bits = openFrame(base, CODECS[rank]!.id, room)
    if (!CODECS[rank]!.write(tail, bits) || bits.overflowed) continue
    best = { rank, bits, chars: charsFor(alphabet, bits.length) }
  }
  return best
}

/** The estimates of `leastBits` are floors; the real thing may need so many bits more. */
const ESTIMATE_ERROR_BITS = 4

interface Cut {
  readonly tail: Tail
  readonly attempt: Attempt
}

/**
 * Size guard (P6, I10). The oldest go first: they are the ones that the position passes soonest anyway. Estimates find
 * the place quickly, real encodes settle it: where the estimate is a few bits too hopeful, the edge lies between what may
 * fit and what must. null: not even the newest finished run fits.
 */
function fewestToDrop(base: number, whole: Tail, options: EncodeOptions): Cut | null {
  const room = roomFor(options.alphabet, options.maxChars) - headerBits(base)
  const all = runCount(whole) / 2
  // No codec holds more runs than this: do not even look at longer tails.
  const runsMax = Math.max(RUNS_MAX, room + 1)
  const hopeless = Math.max(0, Math.floor((runCount(whole) - runsMax - 1) / 2))

  const cutAt = (count: number): Cut | null => {
    const tail = withoutOldest(whole, count)
    const attempt = count < all ? shortest(base, tail, options) : null
    return attempt && { tail, attempt }
  }
  const needsAtMost = (count: number, bits: number): boolean =>
    leastBits(withoutOldest(whole, count)).some((least) => least <= bits)

  const mayFit = firstThat(hopeless, all, (count) => needsAtMost(count, room))
  const lucky = cutAt(mayFit)
  if (lucky !== null) return lucky
  const mustFit = firstThat(mayFit, all, (count) => needsAtMost(count, room - ESTIMATE_ERROR_BITS))
  return cutAt(firstThat(mayFit, mustFit, (count) => cutAt(count) !== null))
}

/** Binary search: `below` does not pass, `above` does. Fewer runs never need more than a few bits more, so there is an edge. */
function firstThat(below: number, above: number, passes: (count: number) => boolean): number {
  let no = below
  let yes = above
  while (yes - no > 1) {
    const middle = Math.floor((no + yes) / 2)
    if (passes(middle)) yes = middle
    else no = middle
  }
  return yes
}

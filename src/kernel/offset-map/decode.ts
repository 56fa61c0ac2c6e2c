import { CODECS } from './codecs.ts'
import { openFrame, readFrame, sealFrame } from './frame.ts'
import { faultIn, finishedIn, wholeMap } from './runs.ts'

export type IgnoredReason = 'foreign' | 'version' | 'corrupt' | 'base-mismatch'

export type DecodedMap =
  | { readonly kind: 'map'; readonly runs: number[]; readonly encoding: string; readonly entries: number }
  | { readonly kind: 'empty' }
  | { readonly kind: 'ignored'; readonly reason: IgnoredReason }

/** Reads what anybody may have written. Never throws, and claims nothing but what `encodeMap` wrote for this base (I14). */
export function decodeMap(base: number, metadata: string | null | undefined): DecodedMap {
  if (metadata === null || metadata === undefined || metadata === '') return { kind: 'empty' }
  if (typeof metadata !== 'string') return ignored('foreign')
  const frame = readFrame(metadata)
  if (frame.kind === 'refused') return ignored(frame.reason)
  // Somebody moved the offset and kept the text: those marks belong to other records.
  if (frame.base !== base) return ignored('base-mismatch')
  const codec = CODECS.find(({ id }) => id === frame.codecId)
  const runs = codec?.read(frame.payload) ?? null
  if (codec === undefined || runs === null || runs.length === 0 || faultIn(base, runs) !== null) {
    return ignored('corrupt')
  }

  // The last word: only the very text that we would write is ours. Bits that decode to something but that the encoder
  // never produces (odd padding, overlong varints, a sloppy range-coder end) have no reading we could vouch for.
  const whole = wholeMap(runs)
  const again = openFrame(base, codec.id, Number.POSITIVE_INFINITY)
  codec.write(whole, again)
  if (sealFrame(again, frame.alphabet) !== metadata) return ignored('corrupt')
  return { kind: 'map', runs, encoding: codec.name, entries: finishedIn(whole) }
}

function ignored(reason: IgnoredReason): DecodedMap {
  return { kind: 'ignored', reason }
}

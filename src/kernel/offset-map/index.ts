/**
 * The offset map (P6): which records after the commit position are finished, small enough for the commit's metadata, so
 * that a restart or another owner does not run them again. The format is in frame.ts, the choice and the size guard in
 * encode.ts, the reasons in docs/adr/0004-offset-map.md.
 */
export type { AlphabetName } from './alphabet.ts'
export { type DecodedMap, decodeMap, type IgnoredReason } from './decode.ts'
export { type EncodedMap, type EncodeOptions, encodeMap } from './encode.ts'

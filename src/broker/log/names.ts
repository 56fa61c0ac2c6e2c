/**
 * Names of the files of one partition. A segment is named by its first offset, with twenty digits as in Apache Kafka, so
 * that names sort as offsets do.
 *
 *   00000000000000000120.log         batches
 *   00000000000000000120.index       sparse offset index
 *   00000000000000000120.timeindex   sparse time index
 *   <from>-<to>.cleaned              compaction is writing what will replace the segments in [from, to): void after a crash
 *   <from>-<to>.swap                 it is complete and takes their place, after a crash too
 *   checkpoint                       see checkpoint.ts
 */
const digits = 20

export const checkpointName = 'checkpoint'

const baseName = (offset: number): string => String(offset).padStart(digits, '0')

export const logName = (baseOffset: number): string => `${baseName(baseOffset)}.log`
export const indexName = (baseOffset: number): string => `${baseName(baseOffset)}.index`
export const timeIndexName = (baseOffset: number): string => `${baseName(baseOffset)}.timeindex`
export const cleanedName = (from: number, to: number): string => `${baseName(from)}-${baseName(to)}.cleaned`
export const swapName = (from: number, to: number): string => `${baseName(from)}-${baseName(to)}.swap`

export type LogFileName =
  | { readonly kind: 'log' | 'index' | 'timeindex'; readonly baseOffset: number }
  | { readonly kind: 'cleaned' | 'swap'; readonly from: number; readonly to: number }

const segmentFile = /^(\d{20})\.(log|index|timeindex)$/
const replacement = /^(\d{20})-(\d{20})\.(cleaned|swap)$/

/** undefined: not one of ours, leave it alone. */
export function parseName(name: string): LogFileName | undefined {
  const segment = segmentFile.exec(name)
  if (segment !== null) {
    const baseOffset = Number(segment[1])
    return Number.isSafeInteger(baseOffset) ? { kind: segment[2] as 'log', baseOffset } : undefined
  }
  const change = replacement.exec(name)
  if (change === null) return undefined
  return { kind: change[3] as 'swap', from: Number(change[1]), to: Number(change[2]) }
}

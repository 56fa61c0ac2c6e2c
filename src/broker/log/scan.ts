/**
 * Walks the batches of a file from a position on, in pieces of bounded size, and checks every one. It stops in front of
 * the first thing that is not a sound batch; what that means (a torn tail, damage) is for the caller to judge.
 */
import { lastOffset } from '../../protocol/record-batch/header.ts'
import { type Expected, isSound, plausibleSize } from './batch-check.ts'
import { LogDamagedError } from './damage.ts'
import type { DiskFile } from './disk.ts'
import type { Segment } from './segment.ts'

const pieceBytes = 1_048_576

export interface ScanEnd {
  /** Where the first byte is that was not walked over. */
  readonly position: number
  /** The offset that follows the last batch. */
  readonly nextOffset: number
  /** Whether it walked up to the end; else something unsound is in the way, or the visitor wanted no more. */
  readonly isComplete: boolean
}

/** Called with each batch at buffer[at, at + size) and its position in the file; false: enough. */
export type BatchVisitor = (buffer: Buffer, at: number, size: number, position: number) => boolean | undefined

export async function scanBatches(
  file: DiskFile,
  from: number,
  end: number,
  expected: Expected,
  visit: BatchVisitor,
): Promise<ScanEnd> {
  const { dense } = expected
  let offset = expected.offset
  let position = from
  let wanted = pieceBytes
  while (position < end) {
    const buffer = await file.read(position, Math.min(wanted, end - position))
    wanted = pieceBytes
    const start = position
    for (let at = 0; at < buffer.length; ) {
      const size = plausibleSize(buffer, at)
      if (size > buffer.length - at && size <= end - position) {
        wanted = Math.max(pieceBytes, size)
        break
      }
      // Fewer bytes than a length field takes: the rest of it may be in the next piece.
      if (size === 0 && buffer.length - at < 12 && start + buffer.length < end) break
      if (!isSound(buffer, at, { offset, dense })) return { position, nextOffset: offset, isComplete: false }
      const goesOn = visit(buffer, at, size, position)
      offset = lastOffset(buffer, at) + 1
      at += size
      position += size
      if (goesOn === false) return { position, nextOffset: offset, isComplete: false }
    }
  }
  return { position, nextOffset: offset, isComplete: true }
}

/** All of a closed segment, until the visitor has enough. Throws where it is damaged. */
export async function scanSegment(segment: Segment, dense: boolean, visit: BatchVisitor): Promise<void> {
  const file = await segment.file.acquire()
  let enough = false
  const visitor: BatchVisitor = (...batch) => {
    enough = visit(...batch) === false
    return enough ? false : undefined
  }
  try {
    const end = await scanBatches(file, 0, segment.written, { offset: segment.baseOffset, dense }, visitor)
    if (end.isComplete || enough) return
    throw new LogDamagedError(segment.file.path, end.position, end.nextOffset, 'not a sound record batch')
  } finally {
    segment.file.release()
  }
}

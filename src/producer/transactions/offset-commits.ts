/**
 * Offsets of one transaction, in requests that the broker can store: one request becomes one batch of its offsets log,
 * which is limited. A request that is refused for its size is halved.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { OffsetToCommit } from './requests.ts'

const requestBytesMax = 512 * 1024
/** Numbers, lengths, and the key under which the broker stores it. */
const entryBytes = 64

export function splitBySize(offsets: readonly OffsetToCommit[]): OffsetToCommit[][] {
  const requests: OffsetToCommit[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const offset of offsets) {
    const size = entryBytes + Buffer.byteLength(offset.topic) + Buffer.byteLength(offset.metadata)
    if (bytes + size > requestBytesMax) {
      requests.push([])
      bytes = 0
    }
    requests.at(-1)?.push(offset)
    bytes += size
  }
  return requests
}

/** The broker could not store so much at once. */
export function isTooMuch(code: number): boolean {
  return code === errorCodes.UNKNOWN_SERVER_ERROR || code === errorCodes.INVALID_COMMIT_OFFSET_SIZE
}

/** Asks for all of them, one request after the other. The first code that is not NONE ends it; null: silence. */
export async function commitInPieces(
  offsets: readonly OffsetToCommit[],
  ask: (offsets: readonly OffsetToCommit[]) => Promise<number | null>,
): Promise<number | null> {
  const left = splitBySize(offsets)
  for (let request = left.shift(); request !== undefined; request = left.shift()) {
    const code = await ask(request)
    if (code === errorCodes.NONE) continue
    if (code === null || !isTooMuch(code)) return code
    // A single one is as small as it gets.
    if (request.length === 1) return errorCodes.OFFSET_METADATA_TOO_LARGE
    const middle = request.length >> 1
    left.unshift(request.slice(0, middle), request.slice(middle))
  }
  return errorCodes.NONE
}

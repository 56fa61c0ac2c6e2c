/** Requests that a broker can store: Kafka keeps a commit in one batch of its offsets log, of at most one megabyte. */
import type { CommitEntry } from '../../../kernel/events.ts'

/** Half of what fits, because the log keeps the group's and the topic's name with every offset. */
export const requestBytesMax: number = 512 * 1024

/** What an entry takes besides its texts, in the request or in the log, whichever is more. */
const entryOverheadBytes = 64

export function split(entries: readonly CommitEntry[], bytesMax: number): readonly (readonly CommitEntry[])[] {
  const parts: CommitEntry[][] = []
  let part: CommitEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    const size = entryOverheadBytes + Buffer.byteLength(entry.metadata) + Buffer.byteLength(entry.topic)
    if (part.length > 0 && bytes + size > bytesMax) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(entry)
    bytes += size
  }
  if (part.length > 0) parts.push(part)
  return parts
}

/** Which way a control record ends its transaction, by its key (version i16, type i16: 0 abort, 1 commit). */
import type { MarkerKind } from '../../protocol/record-batch/control.ts'

export function markerKind(key: Buffer): MarkerKind {
  return key.readInt16BE(2) === 1 ? 'commit' : 'abort'
}

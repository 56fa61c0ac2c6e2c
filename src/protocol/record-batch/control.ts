/**
 * Transaction markers: control batches of one record that a coordinator writes where a producer's transaction ends.
 * Key: version i16, kind i16 (0 abort, 1 commit). Value: version i16, coordinator epoch i32.
 */
import { invalid } from './failures.ts'
import { baseOffset, isControl } from './header.ts'
import { RecordCursor } from './reader.ts'
import { encodeBatch } from './writer.ts'

export type MarkerKind = 'abort' | 'commit'

export interface Marker {
  readonly kind: MarkerKind
  readonly producerId: number
  readonly producerEpoch: number
  readonly timestampMs: number
  readonly coordinatorEpoch: number
}

/** Base offset and leader epoch are the log's to set. */
export function controlBatch(marker: Marker): Buffer {
  const key = Buffer.alloc(4)
  key.writeInt16BE(marker.kind === 'commit' ? 1 : 0, 2)
  const value = Buffer.alloc(6)
  value.writeInt32BE(marker.coordinatorEpoch, 2)
  return encodeBatch({
    producerId: marker.producerId,
    producerEpoch: marker.producerEpoch,
    transactional: true,
    control: true,
    records: [{ key, value, timestampMs: marker.timestampMs }],
  })
}

/**
 * What the control batch at `at` says; null where it is no end of a transaction (Kafka's logs hold other kinds too, and
 * readers must pass over those that they do not know).
 */
export function readMarker(
  buffer: Buffer,
  at: number,
): { readonly kind: MarkerKind; readonly offset: number; readonly coordinatorEpoch: number } | null {
  if (!isControl(buffer, at)) throw invalid(`the batch at offset ${baseOffset(buffer, at)} is no control batch`)
  const cursor = new RecordCursor().reset(buffer, at, 1024)
  // Compaction may have removed the marker and kept the batch.
  if (!cursor.next()) return null
  const key = cursor.key()
  const value = cursor.value()
  if (key === null || key.length < 4) throw invalid('the key of a control record is too short')
  const kind = key.readInt16BE(2)
  if (kind !== 0 && kind !== 1) return null
  if (value === null || value.length < 6) throw invalid('the value of a transaction marker is too short')
  return { kind: kind === 1 ? 'commit' : 'abort', offset: cursor.offset, coordinatorEpoch: value.readInt32BE(2) }
}

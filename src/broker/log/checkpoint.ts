/**
 * The small durable state of one partition, in one file that is replaced as a whole:
 * where the log starts, up to where it is known to be on the disk (the recovery point), and what reading the log up to
 * there would tell: leader epochs, producers, timestamps of the unfinished segment.
 *
 * After a crash only what lies behind the recovery point has to be read. A clean stop needs no mark of its own: then the
 * recovery point is where the last segment ends. Being append-only, the log keeps an old checkpoint valid for ever; so
 * nothing has to be written when a log is opened.
 *
 *   magic 4 · version u8 · length of the JSON u32 · JSON · producer snapshot · CRC-32C of all before u32
 */
import { crc32c } from '../../protocol/crc32c.ts'
import type { EpochStart } from './leader-epochs.ts'

const magic = 0x464c_4350
const version = 1
const headBytes = 9
const crcBytes = 4

export interface RecoveryPoint {
  /** Everything below this offset is on the disk. */
  readonly offset: number
  /** The segment that this offset is in or follows, and how far it reaches in that file. */
  readonly segment: number
  readonly position: number
}

/** What is known of the segment that the recovery point is in; -1: nothing. */
export interface SegmentTimes {
  readonly firstTimestampMs: number
  readonly maxTimestampMs: number
  readonly maxTimestampOffset: number
}

export interface Checkpoint {
  readonly logStartOffset: number
  readonly recoveryPoint: RecoveryPoint
  readonly times: SegmentTimes
  readonly leaderEpochs: readonly EpochStart[]
  /** No compaction has ever made a hole: each batch begins where the one before it ended. */
  readonly dense: boolean
  /** As of the recovery point. */
  readonly producers: Buffer
}

export function encodeCheckpoint({ producers, leaderEpochs, ...rest }: Checkpoint): Buffer {
  const epochs = leaderEpochs.map(({ epoch, startOffset }) => [epoch, startOffset])
  const json = Buffer.from(JSON.stringify({ ...rest, leaderEpochs: epochs }))
  const bytes = Buffer.allocUnsafe(headBytes + json.length + producers.length + crcBytes)
  bytes.writeUInt32BE(magic, 0)
  bytes.writeUInt8(version, 4)
  bytes.writeUInt32BE(json.length, 5)
  json.copy(bytes, headBytes)
  producers.copy(bytes, headBytes + json.length)
  const end = bytes.length - crcBytes
  bytes.writeUInt32BE(crc32c(bytes, 0, end), end)
  return bytes
}

/** undefined: not a checkpoint, or a damaged one. */
export function decodeCheckpoint(bytes: Buffer): Checkpoint | undefined {
  const end = bytes.length - crcBytes
  if (end < headBytes || bytes.readUInt32BE(0) !== magic || bytes.readUInt8(4) !== version) return undefined
  if (bytes.readUInt32BE(end) !== crc32c(bytes, 0, end)) return undefined
  const jsonEnd = headBytes + bytes.readUInt32BE(5)
  if (jsonEnd > end) return undefined
  // Its own checksum is right, so it is what `encodeCheckpoint` wrote.
  const stored = JSON.parse(bytes.toString('utf8', headBytes, jsonEnd)) as Omit<
    Checkpoint,
    'leaderEpochs' | 'producers'
  > & {
    leaderEpochs: [number, number][]
  }
  return {
    ...stored,
    leaderEpochs: stored.leaderEpochs.map(([epoch, startOffset]) => ({ epoch, startOffset })),
    producers: bytes.subarray(jsonEnd, end),
  }
}

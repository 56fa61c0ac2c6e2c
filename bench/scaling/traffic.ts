/** What commits weigh on the wire, by the real codecs: the request for one partition more, without a map and with maps of several kinds. */
import { encodeMap } from '../../src/kernel/offset-map/index.ts'
import { offsetCommitApi } from '../../src/protocol/generated/08-offset-commit.ts'
import { Writer } from '../../src/protocol/writer.ts'
import { drifting, SHAPES } from '../offset-map-shapes.ts'

export interface CommitRow {
  readonly map: string
  readonly chars: number
  /** In one request of a hundred partitions, for each of them. */
  readonly bytesPerPartition: number
}

const base = 1_000_000
const version = 9
const partitions = 100

/** A topic with a name as long as they are. */
function requestBytes(metadata: string): number {
  const writer = new Writer()
  const list = Array.from({ length: partitions }, (_, partitionIndex) => ({
    partitionIndex,
    committedOffset: BigInt(base),
    committedLeaderEpoch: 1,
    committedMetadata: metadata,
  }))
  const topics = [{ name: 'orders.eu-west-1.v2', partitions: list }]
  const member = { groupId: 'billing', generationIdOrMemberEpoch: 1, memberId: `fanlane-${'0'.repeat(36)}` }
  offsetCommitApi.writeRequest(writer, { ...member, topics }, version)
  return writer.toBuffer().length
}

function mapOf(runs: number[]): string {
  return encodeMap(base, runs, { maxChars: 4_000, alphabet: 'wide', truncate: true })?.text ?? ''
}

export function commitRows(): CommitRow[] {
  const maps: Readonly<Record<string, string>> = {
    'no map: everything in order': '',
    'one straggler, 100,000 records past it': mapOf(SHAPES['one straggler']?.(100_000) ?? []),
    '2,000 records in flight, as usual': mapOf(drifting(2_000)),
    '20,000 records in flight, as usual': mapOf(drifting(20_000)),
    'the largest map there is (4,000 characters)': mapOf(SHAPES['50 % random']?.(100_000) ?? []),
  }
  return Object.entries(maps).map(([map, text]) => ({
    map,
    chars: text.length,
    bytesPerPartition: Math.round(requestBytes(text) / partitions),
  }))
}

/**
 * Leader epochs and what an unclean election takes away (OffsetForLeaderEpoch v4).
 * Verified on Apache Kafka 4.1.1.
 */
import { control, ref, type Script, save, send } from '../script.ts'
import { fetch, leaderEpochEnd, listOffsets, metadata } from './say.ts'

const append = (value: string) =>
  control({ kind: 'append', topic: 'out', partition: 0, records: [{ key: 'k', value }] })

export const leaderEpochs: readonly Script[] = [
  {
    title: 'a reader that names its leader epoch is told when it is too new; an epoch has an end',
    topics: { out: 'plain' },
    steps: [
      append('a'),
      append('b'),
      send('r', fetch({ currentLeaderEpoch: 0 }), { partitions: [{ errorCode: 'NONE' }] }),
      send('r', fetch({ currentLeaderEpoch: 1 }), {
        partitions: [{ errorCode: 'UNKNOWN_LEADER_EPOCH', highWatermark: -1 }],
      }),
      send(
        'r',
        listOffsets(-1, { partitions: [{ topic: 'out', partition: 0, currentLeaderEpoch: 1, timestamp: -1 }] }),
        {
          partitions: [{ errorCode: 'UNKNOWN_LEADER_EPOCH', offset: -1 }],
        },
      ),
      send('r', leaderEpochEnd(0), { partitions: [{ errorCode: 'NONE', leaderEpoch: 0, endOffset: 2 }] }),
      send('r', leaderEpochEnd(1), { partitions: [{ errorCode: 'NONE', leaderEpoch: -1, endOffset: -1 }] }),
      send('r', leaderEpochEnd(0, { currentLeaderEpoch: 1 }), {
        partitions: [{ errorCode: 'UNKNOWN_LEADER_EPOCH', endOffset: -1 }],
      }),
      send('r', leaderEpochEnd(0, { partition: 9 }), {
        partitions: [{ errorCode: 'UNKNOWN_TOPIC_OR_PARTITION', endOffset: -1 }],
      }),
    ],
  },
  {
    title: 'an unclean election cuts the log, raises the epoch, and the old epoch ends where the cut was',
    topics: { out: 'replicated' },
    steps: [
      append('a'),
      append('b'),
      send('r', metadata('out'), { topics: [{ partitions: [{ leaderEpoch: save('before') }] }] }),
      control({ kind: 'loseFollower', topic: 'out', partition: 0 }),
      append('c'),
      append('d'),
      send('r', listOffsets(-1), { partitions: [{ offset: 4 }] }),
      control({ kind: 'electFollower', topic: 'out', partition: 0 }),
      send('r', metadata('out'), { topics: [{ partitions: [{ leaderEpoch: save('after') }] }] }),
      send('r', listOffsets(-1), { partitions: [{ errorCode: 'NONE', offset: 2 }] }),
      send('r', fetch({ fetchOffset: 4 }), { partitions: [{ errorCode: 'OFFSET_OUT_OF_RANGE' }] }),
      send('r', fetch({ fetchOffset: 2, currentLeaderEpoch: 0 }), {
        partitions: [{ errorCode: 'FENCED_LEADER_EPOCH', highWatermark: -1, batches: [] }],
      }),
      send(
        'r',
        listOffsets(-1, { partitions: [{ topic: 'out', partition: 0, currentLeaderEpoch: 0, timestamp: -1 }] }),
        {
          partitions: [{ errorCode: 'FENCED_LEADER_EPOCH', offset: -1 }],
        },
      ),
      send('r', leaderEpochEnd(0, { currentLeaderEpoch: 0 }), { partitions: [{ errorCode: 'FENCED_LEADER_EPOCH' }] }),
      send('r', leaderEpochEnd(0, { currentLeaderEpoch: ref('after') }), {
        partitions: [{ errorCode: 'NONE', leaderEpoch: 0, endOffset: 2 }],
      }),
      append('e'),
      send('r', fetch({ fetchOffset: 2, currentLeaderEpoch: ref('after') }), {
        partitions: [
          {
            errorCode: 'NONE',
            highWatermark: 3,
            batches: [{ baseOffset: 2, leaderEpoch: ref('after'), records: [{ value: 'e' }] }],
          },
        ],
      }),
      send('r', leaderEpochEnd(0), { partitions: [{ leaderEpoch: 0, endOffset: 2 }] }),
    ],
  },
]

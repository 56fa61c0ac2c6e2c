/**
 * Reading a log up to its ends, and waiting there (Fetch v12, ListOffsets v7, Metadata v12).
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, anyOrder, begin, control, end, ref, type Script, type Step, send, waits } from '../script.ts'
import { addPartitions, endTxn, fetch, listOffsets, metadata, produce } from './say.ts'
import { freshProducer, markersWritten } from './steps.ts'

function append(values: string): Step {
  return control({
    kind: 'append',
    topic: 'out',
    partition: 0,
    records: [...values].map((value) => ({ key: value, value })),
  })
}
function whole(partition: number) {
  return { topic: 'out', partition, currentLeaderEpoch: -1, fetchOffset: 0, partitionMaxBytes: 1_000_000 }
}
const latest = listOffsets(-1)
const earliest = listOffsets(-2)

export const reading: readonly Script[] = [
  {
    title: 'a read inside a batch brings the whole batch; at the end nothing; beyond it an error',
    topics: { out: 'plain' },
    steps: [
      append('abc'),
      append('de'),
      send('r', fetch({ fetchOffset: 1 }), {
        partitions: [
          {
            errorCode: 'NONE',
            highWatermark: 5,
            lastStableOffset: 5,
            logStartOffset: 0,
            batches: [
              {
                kind: 'data',
                baseOffset: 0,
                lastOffset: 2,
                producerId: -1,
                isTransactional: false,
                records: [{ offset: 0 }, { offset: 1 }, { offset: 2 }],
              },
              { kind: 'data', baseOffset: 3, lastOffset: 4 },
            ],
          },
        ],
      }),
      send('r', fetch({ fetchOffset: 3 }), { partitions: [{ batches: [{ baseOffset: 3 }] }] }),
      send('r', fetch({ fetchOffset: 0, partitionMaxBytes: 1 }), { partitions: [{ batches: [{ baseOffset: 0 }] }] }),
      send('r', fetch({ fetchOffset: 5 }), { partitions: [{ errorCode: 'NONE', highWatermark: 5, batches: [] }] }),
      send('r', fetch({ fetchOffset: 6 }), {
        partitions: [
          {
            errorCode: 'OFFSET_OUT_OF_RANGE',
            highWatermark: -1,
            lastStableOffset: -1,
            logStartOffset: -1,
            batches: [],
          },
        ],
      }),
      send('r', fetch({ partition: 9 }), {
        partitions: [{ partition: 9, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION', highWatermark: -1 }],
      }),
      send('r', latest, { partitions: [{ errorCode: 'NONE', offset: 5, leaderEpoch: 0 }] }),
      send('r', earliest, { partitions: [{ errorCode: 'NONE', offset: 0 }] }),
      send(
        'r',
        listOffsets(-1, { partitions: [{ topic: 'out', partition: 9, currentLeaderEpoch: -1, timestamp: -1 }] }),
        {
          partitions: [{ errorCode: 'UNKNOWN_TOPIC_OR_PARTITION', offset: -1 }],
        },
      ),
    ],
  },
  {
    title: 'one answer holds so many bytes; the first partition with records always brings a batch',
    topics: { out: { kind: 'plain', partitions: 2 } },
    steps: [
      append('abc'),
      append('def'),
      control({ kind: 'append', topic: 'out', partition: 1, records: [{ key: null, value: 'z' }] }),
      send('r', fetch({}, { maxBytes: 1, partitions: [whole(1), whole(0)] }), {
        partitions: anyOrder(
          { partition: 1, batches: [{ lastOffset: 0 }] },
          { partition: 0, errorCode: 'NONE', batches: [] },
        ),
      }),
      send('r', fetch({}, { partitions: [whole(0), whole(1)] }), {
        partitions: anyOrder(
          { partition: 0, batches: [{}, {}] },
          { partition: 1, batches: [{ records: [{ key: null }] }] },
        ),
      }),
    ],
  },
  {
    title: 'metadata names partitions and their leader epochs',
    topics: { out: { kind: 'plain', partitions: 2 } },
    steps: [
      send('r', metadata('out', 'nope'), {
        topics: [
          {
            topic: 'out',
            errorCode: 'NONE',
            partitions: [
              { partition: 0, leaderEpoch: 0 },
              { partition: 1, leaderEpoch: 0 },
            ],
          },
          { topic: 'nope', errorCode: 'UNKNOWN_TOPIC_OR_PARTITION', partitions: [] },
        ],
      }),
    ],
  },
  {
    title: 'a read at the end waits for the next record, or for its time to pass',
    topics: { out: 'plain' },
    steps: [
      append('a'),
      begin('read', 'r', fetch({ fetchOffset: 1 }, { maxWaitMs: 5_000 })),
      waits('read'),
      append('b'),
      end('read', 'Fetch', { partitions: [{ errorCode: 'NONE', highWatermark: 2, batches: [{ baseOffset: 1 }] }] }),
      begin('read again', 'r', fetch({ fetchOffset: 2 }, { maxWaitMs: 400 })),
      waits('read again'),
      advance(600),
      end('read again', 'Fetch', { partitions: [{ errorCode: 'NONE', highWatermark: 2, batches: [] }] }),
    ],
  },
  {
    title: 'a read_committed read at the last stable offset waits for the end of the transaction',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE' }] }),
      append('z'),
      begin('read', 'r', fetch({}, { maxWaitMs: 5_000 })),
      waits('read'),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      end('read', 'Fetch', {
        partitions: [
          {
            lastStableOffset: 3,
            batches: [{ kind: 'data', producerId: ref('pid') }, { kind: 'data', producerId: -1 }, { kind: 'control' }],
          },
        ],
      }),
    ],
  },
  {
    title: 'an open transaction hides what others wrote after its first record',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      append('a'),
      send('p', addPartitions(), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
      append('b'),
      send('r', fetch(), { partitions: [{ highWatermark: 3, lastStableOffset: 1, batches: [{ baseOffset: 0 }] }] }),
      send('r', fetch({ fetchOffset: 2 }), { partitions: [{ errorCode: 'NONE', lastStableOffset: 1, batches: [] }] }),
      send('r', latest, { partitions: [{ offset: 1 }] }),
      send('p', endTxn(false), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetch({ fetchOffset: 1 }), {
        partitions: [{ lastStableOffset: 4, abortedTransactions: [{ producerId: ref('pid'), firstOffset: 1 }] }],
      }),
    ],
  },
  {
    title: 'I9 · aborted transactions are listed even if they begin after what one answer holds',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      append('a'),
      send('p', addPartitions(), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
      send('p', endTxn(false), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetch({ partitionMaxBytes: 1 }), {
        partitions: [
          { batches: [{ baseOffset: 0 }], abortedTransactions: [{ producerId: ref('pid'), firstOffset: 1 }] },
        ],
      }),
    ],
  },
]

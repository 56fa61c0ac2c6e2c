/**
 * Logs that do not begin at 0 and are not dense: deleted records and compaction (Fetch v12, DeleteRecords).
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, control, ref, type Script, type Step, save, send, startsWith } from '../script.ts'
import { fetch, initProducer, listOffsets, produce } from './say.ts'

function append(values: string): Step {
  return control({
    kind: 'append',
    topic: 'out',
    partition: 0,
    records: [...values].map((value) => ({ key: value, value })),
  })
}

export const holes: readonly Script[] = [
  {
    title: 'records before a point can be deleted: the log starts later, inside a batch too',
    topics: { out: 'plain' },
    steps: [
      append('ab'),
      append('cde'),
      control({ kind: 'deleteRecordsBefore', topic: 'out', partition: 0, offset: 3 }),
      send('r', fetch({ fetchOffset: 0 }), { partitions: [{ errorCode: 'OFFSET_OUT_OF_RANGE' }] }),
      send('r', fetch({ fetchOffset: 2 }), { partitions: [{ errorCode: 'OFFSET_OUT_OF_RANGE' }] }),
      send('r', fetch({ fetchOffset: 3 }), {
        partitions: [
          {
            errorCode: 'NONE',
            logStartOffset: 3,
            batches: [{ baseOffset: 2, lastOffset: 4, records: [{ offset: 2 }, { offset: 3 }, { offset: 4 }] }],
          },
        ],
      }),
      send('r', listOffsets(-2), { partitions: [{ offset: 3 }] }),
      send('r', listOffsets(-1), { partitions: [{ offset: 5 }] }),
    ],
  },
  {
    title: 'compaction leaves holes; a batch keeps its last offset',
    topics: { out: 'compacted' },
    steps: [
      append('abc'),
      append('de'),
      append('bdc'),
      append('e'),
      advance(1_000),
      append('f'),
      control({ kind: 'compact', topic: 'out', partition: 0, offsets: [1, 2, 3, 4] }),
      send('r', fetch({ fetchOffset: 1 }), {
        partitions: [
          {
            errorCode: 'NONE',
            highWatermark: 10,
            logStartOffset: 0,
            batches: startsWith(
              { baseOffset: 0, lastOffset: 2, records: [{ offset: 0, key: 'a' }] },
              { baseOffset: 5, lastOffset: 7, records: [{ offset: 5 }, { offset: 6 }, { offset: 7 }] },
              { baseOffset: 8, lastOffset: 8 },
            ),
          },
        ],
      }),
      send('r', fetch({ fetchOffset: 3 }), {
        partitions: [{ batches: startsWith({ baseOffset: 5 }, { baseOffset: 8 }) }],
      }),
    ],
  },
  {
    title: 'compaction keeps the last batch of a producer, even without records: its sequence number is needed',
    topics: { out: 'compacted' },
    steps: [
      send('p', initProducer({ transactionalId: null }), {
        errorCode: 'NONE',
        producerId: save('pid'),
        producerEpoch: save('epoch'),
      }),
      send('p', produce(['x', 'x'], {}, null), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['x', 'x'], { baseSequence: 2 }, null), { partitions: [{ errorCode: 'NONE', baseOffset: 2 }] }),
      append('k'),
      advance(1_000),
      append('f'),
      control({ kind: 'compact', topic: 'out', partition: 0, offsets: [0, 1, 2, 3] }),
      send('r', fetch(), {
        partitions: [
          {
            batches: startsWith(
              { baseOffset: 2, lastOffset: 3, producerId: ref('pid'), records: [] },
              { baseOffset: 4, lastOffset: 4 },
            ),
          },
        ],
      }),
      send('p', produce(['x', 'x'], { baseSequence: 2 }, null), { partitions: [{ errorCode: 'NONE', baseOffset: 2 }] }),
    ],
  },
]

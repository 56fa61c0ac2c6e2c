/**
 * The explicit transaction flow: InitProducerId v5, AddPartitionsToTxn v3, EndTxn v4, Produce v11.
 * Verified on Apache Kafka 4.1.1.
 */
import { ref, type Script, save, send } from '../script.ts'
import { addOffsets, addPartitions, endTxn, fetch, initProducer, listOffsets, produce } from './say.ts'
import { freshProducer, markersWritten } from './steps.ts'

const added = { partitions: [{ topic: 'out', partition: 0, errorCode: 'NONE' }] } as const
const data = { kind: 'data' } as const

export const transactions: readonly Script[] = [
  {
    title: 'I9 · a committed transaction is read up to its marker, and nothing of it before the end',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), added),
      send('p', produce(['x', 'y']), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('r', fetch(), {
        partitions: [
          { errorCode: 'NONE', highWatermark: 2, lastStableOffset: 0, abortedTransactions: [], batches: [] },
        ],
      }),
      send('r', fetch({}, { isolationLevel: 'read_uncommitted' }), {
        partitions: [{ highWatermark: 2, lastStableOffset: 0, abortedTransactions: null, batches: [data] }],
      }),
      send('r', listOffsets(-1), { partitions: [{ errorCode: 'NONE', offset: 0 }] }),
      send('r', listOffsets(-1, { isolationLevel: 'read_uncommitted' }), { partitions: [{ offset: 2 }] }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetch(), {
        partitions: [
          {
            highWatermark: 3,
            lastStableOffset: 3,
            abortedTransactions: [],
            batches: [
              {
                kind: 'data',
                baseOffset: 0,
                lastOffset: 1,
                producerId: ref('pid'),
                producerEpoch: ref('epoch'),
                baseSequence: 0,
                isTransactional: true,
                records: [
                  { offset: 0, key: 'k', value: 'x' },
                  { offset: 1, key: 'k', value: 'y' },
                ],
              },
              { kind: 'control', type: 'COMMIT', baseOffset: 2, lastOffset: 2, producerId: ref('pid') },
            ],
          },
        ],
      }),
    ],
  },
  {
    title: 'I9 · an aborted transaction is listed, so that the reader can skip it',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), added),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['y'], { baseSequence: 1 }), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
      send('p', endTxn(false), { errorCode: 'NONE' }),
      markersWritten,
      send('p', addPartitions(), added),
      send('p', produce(['z'], { baseSequence: 2 }), { partitions: [{ errorCode: 'NONE', baseOffset: 3 }] }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetch(), {
        partitions: [
          {
            lastStableOffset: 5,
            abortedTransactions: [{ producerId: ref('pid'), firstOffset: 0 }],
            batches: [data, data, { kind: 'control', type: 'ABORT' }, data, { kind: 'control', type: 'COMMIT' }],
          },
        ],
      }),
      send('r', fetch({ fetchOffset: 1 }), {
        partitions: [{ abortedTransactions: [{ producerId: ref('pid'), firstOffset: 0 }] }],
      }),
      send('r', fetch({ fetchOffset: 3 }), {
        partitions: [{ abortedTransactions: [], batches: [data, { kind: 'control' }] }],
      }),
    ],
  },
  {
    title: 'the end of a transaction can be asked for again, but not turned around',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', endTxn(true), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', endTxn(false), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', addPartitions(), added),
      send('p', addPartitions(), added),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('p', endTxn(false), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', addPartitions(), added),
      send('p', endTxn(false), { errorCode: 'NONE' }),
      markersWritten,
      send('p', endTxn(false), { errorCode: 'NONE' }),
      send('p', endTxn(true), { errorCode: 'INVALID_TXN_STATE' }),
    ],
  },
  {
    title: 'a partition that was not added cannot be written; nothing is after the end either',
    topics: { out: { kind: 'plain', partitions: 2 } },
    steps: [
      ...freshProducer(),
      send('p', produce(['x']), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE', baseOffset: -1 }] }),
      send('p', addPartitions(), added),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['x'], { partition: 1 }), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('p', produce(['x']), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
      send('p', produce(['late'], { baseSequence: 1 }), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
    ],
  },
  {
    title: 'a write that was refused keeps its place: the next one cannot take it',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', produce(['a']), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
      send('p', addPartitions(), added),
      send('p', produce(['b'], { baseSequence: 1 }), { partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }] }),
      send('p', produce(['a']), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['b'], { baseSequence: 1 }), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
    ],
  },
  {
    title: 'a partition that does not exist cannot be added, and then none is',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send(
        'p',
        addPartitions({
          partitions: [
            { topic: 'out', partition: 0 },
            { topic: 'nope', partition: 0 },
          ],
        }),
        {
          partitions: [
            { topic: 'out', errorCode: 'OPERATION_NOT_ATTEMPTED' },
            { topic: 'nope', errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' },
          ],
        },
      ),
      send('p', endTxn(true), { errorCode: 'INVALID_TXN_STATE' }),
    ],
  },
  {
    title: 'a producer id that is not the one of the transactional id',
    topics: { out: 'plain' },
    steps: [
      send('p', addPartitions({ producerId: 999_999_999, producerEpoch: 0 }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_ID_MAPPING' }],
      }),
      send('p', addOffsets({ producerId: 999_999_999, producerEpoch: 0 }), {
        errorCode: 'INVALID_PRODUCER_ID_MAPPING',
      }),
      send('p', endTxn(true, { producerId: 999_999_999, producerEpoch: 0 }), {
        errorCode: 'INVALID_PRODUCER_ID_MAPPING',
      }),
      ...freshProducer(),
      send('p', addPartitions({ producerId: ref('pid', 1_000_000) }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_ID_MAPPING' }],
      }),
      send('p', addOffsets({ producerId: ref('pid', 1_000_000) }), { errorCode: 'INVALID_PRODUCER_ID_MAPPING' }),
      send('p', endTxn(true, { producerId: ref('pid', 1_000_000) }), { errorCode: 'INVALID_PRODUCER_ID_MAPPING' }),
      send('p', produce(['x'], { producerId: ref('pid', 1_000_000) }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_ID_MAPPING' }],
      }),
    ],
  },
  {
    title: 'an idempotent producer gets a new id each time',
    steps: [
      send('p', initProducer({ transactionalId: null }), {
        errorCode: 'NONE',
        producerId: save('one'),
        producerEpoch: 0,
      }),
      send('p', initProducer({ transactionalId: null }), {
        errorCode: 'NONE',
        producerId: save('two'),
        producerEpoch: 0,
      }),
      send('p', initProducer({ transactionTimeoutMs: 0 }), {
        errorCode: 'INVALID_TRANSACTION_TIMEOUT',
        producerId: -1,
      }),
      send('p', initProducer({ transactionTimeoutMs: 900_001 }), { errorCode: 'INVALID_TRANSACTION_TIMEOUT' }),
    ],
  },
]

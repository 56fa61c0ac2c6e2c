/**
 * Who may go on with a transactional id: epochs, zombies, timeouts.
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, ref, type Script, save, send } from '../script.ts'
import { addOffsets, addPartitions, commitInTxn, endTxn, fetch, initProducer, produce } from './say.ts'
import { freshProducer, markersWritten } from './steps.ts'

const added = { partitions: [{ errorCode: 'NONE' }] } as const
const own = { producerId: ref('pid'), producerEpoch: ref('epoch') }

export const fencing: readonly Script[] = [
  {
    title: 'X8 · a new instance raises the epoch; the old one is fenced everywhere',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer(),
      send('q', initProducer(), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: ref('epoch', 1) }),
      send('p', addPartitions(), { partitions: [{ errorCode: 'PRODUCER_FENCED' }] }),
      send('p', addOffsets(), { errorCode: 'PRODUCER_FENCED' }),
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
      send('p', endTxn(false), { errorCode: 'PRODUCER_FENCED' }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', initProducer(own), { errorCode: 'PRODUCER_FENCED', producerId: -1, producerEpoch: -1 }),
    ],
  },
  {
    title: 'X8 · a new instance aborts what the old one left open, and is told to ask again',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), added),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'NONE' }] }),
      send('q', initProducer(), { errorCode: 'CONCURRENT_TRANSACTIONS', producerId: -1, producerEpoch: -1 }),
      markersWritten,
      send('p', produce(['y'], { baseSequence: 1 }), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
      send('q', initProducer(), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: save('epoch2') }),
      send('r', fetch(), {
        partitions: [
          {
            lastStableOffset: 2,
            abortedTransactions: [{ producerId: ref('pid'), firstOffset: 0 }],
            batches: [{ kind: 'data' }, { kind: 'control', type: 'ABORT', producerEpoch: save('marker') }],
          },
        ],
      }),
      send('q', addPartitions({ producerEpoch: ref('epoch2') }), added),
      send('q', produce(['z'], { producerEpoch: ref('epoch2'), baseSequence: 1 }), {
        partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }],
      }),
      send('q', produce(['z'], { producerEpoch: ref('epoch2') }), {
        partitions: [{ errorCode: 'NONE', baseOffset: 2 }],
      }),
      send('p', produce(['y'], { baseSequence: 1 }), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('q', endTxn(true, { producerEpoch: ref('epoch2') }), { errorCode: 'NONE' }),
    ],
  },
  {
    title: 'a producer raises its own epoch after an error, and may repeat that request',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', initProducer(own), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: ref('epoch', 1) }),
      send('p', initProducer(own), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: ref('epoch', 1) }),
      send('p', initProducer({ producerId: ref('pid'), producerEpoch: ref('epoch', 1) }), {
        errorCode: 'NONE',
        producerEpoch: ref('epoch', 2),
      }),
      send('p', initProducer(own), { errorCode: 'PRODUCER_FENCED' }),
      send('p', initProducer({ producerId: ref('pid', 1_000_000), producerEpoch: 0 }), {
        errorCode: 'PRODUCER_FENCED',
      }),
    ],
  },
  {
    title: 'a transaction that takes too long is aborted and its producer fenced (800 ms)',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer({ transactionTimeoutMs: 800 }),
      send('p', addPartitions(), added),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NONE' }] }),
      advance(1500),
      markersWritten,
      send('r', fetch(), {
        partitions: [{ lastStableOffset: 2, batches: [{ kind: 'data' }, { kind: 'control', type: 'ABORT' }] }],
      }),
      send('p', produce(['y'], { baseSequence: 1 }), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', addPartitions(), { partitions: [{ errorCode: 'PRODUCER_FENCED' }] }),
      send('p', addOffsets(), { errorCode: 'PRODUCER_FENCED' }),
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
      send('p', endTxn(false), { errorCode: 'PRODUCER_FENCED' }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', initProducer(own), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: ref('epoch', 1) }),
      send('q', initProducer(), { errorCode: 'NONE', producerId: ref('pid'), producerEpoch: ref('epoch', 2) }),
    ],
  },
  {
    title: 'the timeout counts from the first partition, not from the last request (900 ms)',
    topics: { out: { kind: 'plain', partitions: 2 } },
    steps: [
      ...freshProducer({ transactionTimeoutMs: 900 }),
      advance(1200),
      send('p', addPartitions(), added),
      advance(600),
      send('p', addPartitions({ partitions: [{ topic: 'out', partition: 1 }] }), added),
      advance(800),
      markersWritten,
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
    ],
  },
  {
    title: 'X8 · a zombie that raises its own epoch aborts the transaction of its successor, and is fenced then',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: ref('epoch', 1) }),
      send('q', addPartitions({ producerEpoch: ref('epoch', 1) }), added),
      send('p', initProducer(own), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      markersWritten,
      send('p', initProducer(own), { errorCode: 'PRODUCER_FENCED' }),
      send('q', endTxn(true, { producerEpoch: ref('epoch', 1) }), { errorCode: 'PRODUCER_FENCED' }),
      send('p', initProducer({ producerId: ref('pid', 1_000_000), producerEpoch: 0 }), {
        errorCode: 'PRODUCER_FENCED',
      }),
    ],
  },
  {
    title: 'X8 · an end that arrives a second time ends the next transaction too',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), added),
      send('p', produce(['one']), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('p', addPartitions(), added),
      send('p', produce(['two'], { baseSequence: 1 }), { partitions: [{ errorCode: 'NONE' }] }),
      send('late', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetch(), { partitions: [{ lastStableOffset: 4, abortedTransactions: [] }] }),
      send('p', endTxn(false), { errorCode: 'INVALID_TXN_STATE' }),
    ],
  },
]

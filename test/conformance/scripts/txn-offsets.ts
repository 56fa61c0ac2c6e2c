/**
 * Offsets in a transaction: AddOffsetsToTxn v4, TxnOffsetCommit v4, and what OffsetFetch shows meanwhile.
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, begin, ref, type Script, save, send } from '../script.ts'
import {
  addOffsets,
  addPartitions,
  commit,
  commitInTxn,
  endTxn,
  fetchOffsets,
  heartbeat,
  initProducer,
  join,
  position,
} from './say.ts'
import { bothSync, freshProducer, markersWritten, soloGroup } from './steps.ts'

const ok = { partitions: [{ errorCode: 'NONE' }] } as const
const unstable = { partitions: [{ errorCode: 'UNSTABLE_OFFSET_COMMIT', committedOffset: -1, metadata: '' }] } as const

export const txnOffsets: readonly Script[] = [
  {
    title: 'offsets in a transaction show when it is committed; until then a stable read is refused',
    topics: { in: { kind: 'plain', partitions: 2 } },
    steps: [
      ...freshProducer(),
      send('x', commit({ partitions: [position(3, 'old')] }), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('r', fetchOffsets(), { partitions: [{ committedOffset: 3 }] }),
      send('p', commitInTxn(), ok),
      send('r', fetchOffsets(), { errorCode: 'NONE', ...unstable }),
      send('r', fetchOffsets({ requireStable: false }), { partitions: [{ errorCode: 'NONE', committedOffset: 3 }] }),
      send('r', fetchOffsets({ partitions: [{ topic: 'in', partition: 1 }] }), {
        partitions: [{ errorCode: 'NONE', committedOffset: -1 }],
      }),
      send('p', commitInTxn({ partitions: [position(8, 'eight'), position(9, 'nine', 'in', 1)] }), {
        partitions: [{ errorCode: 'NONE' }, { errorCode: 'NONE' }],
      }),
      send('r', fetchOffsets({ partitions: null }), {
        partitions: [{ partition: 0, errorCode: 'UNSTABLE_OFFSET_COMMIT', committedOffset: -1 }],
      }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: 8, metadata: 'eight' }] }),
    ],
  },
  {
    title: 'offsets in an aborted transaction never show',
    topics: { in: 'plain' },
    steps: [
      ...freshProducer(),
      send('x', commit({ partitions: [position(3, 'old')] }), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn(), ok),
      send('p', endTxn(false), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: 3, metadata: 'old' }] }),
    ],
  },
  {
    title: 'a plain commit after one in a transaction stays, although the transaction is committed later',
    topics: { in: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn({ partitions: [position(7, 'in txn')] }), ok),
      send('x', commit({ partitions: [position(4, 'plain')] }), ok),
      send('r', fetchOffsets(), unstable),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: 4, metadata: 'plain' }] }),
    ],
  },
  {
    title: 'offsets need AddOffsetsToTxn first, and the right producer',
    topics: { in: 'plain' },
    steps: [
      send('p', commitInTxn({ producerId: 999_999_999, producerEpoch: 0 }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_ID_MAPPING' }],
      }),
      ...freshProducer(),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
      send('p', commitInTxn({ producerId: ref('pid', 1_000_000) }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_ID_MAPPING' }],
      }),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn({ partitions: [position(1, 'x'.repeat(4097))] }), {
        partitions: [{ errorCode: 'OFFSET_METADATA_TOO_LARGE' }],
      }),
      send('p', commitInTxn({ partitions: [position(1, 'm', 'nope'), position(2)] }), {
        partitions: [
          { topic: 'nope', errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' },
          { topic: 'in', errorCode: 'NONE' },
        ],
      }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      markersWritten,
      send('p', commitInTxn(), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
    ],
  },
  {
    title: 'X8 · the group fences offsets in a transaction by member and generation, not by its state',
    topics: { in: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn({ memberId: 'a', generationId: 1 }), { partitions: [{ errorCode: 'ILLEGAL_GENERATION' }] }),
      ...soloGroup(),
      send('p', commitInTxn({ memberId: ref('a'), generationId: 1 }), ok),
      send('p', commitInTxn({ memberId: ref('a'), generationId: 0 }), {
        partitions: [{ errorCode: 'ILLEGAL_GENERATION' }],
      }),
      send('p', commitInTxn({ memberId: 'nobody', generationId: 1 }), {
        partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }],
      }),
      send('p', commitInTxn(), ok),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('p', commitInTxn({ memberId: ref('a'), generationId: 1 }), ok),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
      send('p', commitInTxn({ memberId: ref('a'), generationId: 1 }), {
        partitions: [{ errorCode: 'ILLEGAL_GENERATION' }],
      }),
      send('p', commitInTxn({ memberId: ref('a'), generationId: 2 }), ok),
      ...bothSync(),
      send('p', commitInTxn({ memberId: ref('b'), generationId: 2 }), ok),
    ],
  },
  {
    title: 'the transaction of a zombie cannot end after its offsets were refused and its id taken over',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn(), ok),
      send('q', initProducer(), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      markersWritten,
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: -1 }] }),
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: save('epoch2') }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: -1 }] }),
    ],
  },
  {
    title: 'offsets of a transaction that takes too long become stable again, as they were (800 ms)',
    topics: { in: 'plain' },
    steps: [
      ...freshProducer({ transactionTimeoutMs: 800 }),
      send('x', commit({ partitions: [position(3, 'old')] }), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn(), ok),
      send('r', fetchOffsets(), unstable),
      advance(1_500),
      markersWritten,
      send('r', fetchOffsets(), { partitions: [{ errorCode: 'NONE', committedOffset: 3, metadata: 'old' }] }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
    ],
  },
]

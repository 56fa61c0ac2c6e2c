/**
 * Idempotence and the other reasons to refuse a batch (Produce v11, acks=all).
 * Verified on Apache Kafka 4.1.1.
 */
import { ref, type Script, save, send } from '../script.ts'
import { initProducer, produce } from './say.ts'

const idempotent = send('p', initProducer({ transactionalId: null }), {
  errorCode: 'NONE',
  producerId: save('pid'),
  producerEpoch: save('epoch'),
})
const none: string | null = null
const plain = { producerId: -1, producerEpoch: -1, baseSequence: -1 }

export const producing: readonly Script[] = [
  {
    title: 'a batch sent twice is stored once, and answered with the offset of the first',
    topics: { out: 'plain' },
    steps: [
      idempotent,
      send('p', produce(['a', 'b'], {}, none), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['a', 'b'], {}, none), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['c'], { baseSequence: 2 }, none), { partitions: [{ errorCode: 'NONE', baseOffset: 2 }] }),
      send('p', produce(['a', 'b'], {}, none), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['e'], { baseSequence: 4 }, none), {
        partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER', baseOffset: -1 }],
      }),
      send('p', produce(['b'], { baseSequence: 1 }, none), {
        partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }],
      }),
      send('p', produce(['d'], { baseSequence: 3 }, none), { partitions: [{ errorCode: 'NONE', baseOffset: 3 }] }),
    ],
  },
  {
    title: 'only the last five batches of a producer are remembered',
    topics: { out: 'plain' },
    steps: [
      idempotent,
      ...[0, 1, 2, 3, 4, 5].map((n) =>
        send('p', produce(['x'], { baseSequence: n }, none), { partitions: [{ errorCode: 'NONE', baseOffset: n }] }),
      ),
      send('p', produce(['x'], { baseSequence: 1 }, none), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
      send('p', produce(['x'], { baseSequence: 0 }, none), {
        partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }],
      }),
    ],
  },
  {
    title: 'a producer that the partition has never seen may begin with any number; a new epoch begins with 0',
    topics: { out: 'plain' },
    steps: [
      idempotent,
      send('p', produce(['x'], { baseSequence: 7 }, none), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['x'], { baseSequence: 8, producerEpoch: ref('epoch', 1) }, none), {
        partitions: [{ errorCode: 'OUT_OF_ORDER_SEQUENCE_NUMBER' }],
      }),
      send('p', produce(['x'], { producerEpoch: ref('epoch', 1) }, none), { partitions: [{ errorCode: 'NONE' }] }),
      send('p', produce(['x'], { baseSequence: 8 }, none), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
    ],
  },
  {
    title: 'a batch above the limit of 1,048,588 bytes is refused',
    topics: { out: 'plain' },
    steps: [
      send('p', produce(['x'.repeat(1_048_600)], plain, none), {
        partitions: [{ errorCode: 'MESSAGE_TOO_LARGE', baseOffset: -1 }],
      }),
      send('p', produce(['x'.repeat(1_000_000)], plain, none), { partitions: [{ errorCode: 'NONE', baseOffset: 0 }] }),
      send('p', produce(['y'], plain, none), { partitions: [{ errorCode: 'NONE', baseOffset: 1 }] }),
    ],
  },
  {
    title: 'a partition that does not exist cannot be written',
    topics: { out: 'plain' },
    steps: [
      send('p', produce(['x'], { ...plain, partition: 9 }, none), {
        partitions: [{ partition: 9, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION', baseOffset: -1 }],
      }),
    ],
  },
]

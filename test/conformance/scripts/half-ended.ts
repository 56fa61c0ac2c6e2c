/**
 * Between the decision of a transaction and its markers: the state that a slow or unreachable broker stretches out.
 * Verified on Apache Kafka 4.1.1.
 */
import { control, ref, type Script, type Step, save, send } from '../script.ts'
import { addOffsets, addPartitions, commitInTxn, endTxn, fetch, fetchOffsets, initProducer, produce } from './say.ts'
import { freshProducer, markersWritten } from './steps.ts'

const far = { topic: 'far', partition: 0 }
const both = { partitions: [{ topic: 'out', partition: 0 }, far] }
const ok = { partitions: [{ errorCode: 'NONE' }] } as const
const holdFar = control({ kind: 'holdMarkers', of: { topic: 'far' } })
const release = control({ kind: 'releaseMarkers' })
const own = { producerId: ref('pid'), producerEpoch: ref('epoch') }
const stranger = { producerId: ref('pid', 1_000_000) }
const zombie = { producerEpoch: ref('epoch', 1) }
const busy = { errorCode: 'CONCURRENT_TRANSACTIONS' } as const

/** A transaction with a record in `out` and one in `far`, whose marker is held back. */
const open: readonly Step[] = [
  ...freshProducer(),
  send('p', addPartitions(both), { partitions: [{ errorCode: 'NONE' }, { errorCode: 'NONE' }] }),
  send('p', produce(['x']), ok),
  send('p', produce(['x'], { topic: 'far' }), ok),
  holdFar,
]

/** Adding asks first whether an end is under way; ending and writing ask first who it is. */
const everybodyWaits: readonly Step[] = [
  send('p', addPartitions(), { partitions: [busy] }),
  send('p', addOffsets(), busy),
  send('p', endTxn(true), busy),
  send('p', endTxn(false), busy),
  send('p', initProducer(own), busy),
  send('q', initProducer(), busy),
  send('p', commitInTxn(), { partitions: [busy] }),
  send('s', addPartitions(stranger), { partitions: [busy] }),
  send('s', endTxn(true, stranger), { errorCode: 'INVALID_PRODUCER_ID_MAPPING' }),
  send('z', addPartitions(zombie), { partitions: [busy] }),
  send('z', addOffsets(zombie), busy),
  send('z', endTxn(true, zombie), { errorCode: 'PRODUCER_FENCED' }),
  send('z', commitInTxn(zombie), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
]

const farStable = (lastStableOffset: number) =>
  send('r', fetch({ topic: 'far' }), { partitions: [{ lastStableOffset }] })

export const halfEnded: readonly Script[] = [
  {
    title: 'until the markers of a commit are written, everything must wait',
    topics: { in: 'plain', out: 'plain', far: 'far' },
    steps: [
      ...open,
      send('p', endTxn(true), { errorCode: 'NONE' }),
      ...everybodyWaits,
      farStable(0),
      release,
      farStable(2),
      send('p', endTxn(false), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: ref('epoch', 1) }),
    ],
  },
  {
    title: 'until the markers of an abort are written, everything must wait',
    topics: { in: 'plain', out: 'plain', far: 'far' },
    steps: [
      ...open,
      send('p', endTxn(false), { errorCode: 'NONE' }),
      ...everybodyWaits,
      farStable(0),
      release,
      farStable(2),
      send('p', addPartitions(), ok),
    ],
  },
  {
    title: 'I9 · a late write before the marker of its partition joins the ended transaction; after it, not',
    topics: { out: 'plain', far: 'far' },
    steps: [
      ...open,
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('p', produce(['late'], { topic: 'far', baseSequence: 1 }), ok),
      release,
      farStable(3),
      send('p', produce(['later'], { topic: 'far', baseSequence: 2 }), {
        partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }],
      }),
    ],
  },
  {
    title: 'X8 · a fenced producer while the abort of its transaction is not yet written, and after',
    topics: { in: 'plain', out: 'plain', far: 'far' },
    steps: [
      ...open,
      send('q', initProducer(), busy),
      send('q', initProducer(), busy),
      send('p', addPartitions(), { partitions: [busy] }),
      send('p', addOffsets(), busy),
      send('p', endTxn(true), { errorCode: 'PRODUCER_FENCED' }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }] }),
      send('p', produce(['late'], { topic: 'far', baseSequence: 1 }), ok),
      send('p', initProducer(own), busy),
      release,
      send('r', fetch({ topic: 'far' }), {
        partitions: [
          {
            abortedTransactions: [{ producerId: ref('pid'), firstOffset: 0 }],
            batches: [{}, {}, { kind: 'control', type: 'ABORT', producerEpoch: ref('epoch', 1) }],
          },
        ],
      }),
      send('p', produce(['later'], { topic: 'far', baseSequence: 2 }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }],
      }),
      send('p', addPartitions(), { partitions: [{ errorCode: 'PRODUCER_FENCED' }] }),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: ref('epoch', 2) }),
      send('p', initProducer(own), { errorCode: 'PRODUCER_FENCED' }),
    ],
  },
  {
    title: 'X8 · a fenced producer that is faster than its successor gets the raised epoch, and is fenced again',
    topics: { out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), ok),
      send('q', initProducer(), busy),
      markersWritten,
      send('p', initProducer(own), { errorCode: 'NONE', producerEpoch: ref('epoch', 1) }),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: save('newest') }),
      send('p', addPartitions({ producerEpoch: ref('epoch', 1) }), { partitions: [{ errorCode: 'PRODUCER_FENCED' }] }),
      send('q', addPartitions({ producerEpoch: ref('newest') }), ok),
    ],
  },
  {
    title: 'X8 · offsets of a committed transaction stay unstable until the group has its marker',
    topics: { in: 'plain' },
    steps: [
      ...freshProducer(),
      control({ kind: 'moveCoordinator', of: 'group', loading: false }),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn({ node: ref('otherNode') }), ok),
      control({ kind: 'holdMarkers', of: 'group' }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('r', fetchOffsets({ node: ref('otherNode') }), { partitions: [{ errorCode: 'UNSTABLE_OFFSET_COMMIT' }] }),
      send('r', fetchOffsets({ node: ref('otherNode'), requireStable: false }), {
        partitions: [{ committedOffset: -1 }],
      }),
      release,
      send('r', fetchOffsets({ node: ref('otherNode') }), { partitions: [{ errorCode: 'NONE', committedOffset: 7 }] }),
    ],
  },
]

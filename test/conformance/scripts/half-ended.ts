/** Between the decision of a transaction and its markers: the state that a broker out of reach stretches out. */
import { control, ref, type Script, send } from '../script.ts'
import { addOffsets, addPartitions, commitInTxn, endTxn, fetch, initProducer, produce } from './say.ts'
import { freshProducer } from './steps.ts'

const far = { partitions: [{ topic: 'far', partition: 0 }] }
const ok = { partitions: [{ errorCode: 'NONE' }] } as const
const hold = control({ kind: 'holdMarkers', topic: 'far' })
const release = control({ kind: 'releaseMarkers' })

export const halfEnded: readonly Script[] = [
  {
    title: 'until the markers of a commit are written, everything must wait, and it cannot be turned around',
    topics: { in: 'plain', out: 'plain', far: 'far' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(far), ok),
      send('p', addPartitions(), ok),
      send('p', produce(['x']), ok),
      hold,
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('p', endTxn(true), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      send('p', endTxn(false), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', addPartitions(), { partitions: [{ errorCode: 'CONCURRENT_TRANSACTIONS' }] }),
      send('p', addOffsets(), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'CONCURRENT_TRANSACTIONS' }] }),
      send('q', initProducer(), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      release,
      send('r', fetch(), { partitions: [{ lastStableOffset: 2 }] }),
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('q', initProducer(), { errorCode: 'NONE', producerEpoch: ref('epoch', 1) }),
    ],
  },
  {
    title: 'until the markers of an abort are written, everything must wait',
    topics: { out: 'plain', far: 'far' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(far), ok),
      hold,
      send('p', endTxn(false), { errorCode: 'NONE' }),
      send('p', endTxn(false), { errorCode: 'CONCURRENT_TRANSACTIONS' }),
      send('p', endTxn(true), { errorCode: 'INVALID_TXN_STATE' }),
      send('p', addPartitions(), { partitions: [{ errorCode: 'CONCURRENT_TRANSACTIONS' }] }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NOT_ENOUGH_REPLICAS' }] }),
      release,
      send('p', addPartitions(), ok),
    ],
  },
  {
    title: 'a late write before the marker of its partition still joins the transaction; after it, not',
    topics: { out: 'plain', far: 'far' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(far), ok),
      send('p', addPartitions(), ok),
      send('p', produce(['x'], { topic: 'far' }), ok),
      send('p', produce(['x']), ok),
      hold,
      send('p', endTxn(true), { errorCode: 'NONE' }),
      send('p', produce(['late'], { baseSequence: 1 }), { partitions: [{ errorCode: 'NOT_ENOUGH_REPLICAS' }] }),
      release,
      send('p', produce(['late'], { baseSequence: 1 }), { partitions: [{ errorCode: 'TRANSACTION_ABORTABLE' }] }),
    ],
  },
]

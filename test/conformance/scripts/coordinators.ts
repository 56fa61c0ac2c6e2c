/**
 * Coordinators that move and load.
 * Verified on Apache Kafka 4.1.1.
 */
import { begin, control, end, ref, type Script, save, send, waits } from '../script.ts'
import {
  addOffsets,
  addPartitions,
  commit,
  commitInTxn,
  endTxn,
  fetchOffsets,
  findCoordinator,
  heartbeat,
  initProducer,
  join,
  leave,
  position,
  produce,
  sync,
} from './say.ts'
import { freshProducer, markersWritten, secondJoins, soloGroup } from './steps.ts'

const ok = { partitions: [{ errorCode: 'NONE' }] } as const
const wrong = { node: ref('otherNode') }
const wrongTxn = { node: ref('otherTxnNode') }
const notHere = { partitions: [{ errorCode: 'NOT_COORDINATOR' }] } as const
const me = [{ memberId: ref('a'), groupInstanceId: null }]
const moveGroup = control({ kind: 'moveCoordinator', of: 'group', loading: false })
const moveTxn = control({ kind: 'moveCoordinator', of: 'transaction', loading: false })

export const coordinators: readonly Script[] = [
  {
    title: 'another node says that it is not the coordinator, whatever is asked',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...soloGroup(),
      ...freshProducer(),
      send('a', join(wrong), { errorCode: 'NOT_COORDINATOR' }),
      send('a', sync({ ...wrong, memberId: ref('a') }), { errorCode: 'NOT_COORDINATOR' }),
      send('a', heartbeat({ ...wrong, memberId: ref('a') }), { errorCode: 'NOT_COORDINATOR' }),
      send('a', leave(me, wrong), { errorCode: 'NOT_COORDINATOR', members: [] }),
      send('a', commit({ ...wrong, memberId: ref('a'), generationId: 1 }), notHere),
      send('a', fetchOffsets(wrong), { errorCode: 'NOT_COORDINATOR', partitions: [] }),
      send('a', commitInTxn(wrong), notHere),
      send('p', initProducer(wrongTxn), { errorCode: 'NOT_COORDINATOR' }),
      send('p', addPartitions(wrongTxn), notHere),
      send('p', addOffsets(wrongTxn), { errorCode: 'NOT_COORDINATOR' }),
      send('p', endTxn(true, wrongTxn), { errorCode: 'NOT_COORDINATOR' }),
    ],
  },
  {
    title: 'a group coordinator that moves keeps a stable group, its members and its offsets',
    topics: { in: 'plain' },
    steps: [
      ...soloGroup(),
      send('a', commit({ memberId: ref('a'), generationId: 1, partitions: [position(6, 'six')] }), ok),
      moveGroup,
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NOT_COORDINATOR' }),
      send('a', commit({ memberId: ref('a'), generationId: 1 }), notHere),
      send('a', findCoordinator({}), { errorCode: 'NONE', nodeId: ref('otherNode') }),
      send('a', heartbeat({ ...wrong, memberId: ref('a') }), { errorCode: 'NONE' }),
      send('a', fetchOffsets(wrong), { partitions: [{ committedOffset: 6, metadata: 'six' }] }),
      send('a', sync({ ...wrong, memberId: ref('a') }), { errorCode: 'NONE', assignment: 'everything' }),
      send('a', commit({ ...wrong, memberId: ref('a'), generationId: 1 }), ok),
    ],
  },
  {
    title: 'a group coordinator that moves while members join forgets the rebalance and the new member',
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      waits('b joins'),
      moveGroup,
      end('b joins', 'JoinGroup', { errorCode: 'NOT_COORDINATOR' }),
      send('a', heartbeat({ ...wrong, memberId: ref('a') }), { errorCode: 'NONE' }),
      send('b', join({ ...wrong, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'a group coordinator that moves before the assignment goes back to the last stored generation',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      waits('b syncs'),
      moveGroup,
      end('b syncs', 'SyncGroup', { errorCode: 'NOT_COORDINATOR' }),
      send('a', heartbeat({ ...wrong, generationId: 2, memberId: ref('a') }), { errorCode: 'ILLEGAL_GENERATION' }),
      send('a', heartbeat({ ...wrong, memberId: ref('a') }), { errorCode: 'NONE' }),
      send('b', heartbeat({ ...wrong, generationId: 2, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'a transaction survives the move of both its coordinators',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', produce(['x']), ok),
      send('p', commitInTxn(), ok),
      moveTxn,
      moveGroup,
      send('p', endTxn(true), { errorCode: 'NOT_COORDINATOR' }),
      send('r', fetchOffsets(wrong), { partitions: [{ errorCode: 'UNSTABLE_OFFSET_COMMIT' }] }),
      send('p', endTxn(true, wrongTxn), { errorCode: 'NONE' }),
      markersWritten,
      send('r', fetchOffsets(wrong), { partitions: [{ errorCode: 'NONE', committedOffset: 7 }] }),
      send('p', addPartitions({ ...wrongTxn, producerEpoch: ref('epoch') }), ok),
    ],
  },
  {
    title: 'while a group coordinator loads: heartbeats are waved through, the rest must wait',
    topics: { in: 'plain' },
    steps: [
      ...soloGroup(),
      ...freshProducer(),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      control({ kind: 'moveCoordinator', of: 'group', loading: true }),
      send('a', heartbeat({ ...wrong, memberId: ref('a') }), { errorCode: 'NONE' }),
      send('a', heartbeat({ ...wrong, memberId: 'nobody' }), { errorCode: 'NONE' }),
      send('a', join({ ...wrong, memberId: ref('a') }), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('a', sync({ ...wrong, memberId: ref('a') }), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('a', leave(me, wrong), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('a', commit({ ...wrong, memberId: ref('a'), generationId: 1 }), {
        partitions: [{ errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }],
      }),
      send('a', fetchOffsets(wrong), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('p', commitInTxn(wrong), { partitions: [{ errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }] }),
      send('z', commitInTxn({ ...wrong, producerEpoch: ref('epoch', 1) }), {
        partitions: [{ errorCode: 'INVALID_PRODUCER_EPOCH' }],
      }),
      control({ kind: 'awaitLoaded' }),
      send('a', commit({ ...wrong, memberId: ref('a'), generationId: 1 }), ok),
    ],
  },
  {
    title: 'while a transaction coordinator loads, everything must wait',
    topics: { in: 'plain', out: 'plain' },
    steps: [
      ...freshProducer(),
      send('p', addPartitions(), ok),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      control({ kind: 'moveCoordinator', of: 'transaction', loading: true }),
      send('p', initProducer(wrongTxn), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('p', addPartitions(wrongTxn), { partitions: [{ errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }] }),
      send('p', addOffsets(wrongTxn), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('p', endTxn(true, wrongTxn), { errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }),
      send('p', produce(['x']), { partitions: [{ errorCode: 'NOT_ENOUGH_REPLICAS' }] }),
      send('p', commitInTxn(), { partitions: [{ errorCode: 'COORDINATOR_LOAD_IN_PROGRESS' }] }),
      control({ kind: 'awaitLoaded' }),
      send('p', produce(['x']), ok),
      send('p', commitInTxn(), ok),
      send('p', endTxn(true, wrongTxn), { errorCode: 'NONE' }),
    ],
  },
]

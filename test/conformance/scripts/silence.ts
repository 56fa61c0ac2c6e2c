/**
 * Members that fall silent: sessions and rebalances that time out. Times are real on a broker, hence the wide margins.
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, anyOrder, begin, control, end, ref, type Script, save, send, waits } from '../script.ts'
import { heartbeat, join, sync } from './say.ts'
import { bothSync, secondJoins, soloGroup } from './steps.ts'

export const silence: readonly Script[] = [
  {
    title: 'a silent member is put out after its session timeout (b: 400 ms)',
    steps: [
      ...soloGroup(),
      ...secondJoins({ sessionTimeoutMs: 400 }),
      ...bothSync(),
      advance(900),
      send('a', heartbeat({ generationId: 2, memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('a', join({ memberId: ref('a') }), {
        errorCode: 'NONE',
        generationId: 3,
        members: [{ memberId: ref('a') }],
      }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'heartbeats keep a session alive (600 ms)',
    steps: [
      ...soloGroup({ sessionTimeoutMs: 600 }),
      advance(350),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NONE' }),
      advance(350),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NONE' }),
      advance(1200),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'who has not joined again at the end of the rebalance timeout is put out (700 ms), though it heartbeats',
    steps: [
      ...soloGroup({ rebalanceTimeoutMs: 700 }),
      send('b', join({ rebalanceTimeoutMs: 700 }), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b'), rebalanceTimeoutMs: 700 })),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      waits('b joins'),
      advance(1200),
      end('b joins', 'JoinGroup', {
        errorCode: 'NONE',
        generationId: 2,
        leader: ref('b'),
        members: [{ memberId: ref('b') }],
      }),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'who has not asked for its assignment at the end of the rebalance timeout is put out (700 ms)',
    steps: [
      ...soloGroup({ rebalanceTimeoutMs: 700 }),
      ...secondJoins({ rebalanceTimeoutMs: 700 }, { rebalanceTimeoutMs: 700 }),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      waits('b syncs'),
      advance(1200),
      end('b syncs', 'SyncGroup', { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', heartbeat({ generationId: 2, memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 3, leader: ref('b') }),
    ],
  },
  {
    title: 'a member that waits for its assignment needs no heartbeats (b: 300 ms)',
    steps: [
      ...soloGroup(),
      ...secondJoins({ sessionTimeoutMs: 300 }),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      advance(700),
      waits('b syncs'),
      send('a', sync({ generationId: 2, memberId: ref('a'), assignments: [{ memberId: ref('b'), assignment: 'b' }] }), {
        errorCode: 'NONE',
        assignment: null,
      }),
      end('b syncs', 'SyncGroup', { errorCode: 'NONE', assignment: 'b' }),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'NONE' }),
      advance(1_000),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'a member that falls silent during a rebalance does not hold it up beyond its session (a: 500 ms)',
    steps: [
      ...soloGroup({ sessionTimeoutMs: 500 }),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      waits('b joins'),
      advance(1_000),
      end('b joins', 'JoinGroup', {
        errorCode: 'NONE',
        generationId: 2,
        leader: ref('b'),
        members: [{ memberId: ref('b') }],
      }),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'a leader that falls silent before it assigns is put out, and the others join again (a: 600 ms)',
    steps: [
      ...soloGroup({ sessionTimeoutMs: 600 }),
      ...secondJoins({}, { sessionTimeoutMs: 600 }),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      waits('b syncs'),
      advance(1_200),
      end('b syncs', 'SyncGroup', { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', sync({ generationId: 2, memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 3, leader: ref('b') }),
    ],
  },
  {
    title: 'a static member that does not join again stays in the group, but does not lead it (700 ms)',
    steps: [
      send('a', join({ groupInstanceId: 'one', rebalanceTimeoutMs: 700 }), { errorCode: 'NONE', memberId: save('a') }),
      send('a', sync({ groupInstanceId: 'one', memberId: ref('a') }), { errorCode: 'NONE' }),
      send('b', join({ rebalanceTimeoutMs: 700 }), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b'), rebalanceTimeoutMs: 700 })),
      waits('b joins'),
      advance(1_100),
      end('b joins', 'JoinGroup', {
        errorCode: 'NONE',
        generationId: 2,
        leader: ref('b'),
        members: anyOrder({ memberId: ref('a'), groupInstanceId: 'one' }, { memberId: ref('b') }),
      }),
      send('a', heartbeat({ groupInstanceId: 'one', memberId: ref('a') }), { errorCode: 'ILLEGAL_GENERATION' }),
    ],
  },
  {
    title: 'a coordinator that moves gives everybody a new session (4 s)',
    steps: [
      ...soloGroup({ sessionTimeoutMs: 4_000 }),
      advance(2_500),
      control({ kind: 'moveCoordinator', of: 'group', loading: false }),
      advance(2_500),
      send('a', heartbeat({ node: ref('otherNode'), memberId: ref('a') }), { errorCode: 'NONE' }),
      advance(4_600),
      send('a', heartbeat({ node: ref('otherNode'), memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
]

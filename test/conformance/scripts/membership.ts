/** Heartbeats, sync, leaving, and what happens to members that fall silent (Heartbeat v4, SyncGroup v5, LeaveGroup v5). */
import { advance, begin, end, ref, type Script, save, send, waits } from '../script.ts'
import { calmMs, heartbeat, join, leave, sync } from './say.ts'
import { bothSync, secondJoins, soloGroup } from './steps.ts'

export const membership: readonly Script[] = [
  {
    title: 'a heartbeat is judged by member first, then by generation',
    steps: [
      send('x', heartbeat({ memberId: 'nobody' }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      ...soloGroup(),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NONE' }),
      send('a', heartbeat({ memberId: ref('a'), generationId: 0 }), { errorCode: 'ILLEGAL_GENERATION' }),
      send('a', heartbeat({ memberId: ref('a'), generationId: 2 }), { errorCode: 'ILLEGAL_GENERATION' }),
      send('a', heartbeat({ memberId: 'nobody', generationId: 7 }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      ...secondJoins(),
      send('b', heartbeat({ memberId: ref('b'), generationId: 2 }), { errorCode: 'NONE' }),
      send('b', heartbeat({ memberId: ref('b'), generationId: 1 }), { errorCode: 'ILLEGAL_GENERATION' }),
    ],
  },
  {
    title: 'a follower waits for the assignment; who is not named gets none',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      waits('b syncs'),
      send(
        'a',
        sync({ generationId: 2, memberId: ref('a'), assignments: [{ memberId: ref('a'), assignment: 'all' }] }),
        {
          errorCode: 'NONE',
          assignment: 'all',
        },
      ),
      end('b syncs', 'SyncGroup', { errorCode: 'NONE', protocolName: 'range', assignment: null }),
      send('a', sync({ generationId: 2, memberId: ref('a') }), { errorCode: 'NONE', assignment: 'all' }),
    ],
  },
  {
    title: 'a sync is refused for a wrong member, generation, protocol, and while members are joining',
    steps: [
      send('x', sync({ memberId: 'nobody' }), { errorCode: 'UNKNOWN_MEMBER_ID', assignment: null }),
      ...soloGroup(),
      send('a', sync({ memberId: 'nobody' }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('a', sync({ memberId: ref('a'), generationId: 2 }), { errorCode: 'ILLEGAL_GENERATION' }),
      send('a', sync({ memberId: ref('a'), protocolName: 'sticky' }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL' }),
      send('a', sync({ memberId: ref('a'), protocolType: 'connect' }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL' }),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      send('a', sync({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
    ],
  },
  {
    title: 'a member that leaves makes the others join again; the last one empties the group',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      ...bothSync(),
      send('a', leave([{ memberId: ref('a'), groupInstanceId: null }]), {
        errorCode: 'NONE',
        members: [{ memberId: ref('a'), errorCode: 'NONE' }],
      }),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', heartbeat({ generationId: 2, memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 3, leader: ref('b') }),
      send('b', leave([{ memberId: ref('b'), groupInstanceId: null }]), { errorCode: 'NONE' }),
      send('b', heartbeat({ generationId: 3, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('b', leave([{ memberId: ref('b'), groupInstanceId: null }]), {
        errorCode: 'NONE',
        members: [{ errorCode: 'UNKNOWN_MEMBER_ID' }],
      }),
      send('c', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('c') }),
      send('c', join({ memberId: ref('c') }), { errorCode: 'NONE', generationId: 5 }),
    ],
  },
  {
    title: 'leaving a group that does not exist',
    steps: [
      send('x', leave([{ memberId: 'x', groupInstanceId: null }]), {
        errorCode: 'NONE',
        members: [{ memberId: 'x', errorCode: 'UNKNOWN_MEMBER_ID' }],
      }),
    ],
  },
  {
    title: 'leaving while waiting for the others to join ends the wait',
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      waits('b joins'),
      send('b2', leave([{ memberId: ref('b'), groupInstanceId: null }]), { errorCode: 'NONE' }),
      end('b joins', 'JoinGroup', { errorCode: 'UNKNOWN_MEMBER_ID', memberId: '' }),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
    ],
  },
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
      advance(calmMs / 20),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
]

/**
 * Heartbeats, assignments and leaving (Heartbeat v4, SyncGroup v5, LeaveGroup v5).
 * Verified on Apache Kafka 4.1.1.
 */
import { begin, end, ref, type Script, save, send, waits } from '../script.ts'
import { heartbeat, join, leave, sync } from './say.ts'
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
    title: 'who leaves while it waits for its assignment is never answered',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      send('b2', leave([{ memberId: ref('b'), groupInstanceId: null }]), { errorCode: 'NONE' }),
      send('a', heartbeat({ generationId: 2, memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', join({ memberId: ref('a') }), {
        errorCode: 'NONE',
        generationId: 3,
        members: [{ memberId: ref('a') }],
      }),
      waits('b syncs'),
    ],
  },
]

/**
 * Joining a group, again and anew (classic protocol, JoinGroup v9).
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, anyOrder, begin, end, ref, type Script, save, send, waits } from '../script.ts'
import { heartbeat, join, leave, sync } from './say.ts'
import { bothSync, secondJoins, soloGroup } from './steps.ts'

export const joining: readonly Script[] = [
  {
    title: 'a first member asks for an id, joins with it, leads and is assigned',
    steps: [
      send('a', join(), {
        errorCode: 'MEMBER_ID_REQUIRED',
        memberId: save('a'),
        generationId: -1,
        leader: '',
        protocolName: null,
        members: [],
      }),
      send('a', join({ memberId: ref('a') }), {
        errorCode: 'NONE',
        memberId: ref('a'),
        generationId: 1,
        protocolType: 'consumer',
        protocolName: 'range',
        leader: ref('a'),
        skipAssignment: false,
        members: [{ memberId: ref('a'), groupInstanceId: null, metadata: { topics: ['in'] } }],
      }),
      send('a', sync({ memberId: ref('a'), assignments: [{ memberId: ref('a'), assignment: { in: [0] } }] }), {
        errorCode: 'NONE',
        protocolType: 'consumer',
        protocolName: 'range',
        assignment: { in: [0] },
      }),
    ],
  },
  {
    title: 'a second member waits until the first has joined again',
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NONE' }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      waits('b joins'),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', join({ memberId: ref('a'), protocols: [{ name: 'range', metadata: 'owns left' }] }), {
        errorCode: 'NONE',
        generationId: 2,
        members: anyOrder(
          { memberId: ref('a'), metadata: 'owns left' },
          { memberId: ref('b'), metadata: { topics: ['in'] } },
        ),
      }),
      end('b joins', 'JoinGroup', { errorCode: 'NONE', generationId: 2, leader: ref('a'), members: [] }),
      ...bothSync(),
    ],
  },
  {
    title: 'in a stable group an unchanged follower gets the same generation, the leader makes a new one',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      ...bothSync(),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 2, leader: ref('a'), members: [] }),
      send('b', sync({ generationId: 2, memberId: ref('b') }), { errorCode: 'NONE', assignment: 'right' }),
      begin('a joins', 'a', join({ memberId: ref('a') })),
      waits('a joins'),
      send('b', heartbeat({ generationId: 2, memberId: ref('b') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 3 }),
      end('a joins', 'JoinGroup', { errorCode: 'NONE', generationId: 3, leader: ref('a') }),
    ],
  },
  {
    title: 'in a stable group a follower with new metadata makes a new generation',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      ...bothSync(),
      begin('b joins', 'b', join({ memberId: ref('b'), protocols: [{ name: 'range', metadata: 'other' }] })),
      waits('b joins'),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 3 }),
      end('b joins', 'JoinGroup', { errorCode: 'NONE', generationId: 3 }),
    ],
  },
  {
    title: 'while the assignment is awaited, a repeated join gets the same generation, a changed one a new one',
    steps: [
      ...soloGroup(),
      ...secondJoins(),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 2, members: [] }),
      send('a', join({ memberId: ref('a') }), {
        errorCode: 'NONE',
        generationId: 2,
        members: anyOrder({ memberId: ref('a') }, { memberId: ref('b') }),
      }),
      begin('b syncs', 'b', sync({ generationId: 2, memberId: ref('b') })),
      waits('b syncs'),
      begin('a joins', 'a', join({ memberId: ref('a'), protocols: [{ name: 'range', metadata: 'other' }] })),
      end('b syncs', 'SyncGroup', { errorCode: 'REBALANCE_IN_PROGRESS', assignment: null, protocolName: null }),
      waits('a joins'),
      send('b', join({ memberId: ref('b') }), { errorCode: 'NONE', generationId: 3 }),
      end('a joins', 'JoinGroup', { errorCode: 'NONE', generationId: 3 }),
    ],
  },
  {
    title: 'a member id that the group does not know is refused',
    steps: [
      send('a', join({ memberId: 'nobody' }), { errorCode: 'UNKNOWN_MEMBER_ID', memberId: 'nobody' }),
      ...soloGroup(),
      send('b', join({ memberId: 'nobody' }), { errorCode: 'UNKNOWN_MEMBER_ID', memberId: 'nobody', generationId: -1 }),
      send('a', leave([{ memberId: ref('a'), groupInstanceId: null }]), { errorCode: 'NONE' }),
      send('a', join({ memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'a protocol that not everybody speaks is refused; the one that all prefer is taken',
    steps: [
      send('a', join({ protocols: [] }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL', memberId: '' }),
      ...soloGroup(),
      send('b', join({ protocols: [{ name: 'sticky', metadata: 1 }] }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL' }),
      send('b', join({ protocolType: 'connect' }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL' }),
      send('a', join({ memberId: ref('a'), protocolType: 'connect' }), { errorCode: 'INCONSISTENT_GROUP_PROTOCOL' }),
      send(
        'b',
        join({
          protocols: [
            { name: 'sticky', metadata: 1 },
            { name: 'range', metadata: 2 },
          ],
        }),
        {
          errorCode: 'MEMBER_ID_REQUIRED',
          memberId: save('b'),
        },
      ),
      begin(
        'b joins',
        'b',
        join({
          memberId: ref('b'),
          protocols: [
            { name: 'sticky', metadata: 1 },
            { name: 'range', metadata: 2 },
          ],
        }),
      ),
      send('a', join({ memberId: ref('a') }), {
        errorCode: 'NONE',
        protocolName: 'range',
        members: anyOrder({ memberId: ref('a') }, { memberId: ref('b'), metadata: 2 }),
      }),
      end('b joins', 'JoinGroup', { errorCode: 'NONE', protocolName: 'range' }),
    ],
  },
  {
    title: 'a session timeout outside the limits is refused (replay brokers: 100 ms to 30 min)',
    steps: [
      send('a', join({ sessionTimeoutMs: 50 }), { errorCode: 'INVALID_SESSION_TIMEOUT' }),
      send('a', join({ sessionTimeoutMs: 1_800_001 }), { errorCode: 'INVALID_SESSION_TIMEOUT' }),
    ],
  },
  {
    title: 'an id that was given out but never used holds a rebalance up, until its session ends (300 ms)',
    steps: [
      ...soloGroup(),
      send('b', join({ sessionTimeoutMs: 300 }), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('a joins', 'a', join({ memberId: ref('a') })),
      waits('a joins'),
      advance(700),
      end('a joins', 'JoinGroup', { errorCode: 'NONE', generationId: 2, members: [{ memberId: ref('a') }] }),
      send('b', join({ memberId: ref('b') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
  {
    title: 'an id that was given out can be given back',
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('a joins', 'a', join({ memberId: ref('a') })),
      waits('a joins'),
      send('b', leave([{ memberId: ref('b'), groupInstanceId: null }]), {
        errorCode: 'NONE',
        members: [{ errorCode: 'NONE' }],
      }),
      end('a joins', 'JoinGroup', { errorCode: 'NONE', generationId: 2, members: [{ memberId: ref('a') }] }),
    ],
  },
  {
    title: 'the first rebalance of a group waits for nobody (group.initial.rebalance.delay.ms = 0)',
    steps: [
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      ...soloGroup(),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      waits('b joins'),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
      end('b joins', 'JoinGroup', { errorCode: 'NONE', generationId: 2, leader: ref('a') }),
    ],
  },
  {
    title: 'a join that is repeated while it waits is answered once, on the newer request',
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      begin('b joins again', 'b2', join({ memberId: ref('b') })),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
      end('b joins again', 'JoinGroup', { errorCode: 'NONE', generationId: 2 }),
      waits('b joins'),
    ],
  },
]

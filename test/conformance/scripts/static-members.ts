/**
 * Members with a group.instance.id: the newest instance takes the place of the older one, which is fenced.
 * Verified on Apache Kafka 4.1.1.
 */
import { begin, end, ref, type Script, save, send, waits } from '../script.ts'
import { addOffsets, commit, commitInTxn, heartbeat, join, leave, sync } from './say.ts'
import { freshProducer } from './steps.ts'

const one = { groupInstanceId: 'one' }
const two = { groupInstanceId: 'two' }
const assigned = [{ memberId: ref('a'), assignment: 'everything' }]

const staticSolo = [
  send('a', join(one), { errorCode: 'NONE', memberId: save('a'), generationId: 1, leader: ref('a'), members: [one] }),
  send('a', sync({ ...one, memberId: ref('a'), assignments: assigned }), {
    errorCode: 'NONE',
    assignment: 'everything',
  }),
]

export const staticMembers: readonly Script[] = [
  {
    title: 'a static member joins at once; a new instance takes its place without a rebalance and fences it',
    topics: { in: 'plain' },
    steps: [
      ...staticSolo,
      send('b', join(one), {
        errorCode: 'NONE',
        memberId: save('b'),
        generationId: 1,
        leader: ref('b'),
        skipAssignment: true,
        members: [{ memberId: ref('b'), groupInstanceId: 'one' }],
      }),
      send('b', sync({ ...one, memberId: ref('b') }), { errorCode: 'NONE', assignment: 'everything' }),
      send('a', heartbeat({ ...one, memberId: ref('a') }), { errorCode: 'FENCED_INSTANCE_ID' }),
      send('a', join({ ...one, memberId: ref('a') }), { errorCode: 'FENCED_INSTANCE_ID', memberId: ref('a') }),
      send('a', sync({ ...one, memberId: ref('a') }), { errorCode: 'FENCED_INSTANCE_ID' }),
      send('a', commit({ ...one, memberId: ref('a'), generationId: 1 }), {
        partitions: [{ errorCode: 'FENCED_INSTANCE_ID' }],
      }),
      send('a', leave([{ memberId: ref('a'), ...one }]), {
        errorCode: 'NONE',
        members: [{ memberId: ref('a'), ...one, errorCode: 'FENCED_INSTANCE_ID' }],
      }),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('a', heartbeat({ memberId: ref('b'), ...two }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
      send('b', commit({ ...one, memberId: ref('b'), generationId: 1 }), { partitions: [{ errorCode: 'NONE' }] }),
      send('b', heartbeat({ ...one, memberId: ref('b') }), { errorCode: 'NONE' }),
    ],
  },
  {
    title: 'a fenced static member cannot add its offsets to a transaction',
    topics: { in: 'plain' },
    steps: [
      ...staticSolo,
      send('b', join(one), { errorCode: 'NONE', memberId: save('b') }),
      ...freshProducer(),
      send('p', addOffsets(), { errorCode: 'NONE' }),
      send('p', commitInTxn({ ...one, memberId: ref('a'), generationId: 1 }), {
        partitions: [{ errorCode: 'FENCED_INSTANCE_ID' }],
      }),
      send('p', commitInTxn({ ...one, memberId: ref('b'), generationId: 1 }), { partitions: [{ errorCode: 'NONE' }] }),
    ],
  },
  {
    title: 'an instance that waits to join is told that it is fenced',
    steps: [
      ...staticSolo,
      begin('two joins', 'b', join(two)),
      waits('two joins'),
      begin('two joins anew', 'c', join(two)),
      end('two joins', 'JoinGroup', { errorCode: 'FENCED_INSTANCE_ID' }),
      waits('two joins anew'),
      send('a', join({ ...one, memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
      end('two joins anew', 'JoinGroup', { errorCode: 'NONE', generationId: 2, memberId: save('c') }),
      begin('two syncs', 'c', sync({ ...two, generationId: 2, memberId: ref('c') })),
      waits('two syncs'),
      begin('two joins again', 'd', join(two)),
      end('two syncs', 'SyncGroup', { errorCode: 'FENCED_INSTANCE_ID' }),
      waits('two joins again'),
      send('a', heartbeat({ ...one, generationId: 2, memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
    ],
  },
  {
    title: 'a static member can be put out by its instance id alone',
    steps: [
      ...staticSolo,
      send('x', leave([{ memberId: '', ...two }]), {
        errorCode: 'NONE',
        members: [{ errorCode: 'UNKNOWN_MEMBER_ID' }],
      }),
      send('x', leave([{ memberId: '', ...one }]), {
        errorCode: 'NONE',
        members: [{ memberId: '', errorCode: 'NONE' }],
      }),
      send('a', heartbeat({ ...one, memberId: ref('a') }), { errorCode: 'UNKNOWN_MEMBER_ID' }),
    ],
  },
]

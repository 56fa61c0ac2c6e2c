/**
 * Committing and reading offsets (OffsetCommit v9, OffsetFetch v9), and when the group lets a member commit.
 * Verified on Apache Kafka 4.1.1.
 */
import { advance, anyOrder, begin, ref, type Script, save, send } from '../script.ts'
import { commit, fetchOffsets, heartbeat, join, leave, position, sync } from './say.ts'
import { bothSync, secondJoins, soloGroup } from './steps.ts'

const ok = { partitions: [{ errorCode: 'NONE' }] } as const
const nothing = { committedOffset: -1, committedLeaderEpoch: -1, metadata: '', errorCode: 'NONE' } as const

export const offsets: readonly Script[] = [
  {
    title: 'what is committed comes back, offset, epoch and metadata; the last commit wins, backwards too',
    topics: { in: { kind: 'plain', partitions: 2 } },
    steps: [
      send('a', fetchOffsets(), { errorCode: 'NONE', partitions: [{ topic: 'in', partition: 0, ...nothing }] }),
      send('a', fetchOffsets({ partitions: null }), { errorCode: 'NONE', partitions: [] }),
      send('a', commit({ partitions: [position(5, 'five'), position(0, null, 'in', 1)] }), {
        partitions: [
          { topic: 'in', partition: 0, errorCode: 'NONE' },
          { topic: 'in', partition: 1, errorCode: 'NONE' },
        ],
      }),
      send(
        'a',
        fetchOffsets({
          partitions: [
            { topic: 'in', partition: 0 },
            { topic: 'in', partition: 1 },
          ],
        }),
        {
          partitions: [
            { committedOffset: 5, committedLeaderEpoch: 0, metadata: 'five', errorCode: 'NONE' },
            { committedOffset: 0, metadata: '' },
          ],
        },
      ),
      send('a', commit({ partitions: [{ ...position(3, 'three'), committedLeaderEpoch: -1 }] }), ok),
      send('a', fetchOffsets(), { partitions: [{ committedOffset: 3, committedLeaderEpoch: -1, metadata: 'three' }] }),
      send('a', fetchOffsets({ requireStable: false }), { partitions: [{ committedOffset: 3 }] }),
    ],
  },
  {
    title: 'I10 · metadata is limited to 4096 UTF-16 units, per partition: the others are stored',
    topics: { in: { kind: 'plain', partitions: 2 } },
    steps: [
      send('a', commit({ partitions: [position(1, '界'.repeat(4096)), position(2, 'x'.repeat(4097), 'in', 1)] }), {
        partitions: [{ errorCode: 'NONE' }, { errorCode: 'OFFSET_METADATA_TOO_LARGE' }],
      }),
      send(
        'a',
        fetchOffsets({
          partitions: [
            { topic: 'in', partition: 0 },
            { topic: 'in', partition: 1 },
          ],
        }),
        {
          partitions: [{ committedOffset: 1, metadata: '界'.repeat(4096) }, nothing],
        },
      ),
      send('a', commit({ partitions: [position(3, '😀'.repeat(2048))] }), ok),
      send('a', commit({ partitions: [position(4, `${'😀'.repeat(2048)}x`)] }), {
        partitions: [{ errorCode: 'OFFSET_METADATA_TOO_LARGE' }],
      }),
    ],
  },
  {
    title: 'a partition that does not exist cannot be committed; the others are stored',
    topics: { in: 'plain' },
    steps: [
      send('a', commit({ partitions: [position(1), position(2, 'm', 'in', 9), position(3, 'm', 'nope')] }), {
        partitions: anyOrder(
          { topic: 'in', partition: 0, errorCode: 'NONE' },
          { topic: 'in', partition: 9, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' },
          { topic: 'nope', partition: 0, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' },
        ),
      }),
      send('a', fetchOffsets({ partitions: [{ topic: 'nope', partition: 0 }] }), { partitions: [nothing] }),
    ],
  },
  {
    title: 'a member commits under its own generation only; outsiders only into an empty group',
    topics: { in: 'plain' },
    steps: [
      send('x', commit({ memberId: 'x', generationId: 1 }), { partitions: [{ errorCode: 'GROUP_ID_NOT_FOUND' }] }),
      send('x', commit({}), ok),
      ...soloGroup(),
      send('a', commit({ memberId: ref('a'), generationId: 1 }), ok),
      send('a', commit({ memberId: ref('a'), generationId: 0 }), { partitions: [{ errorCode: 'ILLEGAL_GENERATION' }] }),
      send('a', commit({ memberId: ref('a'), generationId: 2 }), { partitions: [{ errorCode: 'ILLEGAL_GENERATION' }] }),
      send('a', commit({ memberId: ref('a'), generationId: -1 }), {
        partitions: [{ errorCode: 'ILLEGAL_GENERATION' }],
      }),
      send('x', commit({ memberId: 'x', generationId: 1 }), { partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }] }),
      send('x', commit({}), { partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }] }),
      send('a', leave([{ memberId: ref('a'), groupInstanceId: null }]), { errorCode: 'NONE' }),
      send('a', commit({ memberId: ref('a'), generationId: 1 }), { partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }] }),
      send('x', commit({ partitions: [position(9)] }), ok),
    ],
  },
  {
    title: 'while others join, a member still commits; while the assignment is awaited, nobody does',
    topics: { in: 'plain' },
    steps: [
      ...soloGroup(),
      send('b', join(), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
      begin('b joins', 'b', join({ memberId: ref('b') })),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'REBALANCE_IN_PROGRESS' }),
      send('a', commit({ memberId: ref('a'), generationId: 1, partitions: [position(11)] }), ok),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 2 }),
      send('a', commit({ memberId: ref('a'), generationId: 2 }), {
        partitions: [{ errorCode: 'REBALANCE_IN_PROGRESS' }],
      }),
      send('a', commit({ memberId: ref('a'), generationId: 1 }), { partitions: [{ errorCode: 'ILLEGAL_GENERATION' }] }),
      ...bothSync(),
      send('b', commit({ memberId: ref('b'), generationId: 2, partitions: [position(12)] }), ok),
      send('a', fetchOffsets(), { partitions: [{ committedOffset: 12 }] }),
    ],
  },
  {
    title: 'a member that was put out cannot commit, under the old generation or the new one (b: 300 ms)',
    topics: { in: 'plain' },
    steps: [
      ...soloGroup(),
      ...secondJoins({ sessionTimeoutMs: 300 }),
      ...bothSync(),
      advance(800),
      send('b', commit({ memberId: ref('b'), generationId: 2 }), { partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }] }),
      send('a', join({ memberId: ref('a') }), { errorCode: 'NONE', generationId: 3 }),
      send('a', sync({ generationId: 3, memberId: ref('a') }), { errorCode: 'NONE' }),
      send('b', commit({ memberId: ref('b'), generationId: 3 }), { partitions: [{ errorCode: 'UNKNOWN_MEMBER_ID' }] }),
    ],
  },
  {
    title: 'a commit keeps the session alive like a heartbeat (700 ms)',
    topics: { in: 'plain' },
    steps: [
      ...soloGroup({ sessionTimeoutMs: 700 }),
      advance(400),
      send('a', commit({ memberId: ref('a'), generationId: 1 }), ok),
      advance(400),
      send('a', heartbeat({ memberId: ref('a') }), { errorCode: 'NONE' }),
    ],
  },
]

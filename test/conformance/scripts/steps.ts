/** Beginnings that many scripts share: groups of one and of two, a producer with an id. */
import { anyOrder, begin, control, end, ref, type Step, save, send } from '../script.ts'
import { initProducer, join, sync } from './say.ts'

type JoinFields = Parameters<typeof join>[0]

/** Member `a` alone in generation 1, Stable, assigned 'everything'. */
export function soloGroup(fields: JoinFields = {}): readonly Step[] {
  return [
    send('a', join(fields), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('a') }),
    send('a', join({ ...fields, memberId: ref('a') }), { errorCode: 'NONE', generationId: 1, leader: ref('a') }),
    send('a', sync({ memberId: ref('a'), assignments: [{ memberId: ref('a'), assignment: 'everything' }] }), {
      errorCode: 'NONE',
      assignment: 'everything',
    }),
  ]
}

/** After soloGroup: `b` has joined, generation 2 is waiting for the leader `a` to assign. */
export function secondJoins(fieldsOfB: JoinFields = {}, fieldsOfA: JoinFields = {}): readonly Step[] {
  return [
    send('b', join(fieldsOfB), { errorCode: 'MEMBER_ID_REQUIRED', memberId: save('b') }),
    begin('b joins', 'b', join({ ...fieldsOfB, memberId: ref('b') })),
    send('a', join({ ...fieldsOfA, memberId: ref('a') }), {
      errorCode: 'NONE',
      generationId: 2,
      leader: ref('a'),
      members: anyOrder({ memberId: ref('a') }, { memberId: ref('b') }),
    }),
    end('b joins', 'JoinGroup', { errorCode: 'NONE', generationId: 2, leader: ref('a'), members: [] }),
  ]
}

/** After secondJoins: both are assigned, generation 2 is Stable. */
export function bothSync(): readonly Step[] {
  const assignments = [
    { memberId: ref('a'), assignment: 'left' },
    { memberId: ref('b'), assignment: 'right' },
  ]
  return [
    send('a', sync({ generationId: 2, memberId: ref('a'), assignments }), { errorCode: 'NONE', assignment: 'left' }),
    send('b', sync({ generationId: 2, memberId: ref('b') }), { errorCode: 'NONE', assignment: 'right' }),
  ]
}

/** A fresh transactional producer; its id and epoch are `pid` and `epoch`. */
export function freshProducer(fields: Parameters<typeof initProducer>[0] = {}): readonly Step[] {
  return [send('p', initProducer(fields), { errorCode: 'NONE', producerId: save('pid'), producerEpoch: save('epoch') })]
}

export const markersWritten: Step = control({ kind: 'awaitMarkers' })

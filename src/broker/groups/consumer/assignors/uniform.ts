/**
 * `uniform`: every member gets as many partitions as the others, and keeps what it has where that allows it. Groups whose
 * members all want the same topics are always within one partition of each other; groups with mixed subscriptions come as
 * close to it as moving single partitions can bring them.
 */
import type { Uuid } from '../../../../protocol/types.ts'
import { add, type Partitions } from '../partitions.ts'
import type { AssignorInput, AssignorMember } from './assignor.ts'
import { assignMixed } from './uniform-mixed.ts'

export function assignUniform(input: AssignorInput): ReadonlyMap<string, Partitions> {
  if (input.topics.length === 0) return new Map(input.members.map(({ memberId }) => [memberId, new Map()]))
  return input.isHomogeneous ? assignEqual(input) : assignMixed(input)
}

interface Seat {
  readonly memberId: string
  readonly partitions: Map<Uuid, Set<number>>
  /** How many more it may get. */
  room: number
}

/** First everybody keeps what fits into its share, then what is left over fills the room that is left. */
function assignEqual({ members, topics }: AssignorInput): ReadonlyMap<string, Partitions> {
  const leftOver = unassigned(members, topics)
  const all = topics.reduce((sum, topic) => sum + topic.partitionCount, 0)
  const known = new Set(topics.map((topic) => topic.topicId))
  const share = Math.floor(all / members.length)
  let extras = all % members.length

  const seats = members.map((member, place): Seat => {
    const allowed = share + (extras > 0 ? 1 : 0)
    const seat = { memberId: member.memberId, ...keep(member, allowed, known, leftOver) }
    // Whoever has no use for the extra partition leaves it to someone who already holds one more, unless those that are
    // still to come are just enough to take the extras.
    if (extras > 0 && (seat.room === 0 || members.length - place <= extras)) extras--
    else if (extras > 0) seat.room--
    return seat
  })

  let next = 0
  for (const seat of seats) {
    for (; seat.room > 0 && next < leftOver.length; seat.room--) {
      const one = leftOver[next++]
      if (one !== undefined) add(seat.partitions, one[0], one[1])
    }
  }
  return new Map(seats.map(({ memberId, partitions }) => [memberId, partitions]))
}

/** What a member keeps of its partitions; the ones beyond `allowed` join those that are left over. */
function keep(
  member: AssignorMember,
  allowed: number,
  known: ReadonlySet<Uuid>,
  leftOver: [Uuid, number][],
): { partitions: Map<Uuid, Set<number>>; room: number } {
  const partitions = new Map<Uuid, Set<number>>()
  let room = allowed
  for (const topicId of known) {
    for (const partition of inOrder(member.current.get(topicId))) {
      if (room > 0) {
        room--
        add(partitions, topicId, partition)
      } else leftOver.push([topicId, partition])
    }
  }
  return { partitions, room }
}

function unassigned(members: readonly AssignorMember[], topics: AssignorInput['topics']): [Uuid, number][] {
  const free: [Uuid, number][] = []
  for (const { topicId, partitionCount } of topics) {
    const taken = new Set<number>()
    for (const { current } of members) for (const partition of current.get(topicId) ?? []) taken.add(partition)
    for (let partition = 0; partition < partitionCount; partition++) {
      if (!taken.has(partition)) free.push([topicId, partition])
    }
  }
  return free
}

function inOrder(partitions: ReadonlySet<number> | undefined): number[] {
  return partitions === undefined ? [] : [...partitions].sort((a, b) => a - b)
}

/** Committing offsets, under the membership that we have at this moment. */
import type { CommitEntry, CommitOutcome } from '../../../kernel/events.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { OffsetCommitPartition } from '../cluster/group-messages.ts'
import type { Coordinator } from './coordinator.ts'
import type { Membership } from './membership.ts'
import { type Ownership, partitionKey } from './ownership.ts'
import type { Wire } from './wire.ts'

export class Committer {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #membership: Membership
  readonly #ownership: Ownership

  constructor(wire: Wire, coordinator: Coordinator, membership: Membership, ownership: Ownership) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#membership = membership
    this.#ownership = ownership
  }

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    const node = await this.#coordinator.find()
    const ownership = this.#ownership
    const name = this.#membership.memberName()
    // The broker takes a commit for any partition from any member: this guard is the only one.
    const ours = entries.filter((entry) => ownership.holds(entry))
    if (name === null || ours.length === 0) return entries.map(() => 'fenced')
    if (node === null) return entries.map((entry) => (ownership.holds(entry) ? 'refused' : 'fenced'))
    const { group, instanceId } = this.#wire.options
    const sent = new Set(ours.map(partitionKey))
    const answer = await this.#wire.ask('OffsetCommit', {
      node,
      groupId: group,
      groupInstanceId: instanceId,
      ...name,
      partitions: ours.map(toOffsetCommit),
    })
    const codes = new Map(answer?.partitions.map((each) => [partitionKey(each), each.errorCode]))
    this.#coordinator.learn(node, [...codes.values()][0] ?? null)
    for (const code of new Set(codes.values())) this.#membership.refused(name, code)
    return entries.map((entry) => {
      if (!sent.has(partitionKey(entry))) return 'fenced'
      const code = codes.get(partitionKey(entry))
      return code === undefined ? 'unknown' : outcomeOf(code, ownership.holds(entry))
    })
  }
}

/** Refused, but still ours: there is a new generation, or there soon will be, and it is worth sending again. */
function outcomeOf(code: ErrorCode, isOurs: boolean): CommitOutcome {
  switch (code) {
    case 'NONE':
      return 'ok'
    case 'OFFSET_METADATA_TOO_LARGE':
      return 'too-large'
    case 'ILLEGAL_GENERATION':
    case 'UNKNOWN_MEMBER_ID':
    case 'GROUP_ID_NOT_FOUND':
    case 'FENCED_INSTANCE_ID':
      return isOurs ? 'refused' : 'fenced'
    default:
      return 'refused'
  }
}

export function toOffsetCommit({
  topic,
  partition,
  position,
  leaderEpoch,
  metadata,
}: CommitEntry): OffsetCommitPartition {
  return {
    topic,
    partition,
    committedOffset: position,
    committedLeaderEpoch: leaderEpoch,
    committedMetadata: metadata,
  }
}

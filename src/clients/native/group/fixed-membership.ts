/**
 * Partitions that the user has named: no group decides about them and nobody takes them away. Commits go to the group's
 * offsets as those of a reader that is no member, which Kafka takes only while the group has no members.
 */
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { Holdings } from './holdings.ts'
import type { MemberName, Membership } from './membership.ts'

const nobody: MemberName = { memberId: '', generationId: -1, groupInstanceId: null }

export class FixedMembership implements Membership {
  readonly #holdings: Holdings
  readonly #partitions: readonly TopicPartition[]

  constructor(holdings: Holdings, partitions: readonly TopicPartition[]) {
    this.#holdings = holdings
    this.#partitions = partitions.map(({ topic, partition }) => ({ topic, partition }))
  }

  start(): void {
    this.#holdings.take(this.#partitions)
  }

  memberName(): MemberName {
    return nobody
  }

  refused(): void {
    // There is no membership to lose: the commit is tried again.
  }

  rejoin(): void {
    this.#holdings.loseAll()
    this.#holdings.take(this.#partitions)
  }

  async close(): Promise<void> {
    this.#holdings.clear()
  }
}

/** Committing offsets, under the membership that we have at this moment. */
import type { Coordinator } from '../../../cluster/coordinator.ts'
import { byTopic } from '../../../cluster/leaders.ts'
import type { Wire } from '../../../cluster/wire.ts'
import type { CommitEntry, CommitOutcome } from '../../../kernel/events.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { offsetCommitApi } from '../../../protocol/generated/08-offset-commit.ts'
import type { MemberName, Membership } from '../group/membership.ts'
import { type Ownership, partitionKey } from '../group/ownership.ts'
import { requestBytesMax, split } from './split.ts'

export interface CommitterParts {
  readonly wire: Wire
  readonly coordinator: Coordinator
  readonly membership: Membership
  readonly ownership: Ownership
  readonly group: string
}

/** The next version names topics by id. */
const offsetCommitMax = 9

/** By partition; what is missing was not answered. */
type Codes = ReadonlyMap<string, number>

export class Committer {
  readonly #parts: CommitterParts

  constructor(parts: CommitterParts) {
    this.#parts = parts
  }

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    const outcomes = new Map<CommitEntry, CommitOutcome>()
    // One after the other: a commit that was told to be too large stops nothing, and order stays what it was.
    for (const part of split(entries, requestBytesMax)) await this.#commitPart(part, outcomes)
    return entries.map((entry) => outcomes.get(entry) ?? 'fenced')
  }

  async #commitPart(entries: readonly CommitEntry[], outcomes: Map<CommitEntry, CommitOutcome>): Promise<void> {
    const { coordinator, ownership, membership } = this.#parts
    const node = await coordinator.find()
    const name = membership.memberName()
    // The broker takes a commit for any partition from any member: this guard is the only one.
    const ours = name === null ? [] : entries.filter((entry) => ownership.holds(entry))
    if (name === null || ours.length === 0) return
    if (node === null) {
      for (const entry of ours) outcomes.set(entry, 'refused')
      return
    }
    const codes = await this.#send(node, name, ours)
    coordinator.learn(node, [...codes.values()][0] ?? null)
    for (const code of new Set(codes.values())) membership.refused(name, code)
    const oversized: CommitEntry[] = []
    for (const entry of ours) {
      const code = codes.get(partitionKey(entry))
      if (code === undefined) outcomes.set(entry, 'unknown')
      else if (isOversized(code)) oversized.push(entry)
      else outcomes.set(entry, outcomeOf(code, ownership.holds(entry)))
    }
    if (oversized.length > 0) await this.#halve(oversized, outcomes)
  }

  /** The batch of the offsets log could not hold all of them. It may hold each half; and one alone is told to shrink. */
  async #halve(entries: readonly CommitEntry[], outcomes: Map<CommitEntry, CommitOutcome>): Promise<void> {
    const [only] = entries
    if (only !== undefined && entries.length === 1) {
      outcomes.set(only, only.metadata === '' ? 'refused' : 'too-large')
      return
    }
    const middle = entries.length >> 1
    await this.#commitPart(entries.slice(0, middle), outcomes)
    await this.#commitPart(entries.slice(middle), outcomes)
  }

  async #send(node: number, name: MemberName, entries: readonly CommitEntry[]): Promise<Codes> {
    const answer = await this.#parts.wire.ask(
      node,
      offsetCommitApi,
      {
        groupId: this.#parts.group,
        memberId: name.memberId,
        generationIdOrMemberEpoch: name.generationId,
        groupInstanceId: name.groupInstanceId,
        topics: [...byTopic(entries)].map(([topic, theirs]) => ({
          name: topic,
          partitions: theirs.map((entry) => ({
            partitionIndex: entry.partition,
            committedOffset: BigInt(entry.position),
            committedLeaderEpoch: entry.leaderEpoch,
            committedMetadata: entry.metadata,
          })),
        })),
      },
      { maxVersion: offsetCommitMax },
    )
    const codes = new Map<string, number>()
    for (const { name: topic, partitions } of answer?.body.topics ?? []) {
      for (const { partitionIndex, errorCode } of partitions) {
        codes.set(partitionKey({ topic, partition: partitionIndex }), errorCode)
      }
    }
    return codes
  }
}

/** Kafka says either when a commit does not fit into one batch of its offsets log. */
function isOversized(code: number): boolean {
  return code === errorCodes.UNKNOWN_SERVER_ERROR || code === errorCodes.INVALID_COMMIT_OFFSET_SIZE
}

/** Refused, but still ours: there is a new generation, or there soon will be, and it is worth sending again. */
function outcomeOf(code: number, isOurs: boolean): CommitOutcome {
  switch (code) {
    case errorCodes.NONE:
      return 'ok'
    case errorCodes.OFFSET_METADATA_TOO_LARGE:
      return 'too-large'
    case errorCodes.ILLEGAL_GENERATION:
    case errorCodes.STALE_MEMBER_EPOCH:
    case errorCodes.UNKNOWN_MEMBER_ID:
    case errorCodes.GROUP_ID_NOT_FOUND:
    case errorCodes.FENCED_INSTANCE_ID:
      return isOurs ? 'refused' : 'fenced'
    default:
      return 'refused'
  }
}

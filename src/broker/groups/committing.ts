/**
 * OffsetCommit and TxnOffsetCommit: who may commit, and what is stored.
 *
 * The order of the questions is Kafka's: partitions that do not exist are sorted out first, then the group may refuse all the
 * others, then each is looked at by itself, and at last they must fit into one batch together.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { OffsetCommitRequest, OffsetCommitResponse } from '../../protocol/generated/08-offset-commit.ts'
import type { TxnOffsetCommitRequest, TxnOffsetCommitResponse } from '../../protocol/generated/28-txn-offset-commit.ts'
import type { Input } from '../../protocol/types.ts'
import type { ClassicGroup } from './classic/group.ts'
import type { Rebalance } from './classic/rebalance.ts'
import { createClassic, type GroupCore, hasRoomForGroup, partitionExists } from './core.ts'
import { type CommittedOffset, storedOffset } from './offsets.ts'
import { type OffsetKey, offsetRecord } from './records.ts'
import type { RequestContext } from './request-context.ts'
import type { TransactionalProducer } from './state-writer.ts'

/** From this version on an unknown group has an error of its own. */
const groupNotFoundFrom = 9
const defaultRetentionMs = -1n

interface AskedPartition {
  readonly partitionIndex: number
  readonly committedOffset: bigint
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

interface AskedTopic {
  readonly name: string
  readonly partitions: readonly AskedPartition[]
}

interface Sender {
  readonly groupId: string
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly generationId: number
  readonly isTransactional: boolean
  readonly version: number
}

interface Accepted {
  readonly key: OffsetKey
  readonly offset: CommittedOffset
}

type Verdict = (topic: string, partition: AskedPartition) => number

export class Committing {
  readonly #core: GroupCore
  readonly #rebalance: Rebalance

  constructor(core: GroupCore, rebalance: Rebalance) {
    this.#core = core
    this.#rebalance = rebalance
  }

  async commit(
    request: OffsetCommitRequest,
    { version }: RequestContext,
    refusal: number,
  ): Promise<Input<OffsetCommitResponse>> {
    const { groupId, memberId, groupInstanceId, topics } = request
    if (!this.#knowsAny(topics)) return this.#answer(topics, () => errorCodes.NONE)
    const generationId = request.generationIdOrMemberEpoch
    const sender = { groupId, memberId, groupInstanceId, generationId, isTransactional: false, version }
    const refused = refusal === errorCodes.NONE ? this.#refuseCommit(sender) : refusal
    if (refused !== errorCodes.NONE) return this.#answer(topics, () => refused)
    const expireTimestampMs = endOfRetention(request.retentionTimeMs, this.#core.clock.now())
    return this.#store(groupId, topics, expireTimestampMs, undefined)
  }

  /** `verify` asks whether the producer's transaction is open and has the group in it, unless that is known here. */
  async commitInTransaction(
    request: TxnOffsetCommitRequest,
    { version }: RequestContext,
    refusal: number,
    verify: () => number,
  ): Promise<Input<TxnOffsetCommitResponse>> {
    const { groupId, memberId, groupInstanceId, generationId, topics } = request
    if (!this.#knowsAny(topics)) return this.#answer(topics, () => errorCodes.NONE)
    const producer = { id: Number(request.producerId), epoch: request.producerEpoch }
    const sender = { groupId, memberId, groupInstanceId, generationId, isTransactional: true, version }
    const refused = this.#refuseTransactional(sender, producer, refusal, verify)
    if (refused !== errorCodes.NONE) return this.#answer(topics, () => refused)
    return this.#store(groupId, topics, null, producer)
  }

  #refuseTransactional(sender: Sender, producer: TransactionalProducer, refusal: number, verify: () => number): number {
    if (refusal !== errorCodes.NONE && refusal !== errorCodes.COORDINATOR_LOAD_IN_PROGRESS) return refusal
    const verified = this.#core.offsets.isOpen(producer.id, producer.epoch) ? errorCodes.NONE : verify()
    if (verified !== errorCodes.NONE) return verified
    if (refusal === errorCodes.NONE) return this.#refuseCommit(sender)
    // Old producers stop for good when they hear that the coordinator is loading.
    return sender.version < 2 ? errorCodes.COORDINATOR_NOT_AVAILABLE : refusal
  }

  /** Why this sender may not commit. A group that does not exist is made for those who use no membership. */
  #refuseCommit(sender: Sender): number {
    const { groupId, memberId, groupInstanceId, generationId, isTransactional, version } = sender
    const group = this.#core.groups.get(groupId)
    if (group === undefined) {
      if (generationId >= 0) {
        return !isTransactional && version >= groupNotFoundFrom
          ? errorCodes.GROUP_ID_NOT_FOUND
          : errorCodes.ILLEGAL_GENERATION
      }
      return hasRoomForGroup(this.#core) ? errorCodes.NONE : errorCodes.POLICY_VIOLATION
    }
    if (group.kind === 'consumer') {
      return group.consumer.checkCommit(memberId, generationId, { groupInstanceId, isTransactional, version })
    }
    const refusal = refuseClassic(group.classic, sender)
    const member = group.classic.members.get(memberId)
    // A commit is a sign of life.
    if (refusal === errorCodes.NONE && !isTransactional && member !== undefined) {
      this.#rebalance.keepAlive(group.classic, member)
    }
    return refusal
  }

  async #store(
    groupId: string,
    topics: readonly AskedTopic[],
    expireTimestampMs: number | null,
    producer: TransactionalProducer | undefined,
  ): Promise<{ topics: ReturnType<typeof answerTopics> }> {
    const { groups, offsets, writer } = this.#core
    const verdict: Verdict = (_, partition) => this.#refuseOffset(partition)
    const accepted = this.#accepted(groupId, topics, verdict, expireTimestampMs)
    const records = accepted.map(({ key, offset }) => offsetRecord(key, storedOffset(offset)))
    if (!writer.fits(records)) return this.#answer(topics, () => errorCodes.UNKNOWN_SERVER_ERROR)
    if (groups.get(groupId) === undefined) createClassic(this.#core, groupId)
    for (const { key, offset } of accepted) {
      if (producer === undefined) offsets.commit(key, offset)
      else offsets.commitInTransaction(producer.id, producer.epoch, key, offset)
    }
    if (records.length > 0) await writer.write(groupId, records, producer)
    return this.#answer(topics, verdict)
  }

  #accepted(
    group: string,
    topics: readonly AskedTopic[],
    verdict: Verdict,
    expireTimestampMs: number | null,
  ): readonly Accepted[] {
    const accepted: Accepted[] = []
    const commitTimestampMs = this.#core.clock.now()
    for (const { name: topic, partitions } of topics) {
      for (const asked of partitions) {
        const partition = asked.partitionIndex
        if (!partitionExists(this.#core.topics, topic, partition) || verdict(topic, asked) !== errorCodes.NONE) continue
        const offset = {
          offset: Number(asked.committedOffset),
          leaderEpoch: asked.committedLeaderEpoch,
          metadata: asked.committedMetadata ?? '',
          commitTimestampMs,
          expireTimestampMs,
        }
        accepted.push({ key: { group, topic, partition }, offset })
      }
    }
    return accepted
  }

  #refuseOffset({ committedOffset, committedMetadata }: AskedPartition): number {
    if ((committedMetadata?.length ?? 0) > this.#core.options.offsetMetadataMaxChars) {
      return errorCodes.OFFSET_METADATA_TOO_LARGE
    }
    return Number.isSafeInteger(Number(committedOffset)) ? errorCodes.NONE : errorCodes.INVALID_COMMIT_OFFSET_SIZE
  }

  #knowsAny(topics: readonly AskedTopic[]): boolean {
    return topics.some(({ name, partitions }) =>
      partitions.some(({ partitionIndex }) => partitionExists(this.#core.topics, name, partitionIndex)),
    )
  }

  /** Group errors too are told on every partition: there is no other place for them here. */
  #answer(topics: readonly AskedTopic[], verdict: Verdict): { topics: ReturnType<typeof answerTopics> } {
    return {
      topics: answerTopics(topics, (topic, partition) =>
        partitionExists(this.#core.topics, topic, partition.partitionIndex)
          ? verdict(topic, partition)
          : errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
      ),
    }
  }
}

function answerTopics(
  topics: readonly AskedTopic[],
  verdict: Verdict,
): { name: string; partitions: { partitionIndex: number; errorCode: number }[] }[] {
  return topics.map(({ name, partitions }) => ({
    name,
    partitions: partitions.map((partition) => ({
      partitionIndex: partition.partitionIndex,
      errorCode: verdict(name, partition),
    })),
  }))
}

/** Transactions are fenced by membership, but not by the state of the group. */
function refuseClassic(group: ClassicGroup, sender: Sender): number {
  const { memberId, groupInstanceId, generationId, isTransactional } = sender
  if (generationId < 0 && group.state === 'Empty') return errorCodes.NONE
  if (generationId < 0 && memberId === '' && groupInstanceId === null) {
    return isTransactional ? errorCodes.NONE : errorCodes.UNKNOWN_MEMBER_ID
  }
  const refusal = group.checkMember(memberId, groupInstanceId)
  if (refusal !== errorCodes.NONE) return refusal
  if (generationId !== group.generationId) return errorCodes.ILLEGAL_GENERATION
  const assigns = !isTransactional && group.state === 'CompletingRebalance'
  return assigns ? errorCodes.REBALANCE_IN_PROGRESS : errorCodes.NONE
}

function endOfRetention(retentionMs: bigint, nowMs: number): number | null {
  if (retentionMs === defaultRetentionMs) return null
  return Math.max(0, Math.min(nowMs + Number(retentionMs), Number.MAX_SAFE_INTEGER))
}

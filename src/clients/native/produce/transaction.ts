/**
 * One transaction, step by step: add partitions, produce, add the group, commit offsets, end. Where the cluster has
 * `transaction.version` 2, writing adds, and the end gives a new epoch.
 *
 * No request of a transaction is repeated after silence. The first one may still arrive, in the middle of the next
 * transaction: a late end would cut that one in two, late offsets would overwrite its own. Silence therefore makes the
 * outcome `unknown`, and the new producer epoch that follows fences whatever is still on its way. Answers that say
 * "certainly not done" are another matter: those requests are sent again.
 */
import { answeredWith } from '../../../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../../../cluster/backoff.ts'
import type { Coordinator } from '../../../cluster/coordinator.ts'
import type { Metadata } from '../../../cluster/metadata.ts'
import type { Wire } from '../../../cluster/wire.ts'
import { FanlaneError } from '../../../errors.ts'
import type { CommitEntry, Publication, TransactionOutcome } from '../../../kernel/events.ts'
import type { ProducerIdentity } from '../../../producer/identity.ts'
import type { Topics } from '../../../producer/topics.ts'
import { insist } from '../../../producer/transactions/insist.ts'
import { commitInPieces } from '../../../producer/transactions/offset-commits.ts'
import {
  addOffsets,
  addPartitions,
  commitOffsets,
  endTransaction,
  flowOf,
  type OffsetToCommit,
  produceVersion,
  type TransactionFlow,
  type TransactionName,
} from '../../../producer/transactions/requests.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import type { GroupIdentity } from './identity.ts'
import type { SequencedIdentity } from './sequences.ts'
import {
  isTopicRefusal,
  route,
  type Sent,
  sendersTo,
  TransactionWriter,
  type Unroutable,
} from './transaction-writer.ts'

export interface TransactionParts {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly topics: Topics
  /** Topics that have to be looked up again before they are written to. */
  readonly silent: Set<string>
  readonly backoff: BackoffOptions
  readonly group: string
  readonly member: GroupIdentity
  readonly groupCoordinator: Coordinator
  readonly coordinator: Coordinator
  readonly transactionalId: string
  /** A generated id is nobody else's: when it is fenced, it was by ourselves or by a time-out. */
  readonly transactionalIdIsGenerated: boolean
  readonly transactionTimeoutMs: number
  readonly batchBytes: number
  readonly compression: number
}

/** Of the time of a transaction: for as long a refused write is tried again. */
const WRITING_SHARE = 0.7

/** Why it cannot be committed; null: go on. */
type Stop = TransactionOutcome | null

const lostIdentity: ReadonlySet<number> = new Set([
  errorCodes.OUT_OF_ORDER_SEQUENCE_NUMBER,
  errorCodes.INVALID_PRODUCER_EPOCH,
  errorCodes.INVALID_PRODUCER_ID_MAPPING,
  errorCodes.UNKNOWN_PRODUCER_ID,
  errorCodes.PRODUCER_FENCED,
  errorCodes.TRANSACTION_COORDINATOR_FENCED,
  errorCodes.INVALID_TXN_STATE,
])

export class Transaction {
  readonly #parts: TransactionParts
  readonly #id: SequencedIdentity
  readonly #deadlineMs: number
  /** Earlier: what is refused by then is given up while the transaction can still be aborted by us. */
  readonly #writeUntilMs: number
  readonly #flow: TransactionFlow
  /** Something was added, so that there is something to end. */
  #hasBegun = false
  #next: ProducerIdentity | null = null

  constructor(parts: TransactionParts, id: SequencedIdentity) {
    this.#parts = parts
    this.#id = id
    const nowMs = parts.wire.clock.now()
    this.#deadlineMs = nowMs + parts.transactionTimeoutMs
    this.#writeUntilMs = nowMs + parts.transactionTimeoutMs * WRITING_SHARE
    this.#flow = flowOf(parts.wire)
  }

  /** Who the producer is after the end; null: who it was. */
  get next(): ProducerIdentity | null {
    return this.#next
  }

  async run(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    const stop = (await this.#publish(publications)) ?? (await this.#commitOffsets(entries))
    if (stop === null) return this.#hasBegun ? this.#end(true, { kind: 'committed' }) : { kind: 'committed' }
    if (stop.kind === 'unknown') return this.#isFenced(stop)
    return stop.kind !== 'fenced' && this.#hasBegun ? this.#end(false, stop) : stop
  }

  async #publish(publications: readonly Publication[]): Promise<Stop> {
    await this.#lookAgain()
    const records = await route(this.#parts, publications)
    if ('error' in records) return unroutable(records)
    if (records.length === 0) return null
    return (await this.#addPartitions(records, publications)) ?? (await this.#write(records))
  }

  /**
   * Only now: right after the silence nobody has been elected yet, whereas the new epoch that we have since then was given
   * when the old transaction had been ended, by the new leaders too.
   */
  async #lookAgain(): Promise<void> {
    const { metadata, silent } = this.#parts
    if (silent.size > 0 && (await metadata.refresh([...silent])) !== null) silent.clear()
  }

  async #addPartitions(records: readonly Sent[], publications: readonly Publication[]): Promise<Stop> {
    if (this.#flow === 'implicit') return null
    const { wire, coordinator } = this.#parts
    const partitions = new Map(records.map(({ key, topic, partition }) => [key, { topic, partition }]))
    const refused = new Map<string, number>()
    const code = await this.#insist(coordinator, (node) =>
      addPartitions(wire, node, this.#name(), [...partitions.values()], (topic, answer) => {
        if (isTopicRefusal(answer)) refused.set(topic, answer)
      }),
    )
    for (const [topic, answer] of refused) {
      const error = answeredWith(answer, `AddPartitionsToTxn of topic '${topic}'`)
      return { kind: 'rejected', works: sendersTo(topic, publications), permanent: true, error }
    }
    if (code === errorCodes.NONE) this.#hasBegun = true
    return this.#verdict(code, 'AddPartitionsToTxn')
  }

  async #write(records: readonly Sent[]): Promise<Stop> {
    const { wire, metadata, topics, silent, transactionalId, batchBytes, compression, backoff } = this.#parts
    // Writing adds the partition, also where the write itself is refused.
    this.#hasBegun = true
    const writer = new TransactionWriter({
      wire,
      metadata,
      topics,
      silent,
      id: this.#id,
      transactionalId,
      maxVersion: produceVersion(this.#flow),
      batchBytes,
      compression,
      backoff: new Backoff(wire.clock, backoff),
      deadlineMs: this.#writeUntilMs,
    })
    const failure = await writer.write(records)
    if (failure === null) return null
    const { code, detail, works, permanent } = failure
    if (code === null || works.length === 0) return this.#verdict(code, 'Produce', detail)
    return { kind: 'rejected', works, permanent, error: answeredWith(code, 'Produce', detail) }
  }

  async #commitOffsets(entries: readonly CommitEntry[]): Promise<Stop> {
    if (entries.length === 0) return null
    if (this.#flow === 'explicit') {
      const { wire, coordinator, group } = this.#parts
      const added = await this.#insist(coordinator, (node) => addOffsets(wire, node, this.#name(), group))
      if (added !== errorCodes.NONE) return this.#verdict(added, 'AddOffsetsToTxn')
    }
    this.#hasBegun = true
    const code = await commitInPieces(entries.map(toOffset), (offsets) => this.#commitPiece(entries, offsets))
    if (code !== errorCodes.OFFSET_METADATA_TOO_LARGE) return this.#verdict(code, 'TxnOffsetCommit')
    return { kind: 'too-large', error: answeredWith(code, 'TxnOffsetCommit') }
  }

  #commitPiece(entries: readonly CommitEntry[], offsets: readonly OffsetToCommit[]): Promise<number | null> {
    const { wire, groupCoordinator, member, group } = this.#parts
    return this.#insist(groupCoordinator, async (node) => {
      const name = member.memberName()
      // What the coordinator would say if it knew: a lease that has ended meanwhile commits nothing.
      const isOurs = entries.every((entry) => member.holds(entry))
      if (name === null || !isOurs) return errorCodes.UNKNOWN_MEMBER_ID
      const code = await commitOffsets(wire, node, this.#name(), { groupId: group, ...name }, offsets, this.#flow)
      if (code !== null) member.refused(name, code)
      return code
    })
  }

  async #end(committed: boolean, outcome: TransactionOutcome): Promise<TransactionOutcome> {
    const code = await this.#askEnd(committed)
    if (code === errorCodes.NONE) return outcome
    const stop = this.#verdict(code, 'EndTxn')
    // Refused or not: a transaction that has not ended is not certain.
    return stop?.kind === 'fenced' ? stop : { kind: 'unknown', error: stop?.error }
  }

  #askEnd(committed: boolean): Promise<number | null> {
    const { wire, coordinator } = this.#parts
    return this.#insist(coordinator, async (node) => {
      const ended = await endTransaction(wire, node, this.#name(), committed, this.#flow)
      if (ended !== null && ended.next !== null) this.#next = ended.next
      return ended?.code ?? null
    })
  }

  /**
   * A partition leader knows only that our epoch is over, not why: another process may have taken the user's id, or our
   * own transaction took too long. The coordinator knows. Asking it to abort harms nobody else, whereas a new epoch,
   * asked for by a zombie, would put an end to the other one's transaction.
   */
  async #isFenced(stop: TransactionOutcome): Promise<TransactionOutcome> {
    const isEpochOver = stop.error instanceof FanlaneError && stop.error.code === 'INVALID_PRODUCER_EPOCH'
    if (!isEpochOver || this.#parts.transactionalIdIsGenerated) return stop
    const code = await this.#askEnd(false)
    return code === errorCodes.PRODUCER_FENCED ? { kind: 'fenced', error: answeredWith(code, 'EndTxn') } : stop
  }

  #insist(coordinator: Coordinator, ask: (node: number) => Promise<number | null>): Promise<number | null> {
    const { wire, backoff } = this.#parts
    return insist(wire, coordinator, { backoff, deadlineMs: this.#deadlineMs, silence: 'ends' }, ask)
  }

  /** What an answer means before the end. Where only the group has refused us, the producer is as good as before. */
  #verdict(code: number | null, request: string, detail: string | null = null): Stop {
    if (code === errorCodes.NONE) return null
    if (code === null) return { kind: 'unknown' }
    const error = answeredWith(code, request, detail)
    if (code === errorCodes.PRODUCER_FENCED && !this.#parts.transactionalIdIsGenerated) return { kind: 'fenced', error }
    return { kind: lostIdentity.has(code) ? 'unknown' : 'aborted', error }
  }

  #name(): TransactionName {
    const { producerId, producerEpoch } = this.#id
    return { transactionalId: this.#parts.transactionalId, producerId, producerEpoch }
  }
}

/** Answers about one topic, which are no matter of the others'. */
const topicErrors: ReadonlySet<string> = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'INVALID_TOPIC_EXCEPTION',
  'UNKNOWN_TOPIC_OR_PARTITION',
])

function unroutable({ error, works }: Unroutable): TransactionOutcome {
  return topicErrors.has(error.code) ? { kind: 'rejected', works, permanent: true, error } : { kind: 'aborted', error }
}

function toOffset({ topic, partition, position, metadata, leaderEpoch }: CommitEntry): OffsetToCommit {
  return { topic, partition, offset: position, metadata, leaderEpoch }
}

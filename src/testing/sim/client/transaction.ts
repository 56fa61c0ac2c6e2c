/**
 * One transaction, step by step: add partitions, produce, add the group, commit offsets, end.
 *
 * No request of a transaction is repeated after silence. The first one may still arrive, in the middle of the next
 * transaction: a late end would cut that one in two, late offsets would overwrite its own. Silence therefore makes the
 * outcome `unknown`, and the new producer epoch that follows fences whatever is still on its way. Answers that say
 * "certainly not done" are another matter: those requests are sent again.
 */
import type { CommitEntry, Publication, TransactionOutcome, WorkId } from '../../../kernel/events.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { RequestKind } from '../cluster/requests.ts'
import { toOffsetCommit } from './committer.ts'
import type { Coordinator } from './coordinator.ts'
import type { Membership } from './membership.ts'
import type { Ownership } from './ownership.ts'
import { isIdentityLost, isPassingRefusal, isStored, isUnwritable, type OutgoingBatch, produce } from './produce.ts'
import type { ProducerId } from './producer-id.ts'
import { type RoutedRecord, route } from './router.ts'
import type { Topics } from './topics.ts'
import { answeredWith, isCoordinatorElsewhere, type Wire } from './wire.ts'

export interface TransactionParts {
  readonly wire: Wire
  readonly topics: Topics
  readonly membership: Membership
  readonly ownership: Ownership
  readonly groupCoordinator: Coordinator
  readonly coordinator: Coordinator
  readonly transactionalId: string
}

/** Why it cannot be committed; null: go on. */
type Stop = TransactionOutcome | null

interface Sent extends RoutedRecord {
  readonly work: WorkId
}

export class Transaction {
  readonly #parts: TransactionParts
  readonly #id: ProducerId
  readonly #deadlineMs: number
  /** Something was added, so that there is something to end. */
  #hasBegun = false

  constructor(parts: TransactionParts, id: ProducerId) {
    this.#parts = parts
    this.#id = id
    this.#deadlineMs = parts.wire.clock.now() + parts.wire.options.transactionTimeoutMs
  }

  async run(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    const stop = (await this.#publish(publications)) ?? (await this.#commitOffsets(entries))
    if (stop === null) return this.#hasBegun ? this.#end(true, { kind: 'committed' }) : { kind: 'committed' }
    const isCertain = stop.kind !== 'unknown' && stop.kind !== 'fenced'
    return isCertain && this.#hasBegun ? this.#end(false, stop) : stop
  }

  async #publish(publications: readonly Publication[]): Promise<Stop> {
    const { wire, topics } = this.#parts
    const records: Sent[] = []
    for (const publication of publications) {
      const routed = await route(wire, topics, publication)
      if (routed.kind === 'unknown') return { kind: 'aborted', error: routed.error }
      for (const record of routed.records) records.push({ ...record, work: publication.work })
    }
    if (records.length === 0) return null
    const lanes = Map.groupBy(records, ({ key }) => key)
    return (await this.#addPartitions(records)) ?? (await this.#produce([...lanes.values()]))
  }

  async #addPartitions(records: readonly Sent[]): Promise<Stop> {
    const { wire, coordinator } = this.#parts
    const partitions = new Map(records.map(({ key, topic, partition }) => [key, { topic, partition }]))
    const code = await this.#insist(coordinator, async (node) => {
      const fields = { node, ...this.#name(), partitions: [...partitions.values()] }
      const answer = await wire.ask('AddPartitionsToTxn', fields)
      return answer === null ? null : worst(answer.partitions)
    })
    if (code === 'NONE') this.#hasBegun = true
    return this.#verdict(code, 'AddPartitionsToTxn')
  }

  /** One request for the first batch of every partition, then for the second ones, and so on. */
  async #produce(lanes: readonly (readonly Sent[])[]): Promise<Stop> {
    const { batchMaxRecords } = this.#parts.wire.options
    for (let at = 0, left = lanes; left.length > 0; at += batchMaxRecords) {
      const stop = await this.#write(left.map((lane) => lane.slice(at, at + batchMaxRecords)))
      if (stop !== null) return stop
      left = left.filter((lane) => lane.length > at + batchMaxRecords)
    }
    return null
  }

  async #write(batches: readonly (readonly Sent[])[]): Promise<Stop> {
    const { wire, transactionalId } = this.#parts
    const codes = await produce(wire, this.#id, transactionalId, batches.flatMap(toBatch))
    for (const batch of batches) {
      const stop = await this.#written(batch, codes?.get(batch[0]?.key ?? '') ?? null)
      if (stop !== null) return stop
    }
    return null
  }

  async #written(batch: readonly Sent[], code: ErrorCode | null): Promise<Stop> {
    const { wire } = this.#parts
    if (code !== null && isStored(code)) return null
    if (code !== null && isPassingRefusal(code) && wire.clock.now() < this.#deadlineMs) {
      await wire.backoff().pause()
      return this.#write([batch])
    }
    const [first, second] = batch
    if (code === null || !isUnwritable(code) || first === undefined) return this.#verdict(code, 'Produce')
    if (second === undefined) return { kind: 'rejected', work: first.work, error: answeredWith(code, 'Produce') }
    // Too large together; alone, the guilty one shows.
    const middle = batch.length >> 1
    return (await this.#write([batch.slice(0, middle)])) ?? (await this.#write([batch.slice(middle)]))
  }

  async #commitOffsets(entries: readonly CommitEntry[]): Promise<Stop> {
    if (entries.length === 0) return null
    const { wire, coordinator, groupCoordinator, membership, ownership } = this.#parts
    const { group, instanceId } = wire.options
    const added = await this.#insist(coordinator, async (node) => {
      const answer = await wire.ask('AddOffsetsToTxn', { node, ...this.#name(), groupId: group })
      return answer?.errorCode ?? null
    })
    if (added !== 'NONE') return this.#verdict(added, 'AddOffsetsToTxn')
    this.#hasBegun = true
    const code = await this.#insist(groupCoordinator, async (node) => {
      const member = membership.memberName()
      // What the coordinator would say if it knew: a lease that has ended meanwhile commits nothing.
      const isOurs = entries.every((entry) => ownership.holds(entry))
      if (member === null || !isOurs) return 'UNKNOWN_MEMBER_ID'
      const partitions = entries.map(toOffsetCommit)
      const fields = { node, ...this.#name(), ...member, groupId: group, groupInstanceId: instanceId, partitions }
      const answer = await wire.ask('TxnOffsetCommit', fields)
      return answer === null ? null : worst(answer.partitions)
    })
    if (code === 'OFFSET_METADATA_TOO_LARGE') return { kind: 'too-large', error: answeredWith(code, 'TxnOffsetCommit') }
    return this.#verdict(code, 'TxnOffsetCommit')
  }

  async #end(committed: boolean, outcome: TransactionOutcome): Promise<TransactionOutcome> {
    const { wire, coordinator } = this.#parts
    const code = await this.#insist(coordinator, async (node) => {
      const answer = await wire.ask('EndTxn', { node, ...this.#name(), committed })
      return answer?.errorCode ?? null
    })
    if (code === 'NONE') return outcome
    const stop = this.#verdict(code, 'EndTxn')
    // Refused or not: a transaction that has not ended is not certain.
    return stop?.kind === 'fenced' ? stop : { kind: 'unknown', error: stop?.error }
  }

  /** Ask until the coordinator is found and ready. null: silence. */
  async #insist(coordinator: Coordinator, ask: (node: number) => Promise<ErrorCode | null>): Promise<ErrorCode | null> {
    const { wire } = this.#parts
    const backoff = wire.backoff()
    for (;;) {
      const node = await coordinator.find()
      const code = node === null ? 'NOT_COORDINATOR' : await ask(node)
      if (node !== null) coordinator.learn(node, code)
      if (code === null || !isPassing(code) || wire.clock.now() >= this.#deadlineMs) return code
      await backoff.pause()
    }
  }

  /** What an answer means before the end. Where only the group has refused us, the producer is as good as before. */
  #verdict(code: ErrorCode | null, request: RequestKind): Stop {
    if (code === 'NONE') return null
    if (code === null) return { kind: 'unknown' }
    const error = answeredWith(code, request)
    const { transactionalIdIsGenerated } = this.#parts.wire.options
    if (code === 'PRODUCER_FENCED' && !transactionalIdIsGenerated) return { kind: 'fenced', error }
    if (isIdentityLost(code) || code === 'INVALID_TXN_STATE') return { kind: 'unknown', error }
    return { kind: 'aborted', error }
  }

  #name(): { transactionalId: string; producerId: number; producerEpoch: number } {
    const { producerId, producerEpoch } = this.#id
    return { transactionalId: this.#parts.transactionalId, producerId, producerEpoch }
  }
}

function isPassing(code: ErrorCode): boolean {
  return code === 'CONCURRENT_TRANSACTIONS' || isCoordinatorElsewhere(code)
}

/** Of the answers for several partitions, the one that says why. */
function worst(partitions: readonly { readonly errorCode: ErrorCode }[]): ErrorCode {
  const errors = partitions.map(({ errorCode }) => errorCode).filter((code) => code !== 'NONE')
  return errors.find((code) => code !== 'OPERATION_NOT_ATTEMPTED') ?? errors[0] ?? 'NONE'
}

function toBatch(batch: readonly Sent[]): OutgoingBatch[] {
  const [first] = batch
  if (first === undefined) return []
  const { key, topic, partition } = first
  return [{ key, topic, partition, records: batch.map(({ record }) => record) }]
}

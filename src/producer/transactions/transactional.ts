/**
 * Transactions for users of a producer: `run` begins one, hands it out, and commits what was sent, or aborts it.
 *
 * What may still arrive late is fenced: after silence, the next transaction of the explicit flow begins under a new epoch
 * (in the other flow every one does). An end is asked for again until it is answered, which is safe for that reason;
 * offsets are not, because a late copy could overwrite newer ones of the same transaction.
 */
import { answeredWith } from '../../cluster/answers.ts'
import type { BackoffOptions } from '../../cluster/backoff.ts'
import { Coordinator } from '../../cluster/coordinator.ts'
import type { Wire } from '../../cluster/wire.ts'
import { FanlaneError } from '../../errors.ts'
import { errorCodes } from '../../protocol/errors.ts'
import type { ProducerCore } from '../core.ts'
import { closedError, fencedError, initProducerId, type ProducerIdentity } from '../identity.ts'
import type { Lane } from '../lane.ts'
import type { Outgoing } from '../record.ts'
import type { Delivered } from '../ticket.ts'
import { insist } from './insist.ts'
import { commitInPieces } from './offset-commits.ts'
import {
  addOffsets,
  addPartitions,
  commitOffsets,
  endTransaction,
  flowOf,
  type GroupMemberName,
  type OffsetToCommit,
  type PartitionName,
  type TransactionFlow,
  type TransactionName,
} from './requests.ts'
import { abortedError, isAborted, isFencing, overError, silentError, unknownError } from './transaction-errors.ts'
import { TransactionIdentities } from './transaction-identities.ts'

export interface TransactionalParts {
  readonly wire: Wire
  readonly backoff: BackoffOptions
  readonly transactionalId: string
  readonly transactionTimeoutMs: number
  /** How long an answer of a coordinator is waited for. */
  readonly patienceMs: number
}

/** What a running transaction can do. */
export interface TransactionSession {
  send(records: readonly Outgoing[]): Promise<readonly Delivered[]>
  commitOffsets(member: GroupMemberName, offsets: readonly OffsetToCommit[]): Promise<void>
}

interface Running {
  readonly identity: ProducerIdentity
  readonly flow: TransactionFlow
  /** There may be something to end. */
  hasBegun: boolean
  /** Why it cannot be committed. */
  failure: FanlaneError | null
  /** Nothing more can be sent in it. */
  isOver: boolean
  isAborting: boolean
  /** What was asked of coordinators and may still be asked again: the end has to wait for it. */
  readonly asked: Set<Promise<unknown>>
}

export class Transactional {
  readonly #parts: TransactionalParts
  readonly #coordinator: Coordinator
  readonly #groupCoordinators: Map<string, Coordinator> = new Map()
  #core: ProducerCore | null = null
  #identities: TransactionIdentities | null = null
  #identity: ProducerIdentity | null = null
  /** The identity has to be raised before it is used again. */
  #isStale = false
  #fenced: FanlaneError | null = null
  #running: Running | null = null

  constructor(parts: TransactionalParts) {
    this.#parts = parts
    this.#coordinator = new Coordinator(parts.wire, 'transaction', parts.transactionalId)
  }

  /** For the core that writes the records; it is told back by `attach`. */
  identities(wake: (lanes: Iterable<Lane>) => void): TransactionIdentities {
    const identities = new TransactionIdentities({
      transactionalId: this.#parts.transactionalId,
      wake,
      add: (partitions) => this.#add(partitions),
      lost: (code) => this.#lost(code, 'Produce'),
      stuck: () => this.#stuck(),
      onWrite: () => {
        if (this.#running !== null) this.#running.hasBegun = true
      },
    })
    this.#identities = identities
    return identities
  }

  attach(core: ProducerCore): void {
    this.#core = core
  }

  /** A new instance: whoever had this id before is fenced, and what they left open is ended. */
  async start(): Promise<void> {
    this.#identity = await this.#init(null)
  }

  /** One at a time: the caller sees to that. */
  async run<Result>(work: (session: TransactionSession) => Promise<Result>): Promise<Result> {
    if (this.#fenced !== null) throw this.#fenced
    const running = await this.#begin()
    try {
      const result = await work(this.#session(running))
      running.isOver = true
      await this.#core?.flush()
      await Promise.allSettled(running.asked)
      if (running.failure !== null) throw running.failure
      await this.#commit(running)
      return result
    } catch (error) {
      running.isOver = true
      if (this.#running === running) await this.#abort(running)
      throw error
    } finally {
      this.#running = null
      this.#identities?.end()
    }
  }

  async #begin(): Promise<Running> {
    if (this.#identity === null || this.#isStale) this.#identity = await this.#init(this.#identity)
    this.#isStale = false
    const flow = flowOf(this.#parts.wire)
    const running = {
      identity: this.#identity,
      flow,
      hasBegun: false,
      failure: null,
      isOver: false,
      isAborting: false,
      asked: new Set<Promise<unknown>>(),
    }
    this.#running = running
    this.#identities?.begin(this.#identity, flow)
    return running
  }

  #session(running: Running): TransactionSession {
    return {
      send: (records) => {
        if (running.isOver || this.#core === null) return Promise.reject(overError())
        const sent = this.#core.send(records)
        // Nobody has to look at it: what fails here fails the transaction.
        sent.catch((error: unknown) => {
          running.failure ??= error instanceof FanlaneError ? error : abortedError(error)
        })
        return sent
      },
      commitOffsets: (member, offsets) => {
        if (running.isOver) return Promise.reject(overError())
        const committed = this.#commitOffsets(running, member, offsets)
        running.asked.add(committed)
        committed.catch((error: unknown) => {
          running.failure ??= error instanceof FanlaneError ? error : abortedError(error)
        })
        return committed
      },
    }
  }

  #add(partitions: readonly PartitionName[]): Promise<boolean> {
    const running = this.#running
    if (running === null) return Promise.resolve(false)
    const added = this.#addTo(running, partitions)
    running.asked.add(added)
    return added
  }

  async #addTo(running: Running, partitions: readonly PartitionName[]): Promise<boolean> {
    running.hasBegun = true
    try {
      const { wire } = this.#parts
      const code = await this.#insist(this.#coordinator, true, (node) =>
        this.#unlessAborting(running, () => addPartitions(wire, node, this.#name(running), partitions)),
      )
      this.#check(code, 'AddPartitionsToTxn')
      return true
    } catch (error) {
      const failure = error instanceof FanlaneError ? error : abortedError(error)
      running.failure ??= failure
      this.#core?.failAll(failure)
      return false
    }
  }

  async #commitOffsets(running: Running, member: GroupMemberName, offsets: readonly OffsetToCommit[]): Promise<void> {
    if (offsets.length === 0) return
    const { wire } = this.#parts
    running.hasBegun = true
    const { groupId } = member
    if (running.flow === 'explicit') {
      const code = await this.#insist(this.#coordinator, true, (node) =>
        this.#unlessAborting(running, () => addOffsets(wire, node, this.#name(running), groupId)),
      )
      this.#check(code, 'AddOffsetsToTxn')
    }
    const coordinator = this.#groupCoordinator(groupId)
    const code = await commitInPieces(offsets, (piece) =>
      this.#insist(coordinator, false, (node) =>
        this.#unlessAborting(running, () =>
          commitOffsets(wire, node, this.#name(running), member, piece, running.flow),
        ),
      ),
    )
    this.#check(code, 'TxnOffsetCommit')
  }

  async #commit(running: Running): Promise<void> {
    if (!running.hasBegun) {
      this.#running = null
      return
    }
    const code = await this.#end(running, true)
    // From here on there is nothing to abort, unless the coordinator asks for it.
    if (code !== errorCodes.TRANSACTION_ABORTABLE) this.#running = null
    if (code === errorCodes.NONE) return
    this.#isStale = true
    if (code === null) throw unknownError()
    if (isFencing(code)) throw this.#fence(answeredWith(code, 'EndTxn'))
    throw abortedError(answeredWith(code, 'EndTxn'))
  }

  /** Everything that is not sent is dropped, what is under way is waited for, and the coordinator is told. */
  async #abort(running: Running): Promise<void> {
    const core = this.#core
    running.isAborting = true
    core?.failAll(running.failure ?? abortedError('it was given up'))
    await core?.quiet()
    await Promise.allSettled(running.asked)
    if (!running.hasBegun) return
    const code = await this.#end(running, false)
    // Under the same epoch a late write of this transaction could get into the next one.
    if (running.flow === 'explicit' || code !== errorCodes.NONE) this.#isStale = true
    if (code !== null && isFencing(code)) throw this.#fence(answeredWith(code, 'EndTxn'))
  }

  async #end(running: Running, committed: boolean): Promise<number | null> {
    const { wire } = this.#parts
    return this.#insist(this.#coordinator, true, async (node) => {
      const ended = await endTransaction(wire, node, this.#name(running), committed, running.flow)
      if (ended !== null && ended.next !== null) this.#identity = ended.next
      return ended?.code ?? null
    })
  }

  #lost(code: number, request: string): FanlaneError {
    const error = answeredWith(code, request)
    this.#isStale = true
    const running = this.#running
    if (running === null) return error
    running.failure ??= abortedError(error)
    return error
  }

  /**
   * A batch left a gap in the numbers of its partition, and in this transaction nobody will ever know them: what is queued
   * behind it would wait until it is too old. Not at once: the one that failed is being settled, or batches are being picked.
   */
  #stuck(): void {
    const running = this.#running
    if (running === null) return
    this.#parts.wire.clock.soon(() => {
      if (this.#running !== running) return
      const failure = running.failure ?? 'the cluster did not take an earlier record of it.'
      this.#core?.failAll(isAborted(failure) ? failure : abortedError(failure))
    })
  }

  #check(code: number | null, request: string): void {
    if (code === errorCodes.NONE) return
    if (code === null) {
      this.#isStale = true
      throw silentError(request)
    }
    throw isFencing(code) ? this.#lost(code, request) : answeredWith(code, request)
  }

  #fence(cause: FanlaneError): FanlaneError {
    this.#fenced = fencedError(this.#parts.transactionalId, cause)
    return this.#fenced
  }

  async #init(claim: ProducerIdentity | null): Promise<ProducerIdentity> {
    const { wire, backoff, transactionalId, transactionTimeoutMs, patienceMs } = this.#parts
    const transaction = { coordinator: this.#coordinator, transactionalId, timeoutMs: transactionTimeoutMs, claim }
    try {
      const identity = await initProducerId({
        wire,
        backoff,
        transaction,
        deadlineMs: wire.clock.now() + patienceMs,
      })
      if (identity !== null) return identity
    } catch (error) {
      if (error instanceof FanlaneError && error.code === 'PRODUCER_FENCED') this.#fenced = error
      throw error
    }
    throw wire.isOpen ? silentError('InitProducerId') : closedError()
  }

  #insist(
    coordinator: Coordinator,
    repeats: boolean,
    ask: (node: number) => Promise<number | null>,
  ): Promise<number | null> {
    const { wire, backoff, patienceMs } = this.#parts
    const onSilence = (): void => {
      if (this.#running?.flow === 'explicit') this.#isStale = true
    }
    const silence = repeats ? ({ repeats: onSilence } as const) : 'ends'
    return insist(wire, coordinator, { backoff, deadlineMs: wire.clock.now() + patienceMs, silence }, ask)
  }

  /** Nothing more is added to a transaction that is about to be aborted: it would be open again. */
  #unlessAborting(running: Running, ask: () => Promise<number | null>): Promise<number | null> {
    return running.isAborting ? Promise.resolve(errorCodes.OPERATION_NOT_ATTEMPTED) : ask()
  }

  #groupCoordinator(groupId: string): Coordinator {
    const known = this.#groupCoordinators.get(groupId)
    if (known !== undefined) return known
    const coordinator = new Coordinator(this.#parts.wire, 'group', groupId)
    this.#groupCoordinators.set(groupId, coordinator)
    return coordinator
  }

  #name({ identity }: Running): TransactionName {
    return { transactionalId: this.#parts.transactionalId, ...identity }
  }
}

/**
 * The transaction coordinator: who may write under a transactional id, which partitions its transaction has, how it ends.
 *
 * Every decision is taken in one step, without waiting, on the state in memory (decisions.ts); its record enters the state
 * log in that same step, and the answer waits for it (store.ts). So the order of the decisions is the order of the log.
 * What always holds: a marker is written only after its decision is durable; a decision is never taken back; a partition
 * that has records of a transaction gets its marker (see `start` for the case that its record was lost in a crash).
 */
import { errorCodes } from '../../protocol/errors.ts'
import { type BrokerLog, silentLog } from '../broker-log.ts'
import { offsetsTopic } from '../topics/names.ts'
import { type Claim, type Decision, decideAdd, decideEnd, decideFence, decideInit, verify } from './decisions.ts'
import { Finisher } from './finishing.ts'
import {
  describeTransaction,
  listTransactions,
  type TransactionDescription,
  type TransactionFilters,
  type TransactionList,
} from './listing.ts'
import { adopt } from './orphans.ts'
import type {
  CoordinatorClock,
  OpenTransaction,
  ProducerIds,
  StateLog,
  TopicPartition,
  TransactionPartitions,
} from './ports.ts'
import { type Slot, TransactionStore } from './store.ts'
import { completed, created, isExhausted, isHalfEnded, mayExpire, none, type Transaction } from './transaction.ts'
import { offsetsError, operationOf, produceError, type WriteOperation } from './write-operation.ts'

export interface CoordinatorPorts {
  readonly stateLog: StateLog
  readonly partitions: TransactionPartitions
  readonly producerIds: ProducerIds
  readonly clock: CoordinatorClock
  readonly log?: BrokerLog
}

export interface CoordinatorSettings {
  /** Rises with every start of the broker. */
  readonly coordinatorEpoch: number
  /** transaction.max.timeout.ms */
  readonly timeoutMaxMs?: number
  /** transactional.id.expiration.ms */
  readonly idExpirationMs?: number
  /** transaction.remove.expired.transaction.cleanup.interval.ms */
  readonly expiryIntervalMs?: number
  /**
   * How long the answer to EndTxn waits for the markers at most. Without it the client's next transaction, which may
   * begin only after them, would meet CONCURRENT_TRANSACTIONS and lose a whole back-off.
   */
  readonly endWaitMaxMs?: number
}

export interface Credentials extends Claim {
  readonly transactionalId: string
}

export interface WriteArguments extends Claim {
  /** Of the request that writes. */
  readonly version: number
  readonly transactionalId: string | null
}

export interface InitProducerIdArguments {
  readonly version: number
  /** null: an idempotent producer without transactions. */
  readonly transactionalId: string | null
  readonly transactionTimeoutMs: number
  /** −1 and −1: a new instance. */
  readonly producerId: number
  readonly producerEpoch: number
}

/** −1 and −1 with an error, and where the version of the request has no answer to them. */
export interface ProducerIdAnswer {
  readonly error: number
  readonly producerId: number
  readonly producerEpoch: number
}

const fifteenMinutesMs = 900_000
const sevenDaysMs = 604_800_000
const oneHourMs = 3_600_000
const { NONE, INVALID_REQUEST, INVALID_PRODUCER_ID_MAPPING } = errorCodes
const absent = {
  loading: errorCodes.COORDINATOR_LOAD_IN_PROGRESS,
  closed: errorCodes.COORDINATOR_NOT_AVAILABLE,
} as const

export class TransactionCoordinator {
  readonly #store: TransactionStore
  readonly #finisher: Finisher
  readonly #partitions: TransactionPartitions
  readonly #producerIds: ProducerIds
  readonly #clock: CoordinatorClock
  readonly #log: BrokerLog
  readonly #settings: Required<CoordinatorSettings>
  #cancelExpiry: () => void = () => undefined
  #phase: 'loading' | 'serving' | 'closed' = 'loading'

  constructor(ports: CoordinatorPorts, settings: CoordinatorSettings) {
    this.#log = ports.log ?? silentLog
    this.#settings = {
      timeoutMaxMs: fifteenMinutesMs,
      idExpirationMs: sevenDaysMs,
      expiryIntervalMs: oneHourMs,
      endWaitMaxMs: 100,
      ...settings,
    }
    this.#partitions = ports.partitions
    this.#producerIds = ports.producerIds
    this.#clock = ports.clock
    this.#store = new TransactionStore(ports.stateLog, ports.clock, this.#log)
    this.#finisher = new Finisher(this.#store, ports.partitions, ports.clock, settings.coordinatorEpoch, this.#log)
  }

  /** Every record of the state log, in order, before `start`. */
  replay(key: Buffer, value: Buffer | null): void {
    this.#store.replay(key, value)
  }

  /**
   * From now on requests are answered, and what a crash left half done is completed. `open`: all transactions that are
   * open in the logs of partitions.
   */
  start(open: Iterable<OpenTransaction>): void {
    this.#phase = 'serving'
    const { adopted, abandoned } = adopt(open, this.#store.all(), this.#clock.now())
    for (const [slot, next] of adopted) void this.#store.save(slot, next)
    for (const { topic, partition, producerId, producerEpoch } of abandoned) {
      const marked = this.#finisher.mark({ topic, partition }, { kind: 'abort', producerId, producerEpoch })
      marked.catch((cause) => this.#log.error(`an abandoned transaction stays open in ${topic}-${partition}`, cause))
    }
    for (const slot of this.#store.all()) {
      if (isHalfEnded(slot.transaction)) this.#finisher.start(slot)
      else this.#watch(slot)
    }
    this.#expireLater()
  }

  /** Nothing is written any more; what was decided is completed after the next start. */
  close(): void {
    this.#phase = 'closed'
    this.#cancelExpiry()
    this.#store.close()
  }

  async initProducerId(request: InitProducerIdArguments): Promise<ProducerIdAnswer> {
    const { transactionalId, transactionTimeoutMs, producerId, producerEpoch } = request
    if ((producerId === none) !== (producerEpoch === none)) return noId(INVALID_REQUEST)
    if (transactionalId === null) {
      return { error: NONE, producerId: await this.#producerIds.nextProducerId(), producerEpoch: 0 }
    }
    if (transactionalId === '') return noId(INVALID_REQUEST)
    if (transactionTimeoutMs <= 0 || transactionTimeoutMs > this.#settings.timeoutMaxMs) {
      return noId(errorCodes.INVALID_TRANSACTION_TIMEOUT)
    }
    if (this.#phase !== 'serving') return noId(absent[this.#phase])
    const spareId = this.#needsId(transactionalId) ? await this.#producerIds.nextProducerId() : none
    // Another request may have come in between: whatever is there now counts.
    const slot = this.#store.get(transactionalId) ?? this.#create(transactionalId, spareId)
    const claim = producerId === none ? null : { producerId, producerEpoch }
    const before = slot.transaction
    const decision = decideInit(before, claim, transactionTimeoutMs, spareId, this.#clock.now())
    const error = await this.#carryOut(slot, decision)
    if (error !== NONE) return noId(fenceFor(request.version < 4, error))
    if (decision.kind === 'answer') return noId(fenceFor(request.version < 4, decision.error))
    if (before.state === 'Ongoing') return noId(errorCodes.CONCURRENT_TRANSACTIONS)
    return { error: NONE, producerId: decision.next.producerId, producerEpoch: decision.next.producerEpoch }
  }

  /** One error for each partition. `version` is that of the request; from 4 on brokers ask, and verify where told so. */
  async addPartitions(
    request: Credentials & {
      readonly version: number
      readonly verifyOnly: boolean
      readonly partitions: readonly TopicPartition[]
    },
  ): Promise<number[]> {
    const { transactionalId, partitions, version } = request
    const exist = partitions.map(({ topic, partition }) => this.#partitions.partitionExists(topic, partition))
    if (exist.includes(false)) {
      const { OPERATION_NOT_ATTEMPTED, UNKNOWN_TOPIC_OR_PARTITION } = errorCodes
      return exist.map((isThere) => (isThere ? OPERATION_NOT_ATTEMPTED : UNKNOWN_TOPIC_OR_PARTITION))
    }
    const slot = this.#find(transactionalId)
    if (typeof slot === 'number') return partitions.map(() => slot)
    if (request.verifyOnly) return partitions.map((partition) => verify(slot.transaction, request, partition))
    const error = await this.#add(slot, request, partitions, version > 3 ? 2 : 0)
    return partitions.map(() => fenceFor(version < 2, error))
  }

  async addOffsets(request: Credentials & { readonly version: number; readonly groupId: string }): Promise<number> {
    const slot = this.#find(request.transactionalId)
    if (typeof slot === 'number') return slot
    return fenceFor(request.version < 2, await this.#add(slot, request, [this.#offsetsOf(request.groupId)], 0))
  }

  async endTxn(
    request: Credentials & { readonly version: number; readonly committed: boolean },
  ): Promise<ProducerIdAnswer> {
    const { transactionalId } = request
    const raisesEpoch = request.version > 4
    const known = this.#find(transactionalId)
    if (typeof known === 'number') return noId(known)
    const spareId = raisesEpoch && this.#needsId(transactionalId) ? await this.#producerIds.nextProducerId() : none
    const slot = this.#find(transactionalId)
    if (typeof slot === 'number') return noId(slot)
    const end = request.committed ? 'commit' : 'abort'
    const decision = decideEnd(slot.transaction, request, end, { raisesEpoch, spareId }, this.#clock.now())
    const error = await this.#carryOut(slot, decision)
    if (error !== NONE) return noId(fenceFor(request.version < 2, error))
    if (decision.kind === 'write') await this.#within(slot.finishing, this.#settings.endWaitMaxMs)
    if (!raisesEpoch) return noId(NONE)
    const { producerId, producerEpoch } =
      decision.kind === 'write' ? completed(decision.next, decision.next.updatedMs) : slot.transaction
    return { error: NONE, producerId, producerEpoch }
  }

  /**
   * Before a transactional batch is written to a partition where its transaction is not open yet: belongs it there? The
   * newer flow adds the partition with this. The answer is in Produce's own errors and comes at once, so that the append
   * can follow in the same step: should the record of the addition be lost in a crash, the open transaction in the
   * partition's log tells of it (see `start`).
   */
  verifyPartition(request: WriteArguments & TopicPartition): number {
    const operation = operationOf(request.version, { adds: 12, knowsAbortable: 11 })
    return produceError(this.#verifyWrite(request, request, operation), operation)
  }

  /** The same before offsets are written in a transaction, in TxnOffsetCommit's own errors. */
  verifyOffsets(request: WriteArguments & { readonly groupId: string }): number {
    const operation = operationOf(request.version, { adds: 5, knowsAbortable: 4 })
    return offsetsError(this.#verifyWrite(request, this.#offsetsOf(request.groupId), operation), operation)
  }

  listTransactions(filters: TransactionFilters): TransactionList {
    if (this.#phase !== 'serving') return { error: absent[this.#phase], unknownStates: [], transactions: [] }
    return listTransactions(this.#transactions(), filters, this.#clock.now())
  }

  describeTransaction(transactionalId: string): TransactionDescription | { readonly error: number } {
    if (this.#phase !== 'serving') return { error: absent[this.#phase] }
    if (transactionalId === '') return { error: INVALID_REQUEST }
    return describeTransaction(this.#store.get(transactionalId)?.transaction)
  }

  // ── Steps ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #find(transactionalId: string): Slot | number {
    if (transactionalId === '') return INVALID_REQUEST
    if (this.#phase !== 'serving') return absent[this.#phase]
    return this.#store.get(transactionalId) ?? INVALID_PRODUCER_ID_MAPPING
  }

  #verifyWrite(request: WriteArguments, partition: TopicPartition, operation: WriteOperation): number {
    if (request.transactionalId === null) return errorCodes.INVALID_TXN_STATE
    const slot = this.#find(request.transactionalId)
    if (typeof slot === 'number') return slot
    if (operation !== 'add') return verify(slot.transaction, request, partition)
    const decision = decideAdd(slot.transaction, request, [partition], 2, this.#clock.now())
    if (decision.kind === 'answer') return decision.error
    void this.#carryOut(slot, decision)
    return NONE
  }

  #add(slot: Slot, claim: Claim, partitions: readonly TopicPartition[], clientVersion: number): Promise<number> {
    return this.#carryOut(slot, decideAdd(slot.transaction, claim, partitions, clientVersion, this.#clock.now()))
  }

  /** The record enters the log in this step. Resolves when the answer may be given. */
  async #carryOut(slot: Slot, decision: Decision): Promise<number> {
    if (decision.kind === 'answer') {
      // What the answer is built on may be on its way to the log: "done" must not be said before it is.
      if (decision.error === NONE) await slot.durable
      return decision.error
    }
    const saved = this.#store.save(slot, decision.next)
    this.#watch(slot)
    if (isHalfEnded(decision.next)) this.#finisher.start(slot)
    return saved
  }

  /** A transaction that is open for too long is aborted, and its producer fenced. */
  #watch(slot: Slot): void {
    const { state, startMs, timeoutMs } = slot.transaction
    if (state !== 'Ongoing') {
      slot.cancelTimeout?.()
      slot.cancelTimeout = null
    } else if (slot.cancelTimeout === null) {
      const delayMs = Math.max(0, startMs + timeoutMs + 1 - this.#clock.now())
      slot.cancelTimeout = this.#clock.timer(delayMs, () => {
        slot.cancelTimeout = null
        this.#abortLate(slot).catch((cause) => this.#log.error('a transaction could not be timed out', cause))
      })
    }
  }

  async #abortLate(slot: Slot): Promise<void> {
    const late = slot.transaction
    const spareId = isExhausted(late) ? await this.#producerIds.nextProducerId() : none
    const { state, startMs } = slot.transaction
    if (state !== 'Ongoing' || startMs !== late.startMs || this.#phase !== 'serving') return
    await this.#carryOut(slot, decideFence(slot.transaction, spareId, this.#clock.now()))
  }

  /** It is new, or its epochs are used up. Where not, the decision follows without a wait, so it stays like that. */
  #needsId(transactionalId: string): boolean {
    const slot = this.#store.get(transactionalId)
    return slot === undefined || isExhausted(slot.transaction)
  }

  #create(transactionalId: string, producerId: number): Slot {
    return this.#store.create(created(transactionalId, producerId, this.#clock.now()))
  }

  #offsetsOf(groupId: string): TopicPartition {
    return { topic: offsetsTopic, partition: this.#partitions.offsetsPartitionOf(groupId) }
  }

  *#transactions(): Iterable<Transaction> {
    for (const { transaction } of this.#store.all()) yield transaction
  }

  #expireLater(): void {
    this.#cancelExpiry = this.#clock.timer(this.#settings.expiryIntervalMs, () => {
      const before = this.#clock.now() - this.#settings.idExpirationMs
      const expired: string[] = []
      for (const transaction of this.#transactions()) {
        if (mayExpire(transaction) && transaction.updatedMs <= before) expired.push(transaction.transactionalId)
      }
      if (expired.length > 0) void this.#store.remove(expired)
      this.#expireLater()
    })
  }

  #within(promise: Promise<void> | null, waitMaxMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (promise === null || waitMaxMs <= 0) return resolve()
      const cancel = this.#clock.timer(waitMaxMs, resolve)
      const done = (): void => {
        cancel()
        resolve()
      }
      promise.then(done, done)
    })
  }
}

function noId(error: number): ProducerIdAnswer {
  return { error, producerId: none, producerEpoch: none }
}

/** Old clients do not know PRODUCER_FENCED. */
function fenceFor(isOldClient: boolean, error: number): number {
  return isOldClient && error === errorCodes.PRODUCER_FENCED ? errorCodes.INVALID_PRODUCER_EPOCH : error
}

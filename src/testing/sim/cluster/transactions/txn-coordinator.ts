/**
 * The transaction coordinator. The order of its questions is part of what it is: adding asks first whether an end is under
 * way, ending and verifying ask first who is there.
 */
import { Coordinator } from '../coordinators.ts'
import type { ErrorCode } from '../errors.ts'
import type { TopicPartitionName } from '../group-messages.ts'
import type { MarkerTarget, Settings } from '../options.ts'
import type { Timers } from '../timers.ts'
import type {
  AddOffsetsToTxnRequest,
  AddPartitionsToTxnRequest,
  AddPartitionsToTxnResponse,
  EndTxnRequest,
  InitProducerIdRequest,
  InitProducerIdResponse,
} from '../txn-messages.ts'
import { Markers, type WriteMarker } from './markers.ts'
import { isHalfEnded, type Transaction, targetKey } from './transaction.ts'

export class TxnCoordinator {
  readonly place: Coordinator
  readonly markers: Markers
  readonly #settings: Settings
  readonly #timers: Timers
  readonly #exists: (partition: TopicPartitionName) => boolean
  readonly #transactions = new Map<string, Transaction>()
  #producerIds = 0

  constructor(
    timers: Timers,
    settings: Settings,
    exists: (partition: TopicPartitionName) => boolean,
    write: WriteMarker,
  ) {
    this.place = new Coordinator(timers, settings.nodes)
    this.markers = new Markers(timers, settings.markerDelayMs, write)
    this.#settings = settings
    this.#timers = timers
    this.#exists = exists
  }

  transaction(transactionalId: string): Transaction | undefined {
    return this.#transactions.get(transactionalId)
  }

  initProducerId(nowMs: number, request: InitProducerIdRequest): InitProducerIdResponse {
    const { transactionalId, transactionTimeoutMs } = request
    if (transactionalId === null) return ready(this.#producerIds++, 0)
    if (transactionTimeoutMs <= 0 || transactionTimeoutMs > this.#settings.transactionTimeoutMaxMs) {
      return notReady('INVALID_TRANSACTION_TIMEOUT')
    }
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return notReady(refusal)
    const transaction = this.#transactions.get(transactionalId) ?? this.#create(transactionalId)
    if (isHalfEnded(transaction)) return notReady('CONCURRENT_TRANSACTIONS')
    const own = request.producerId >= 0
    if (own && request.producerId !== transaction.producerId) return notReady('PRODUCER_FENCED')
    if (transaction.state === 'Ongoing') {
      // Whoever asks, even a zombie: the open transaction is aborted first, and the asker has to come again.
      this.#fence(nowMs, transaction)
      return notReady('CONCURRENT_TRANSACTIONS')
    }
    if (own && request.producerEpoch !== transaction.producerEpoch) {
      if (request.producerEpoch !== transaction.lastProducerEpoch) return notReady('PRODUCER_FENCED')
    } else {
      transaction.lastProducerEpoch = own ? transaction.producerEpoch : -1
      transaction.producerEpoch++
    }
    transaction.state = 'Empty'
    transaction.timeoutMs = transactionTimeoutMs
    return ready(transaction.producerId, transaction.producerEpoch)
  }

  addPartitions(nowMs: number, request: AddPartitionsToTxnRequest): AddPartitionsToTxnResponse {
    const known = request.partitions.map((partition) => this.#exists(partition))
    const all = known.every((exists) => exists)
    const result = all ? this.#add(nowMs, request, request.partitions) : 'OPERATION_NOT_ATTEMPTED'
    const partitions = request.partitions.map(({ topic, partition }, i) => {
      const errorCode: ErrorCode = known[i] ? result : 'UNKNOWN_TOPIC_OR_PARTITION'
      return { topic, partition, errorCode }
    })
    return { kind: 'AddPartitionsToTxn', partitions }
  }

  addOffsets(nowMs: number, request: AddOffsetsToTxnRequest): ErrorCode {
    return this.#add(nowMs, request, ['group'])
  }

  end(nowMs: number, request: EndTxnRequest): ErrorCode {
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return refusal
    const transaction = this.#transactions.get(request.transactionalId)
    if (transaction?.producerId !== request.producerId) return 'INVALID_PRODUCER_ID_MAPPING'
    if (transaction.producerEpoch !== request.producerEpoch) return 'PRODUCER_FENCED'
    if (isHalfEnded(transaction)) return 'CONCURRENT_TRANSACTIONS'
    if (transaction.state === 'Ongoing') {
      this.#decide(nowMs, transaction, request.committed)
      return 'NONE'
    }
    return transaction.state === (request.committed ? 'CompleteCommit' : 'CompleteAbort') ? 'NONE' : 'INVALID_TXN_STATE'
  }

  /** Asked by a log before the first write of a transaction. */
  verify(transactionalId: string | null, producerId: number, producerEpoch: number, target: MarkerTarget): ErrorCode {
    if (this.place.loading) return 'COORDINATOR_LOAD_IN_PROGRESS'
    const transaction = this.#transactions.get(transactionalId ?? '')
    if (transaction?.producerId !== producerId) return 'INVALID_PRODUCER_ID_MAPPING'
    if (transaction.producerEpoch !== producerEpoch) return 'INVALID_PRODUCER_EPOCH'
    if (isHalfEnded(transaction)) return 'CONCURRENT_TRANSACTIONS'
    return transaction.targets.has(targetKey(target)) ? 'NONE' : 'TRANSACTION_ABORTABLE'
  }

  /** Its state is all in its log: nothing is lost, but for `loadMs` nothing is answered. */
  move(nowMs: number, loadMs: number): void {
    this.place.move(nowMs, loadMs, () => undefined)
  }

  #create(transactionalId: string): Transaction {
    const transaction: Transaction = {
      transactionalId,
      producerId: this.#producerIds++,
      producerEpoch: -1,
      lastProducerEpoch: -1,
      timeoutMs: 0,
      state: 'Empty',
      targets: new Map(),
      timeout: null,
    }
    this.#transactions.set(transactionalId, transaction)
    return transaction
  }

  #add(
    nowMs: number,
    request: AddPartitionsToTxnRequest | AddOffsetsToTxnRequest,
    targets: readonly MarkerTarget[],
  ): ErrorCode {
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return refusal
    const transaction = this.#transactions.get(request.transactionalId)
    if (transaction === undefined) return 'INVALID_PRODUCER_ID_MAPPING'
    if (isHalfEnded(transaction)) return 'CONCURRENT_TRANSACTIONS'
    if (transaction.producerId !== request.producerId) return 'INVALID_PRODUCER_ID_MAPPING'
    if (transaction.producerEpoch !== request.producerEpoch) return 'PRODUCER_FENCED'
    if (transaction.state !== 'Ongoing') {
      transaction.state = 'Ongoing'
      transaction.timeout = this.#timers.set(nowMs + transaction.timeoutMs, (at) => this.#fence(at, transaction))
    }
    for (const target of targets) transaction.targets.set(targetKey(target), target)
    return 'NONE'
  }

  /** Aborts under a raised epoch, so that the old producer cannot go on. The one that held the epoch may follow it. */
  #fence(nowMs: number, transaction: Transaction): void {
    transaction.lastProducerEpoch = transaction.producerEpoch
    transaction.producerEpoch++
    this.#decide(nowMs, transaction, false)
  }

  #decide(nowMs: number, transaction: Transaction, committed: boolean): void {
    this.#timers.cancel(transaction.timeout)
    transaction.timeout = null
    transaction.state = committed ? 'PrepareCommit' : 'PrepareAbort'
    this.markers.send(nowMs, transaction, committed, () => {
      transaction.state = committed ? 'CompleteCommit' : 'CompleteAbort'
    })
  }
}

function ready(producerId: number, producerEpoch: number): InitProducerIdResponse {
  return { kind: 'InitProducerId', errorCode: 'NONE', producerId, producerEpoch }
}

function notReady(errorCode: ErrorCode): InitProducerIdResponse {
  return { kind: 'InitProducerId', errorCode, producerId: -1, producerEpoch: -1 }
}

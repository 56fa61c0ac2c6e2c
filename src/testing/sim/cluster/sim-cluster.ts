/**
 * A deterministic, synchronous model of the parts of an Apache Kafka 4.1 cluster that a consumer and a transactional
 * producer talk to. No promise, no timer, no clock, no chance: time is an argument, and the owner says when deadlines have
 * come. Every answer that it can give is backed by a script that was replayed on Apache Kafka (test/conformance).
 */
import { assertKnownAnswer } from './answers.ts'
import type { GroupState } from './groups/group.ts'
import { GroupCoordinator } from './groups/group-coordinator.ts'
import type { AppliedCommit, CommittedOffset } from './groups/offset-store.ts'
import { Fetching } from './log/fetching.ts'
import { type ProduceContext, produce } from './log/producing.ts'
import { readCommitted } from './log/read-committed.ts'
import { Topics } from './log/topics.ts'
import type { LogRecord, ProducedRecord } from './log-messages.ts'
import { type ClusterOptions, settingsOf } from './options.ts'
import type { Request, RequestKind, RequestOf, Response, ResponseOf } from './requests.ts'
import { Timers } from './timers.ts'
import type { TransactionState } from './transactions/transaction.ts'
import { TxnCoordinator } from './transactions/txn-coordinator.ts'

export class SimCluster {
  readonly #timers = new Timers()
  readonly #topics: Topics
  readonly #fetching: Fetching
  readonly #groups: GroupCoordinator
  readonly #transactions: TxnCoordinator
  readonly #producing: ProduceContext

  constructor(options: ClusterOptions) {
    const settings = settingsOf(options)
    this.#topics = new Topics(options.topics)
    this.#fetching = new Fetching(this.#topics, this.#timers)
    const exists = (name: { topic: string; partition: number }): boolean => this.#topics.find(name) !== undefined
    this.#transactions = new TxnCoordinator(this.#timers, settings, exists, (nowMs, target, txn, committed) => {
      if (target === 'group') {
        this.#groups.offsets.endTransaction(nowMs, txn.producerId, committed)
        return
      }
      const log = this.#topics.get(target.topic, target.partition)
      log.appendMarker(txn.producerId, txn.producerEpoch, committed ? 'COMMIT' : 'ABORT')
      this.#fetching.changed(log)
    })
    this.#groups = new GroupCoordinator(this.#timers, settings, exists, (transactionalId, id, epoch) =>
      this.#transactions.verify(transactionalId, id, epoch, 'group'),
    )
    this.#producing = {
      topics: this.#topics,
      batchBytesMax: settings.batchBytesMax,
      verify: (transactionalId, id, epoch, name) => this.#transactions.verify(transactionalId, id, epoch, name),
      changed: (log) => this.#fetching.changed(log),
    }
  }

  /** Answers at once, or later where Kafka waits too; never, where the member that asked is gone meanwhile. */
  request<K extends RequestKind>(
    nowMs: number,
    request: RequestOf<K>,
    respond: (response: ResponseOf<K>) => void,
  ): void {
    const answer = (response: Response): void => {
      assertKnownAnswer(response)
      respond(response as ResponseOf<K>)
    }
    const response = this.#handle(nowMs, request, answer)
    if (response !== null) answer(response)
  }

  /** Everything whose time has come: sessions, rebalances, transactions, markers, waiting reads, loading. */
  tick(nowMs: number): void {
    this.#timers.run(nowMs)
  }

  nextDeadline(): number {
    return this.#timers.next()
  }

  // ── Looking in ─────────────────────────────────────────────────────────────────────────────────────────────────────

  committed(groupId: string, topic: string, partition: number): CommittedOffset | null {
    return this.#groups.offsets.get(groupId, topic, partition)
  }

  /** Called for every offset that becomes visible: by a plain commit, or by the marker of a transaction. */
  onCommitted(listener: (commit: AppliedCommit) => void): void {
    this.#groups.offsets.onCommitted(listener)
  }

  bounds(topic: string, partition: number): { start: number; end: number; lastStableOffset: number } {
    const { start, end, lastStableOffset } = this.#topics.get(topic, partition)
    return { start, end, lastStableOffset }
  }

  /** null: there is no such partition. */
  leaderEpoch(topic: string, partition: number): number | null {
    return this.#topics.find({ topic, partition })?.epochs.current ?? null
  }

  /** What a read_committed reader would be given, from the log start to the last stable offset. */
  readCommitted(topic: string, partition: number): readonly LogRecord[] {
    return readCommitted(this.#topics.get(topic, partition))
  }

  groupState(groupId: string): { state: GroupState; generationId: number; members: readonly string[] } | null {
    const group = this.#groups.group(groupId)
    if (group === undefined) return null
    return { state: group.state, generationId: group.generationId, members: [...group.members.keys()] }
  }

  transactionState(transactionalId: string): TransactionState | null {
    return this.#transactions.transaction(transactionalId)?.state ?? null
  }

  // ── Test controls ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** One batch of a plain producer; its first offset. */
  append(nowMs: number, topic: string, partition: number, records: readonly ProducedRecord[]): number {
    const log = this.#topics.get(topic, partition)
    const plain = { producerId: -1, producerEpoch: -1, baseSequence: -1, isTransactional: false }
    const baseOffset = log.append(nowMs, { ...plain, records })
    this.#fetching.changed(log)
    return baseOffset
  }

  /** Compaction: these records are gone, and their offsets are holes. */
  removeRecords(topic: string, partition: number, offsets: Iterable<number>): void {
    this.#topics.get(topic, partition).removeRecords(new Set(offsets))
  }

  deleteRecordsBefore(topic: string, partition: number, offset: number): void {
    const log = this.#topics.get(topic, partition)
    log.deleteBefore(offset)
    this.#fetching.changed(log)
  }

  /** An unclean election: the log is cut here, and the leader epoch rises. */
  truncate(topic: string, partition: number, offset: number): void {
    const log = this.#topics.get(topic, partition)
    log.truncate(offset)
    this.#fetching.changed(log)
  }

  /** A clean election: nothing is lost, but the leader epoch rises. */
  elect(topic: string, partition: number): void {
    const log = this.#topics.get(topic, partition)
    log.epochs.raise(log.end)
    this.#fetching.changed(log)
  }

  /** To the next node, which loads for so long. Requests to the old one are answered with NOT_COORDINATOR. */
  moveCoordinator(nowMs: number, of: 'group' | 'transaction', loadMs = 0): void {
    if (of === 'group') this.#groups.move(nowMs, loadMs)
    else this.#transactions.move(nowMs, loadMs)
  }

  expireSession(nowMs: number, groupId: string, memberId: string): void {
    this.#groups.expireSession(nowMs, groupId, memberId)
  }

  /** Transactions that write there stay half-ended, until they are released. */
  holdMarkers(target: 'group' | { readonly topic: string }): void {
    this.#transactions.markers.hold(target)
  }

  releaseMarkers(nowMs: number): void {
    this.#transactions.markers.release(nowMs)
  }

  // ── Dispatch ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** null: it is or will be answered through `later`. */
  #handle(nowMs: number, request: Request, later: (response: Response) => void): Response | null {
    const groups = this.#groups
    const transactions = this.#transactions
    switch (request.kind) {
      case 'FindCoordinator': {
        const { place } = request.keyType === 'group' ? groups : transactions
        return { kind: 'FindCoordinator', errorCode: 'NONE', nodeId: place.node }
      }
      case 'Metadata':
        return this.#topics.metadata(request)
      case 'JoinGroup':
        return groups.join(nowMs, request, later)
      case 'SyncGroup':
        return groups.sync(nowMs, request, later)
      case 'Heartbeat':
        return { kind: 'Heartbeat', errorCode: groups.heartbeat(nowMs, request) }
      case 'LeaveGroup':
        return groups.leave(nowMs, request)
      case 'OffsetCommit':
        return groups.commit(nowMs, request)
      case 'OffsetFetch':
        return groups.fetchOffsets(request)
      case 'TxnOffsetCommit':
        return groups.commitInTransaction(request)
      case 'InitProducerId':
        return transactions.initProducerId(nowMs, request)
      case 'AddPartitionsToTxn':
        return transactions.addPartitions(nowMs, request)
      case 'AddOffsetsToTxn':
        return { kind: 'AddOffsetsToTxn', errorCode: transactions.addOffsets(nowMs, request) }
      case 'EndTxn':
        return { kind: 'EndTxn', errorCode: transactions.end(nowMs, request) }
      case 'Produce':
        return produce(nowMs, request, this.#producing)
      case 'Fetch':
        return this.#fetching.fetch(nowMs, request, later)
      case 'ListOffsets':
        return this.#topics.listOffsets(request)
      case 'OffsetForLeaderEpoch':
        return this.#topics.offsetForLeaderEpoch(request)
    }
  }
}

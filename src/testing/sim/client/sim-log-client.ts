/**
 * A Kafka client for the simulator: membership, fetching, committing and transactions as a real one does them, against a
 * simulated cluster, over a network that loses and delays. All time and chance come from its clock, so a seed replays it.
 */
import { FanlaneError } from '../../../errors.ts'
import type {
  CommitEntry,
  CommitOutcome,
  FetchFrom,
  LeaseName,
  Publication,
  PublishResult,
  StartPosition,
  TransactionOutcome,
} from '../../../kernel/events.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { LogClient, LogClientListener, RecordBatch } from '../../../ports/log-client.ts'
import { Committer } from './committer.ts'
import { Coordinator } from './coordinator.ts'
import { FetchTargets } from './fetch-target.ts'
import { Fetcher } from './fetcher.ts'
import { Holdings } from './holdings.ts'
import { LATEST, listOffsets } from './log-bounds.ts'
import { Membership } from './membership.ts'
import type { SimClientOptions } from './options.ts'
import { Positions } from './positions.ts'
import { Publisher } from './publisher.ts'
import { Repair } from './repair.ts'
import { Topics } from './topics.ts'
import { Transactions } from './transactions.ts'
import { Wire } from './wire.ts'

interface Parts {
  readonly membership: Membership
  readonly positions: Positions
  readonly fetcher: Fetcher
  readonly committer: Committer
  readonly publisher: Publisher
  readonly transactions: Transactions | null
}

export class SimLogClient implements LogClient {
  readonly #wire: Wire
  #parts: Parts | null = null

  constructor(options: SimClientOptions) {
    this.#wire = new Wire(options)
  }

  /** Joining goes on in the background; `assigned` tells when there is something to read. */
  async start(listener: LogClientListener): Promise<void> {
    const parts = build(this.#wire, listener)
    const onError = (error: unknown): void => listener.failed(error)
    this.#parts = parts
    // First of all: whatever an earlier life of this transactional id left open ends now, not at its time-out.
    parts.transactions?.reset().catch(onError)
    parts.fetcher.start(onError)
    parts.membership.start()
  }

  readPositions(leases: readonly LeaseName[]): Promise<readonly StartPosition[]> {
    return this.#started.positions.read(leases)
  }

  fetch(from: readonly FetchFrom[]): void {
    this.#started.fetcher.fetch(from)
  }

  stopFetch(leases: readonly LeaseName[]): void {
    this.#started.fetcher.stop(leases)
  }

  pause(leases: readonly LeaseName[]): void {
    this.#started.fetcher.pause(leases, true)
  }

  resume(leases: readonly LeaseName[]): void {
    this.#started.fetcher.pause(leases, false)
  }

  poll(): Promise<readonly RecordBatch[]> {
    return this.#started.fetcher.poll()
  }

  commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    return this.#started.committer.commit(entries)
  }

  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    return this.#started.publisher.publish(publications)
  }

  transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    return this.#transactions.transact(entries, publications)
  }

  resetProducer(): Promise<void> {
    return this.#transactions.reset()
  }

  rejoin(): void {
    this.#started.membership.rejoin()
  }

  async logEnds(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    const wire = this.#wire
    const backoff = wire.backoff()
    const ends = new Map<string, number>()
    while (wire.isOpen) {
      const found = await listOffsets(wire, partitions, LATEST, wire.options.isolation)
      for (const [key, { offset }] of found) ends.set(key, offset)
      if (ends.size >= partitions.length) break
      await backoff.pause()
    }
    return ends
  }

  async close({ leave = true }: { readonly leave?: boolean }): Promise<void> {
    this.#wire.close()
    this.#parts?.fetcher.close()
    await this.#parts?.membership.close(leave)
  }

  get #started(): Parts {
    if (this.#parts === null) throw new FanlaneError('NOT_STARTED', 'Call start() first.')
    return this.#parts
  }

  get #transactions(): Transactions {
    const { transactions } = this.#started
    if (transactions === null) throw new FanlaneError('NO_TRANSACTIONAL_ID', 'Give the client a transactionalId.')
    return transactions
  }
}

function build(wire: Wire, listener: LogClientListener): Parts {
  const { group, transactionalId } = wire.options
  const topics = new Topics(wire)
  const groupCoordinator = new Coordinator(wire, 'group', group)
  const holdings = new Holdings(listener)
  const { ownership } = holdings
  const failed = (error: unknown): void => listener.failed(error)
  const membership = new Membership(wire, groupCoordinator, topics, holdings, failed)
  const positions = new Positions(wire, groupCoordinator, topics, ownership)
  const repair = new Repair(wire, topics, (lease) => holdings.renew(lease))
  const targets = new FetchTargets(ownership, positions.checkedLeaders)
  return {
    membership,
    positions,
    fetcher: new Fetcher(wire, targets, repair),
    committer: new Committer(wire, groupCoordinator, membership, ownership),
    publisher: new Publisher(wire, topics, failed),
    transactions:
      transactionalId === null
        ? null
        : new Transactions({
            wire,
            topics,
            membership,
            ownership,
            groupCoordinator,
            coordinator: new Coordinator(wire, 'transaction', transactionalId),
            transactionalId,
          }),
  }
}

/**
 * The log client that speaks Kafka's protocol: membership, fetching, committing and transactions, on a `Wire`. The simulator
 * runs this same class on a simulated wire and clock.
 */
import { Backoff } from '../../cluster/backoff.ts'
import { Coordinator } from '../../cluster/coordinator.ts'
import { Metadata } from '../../cluster/metadata.ts'
import type { Wire } from '../../cluster/wire.ts'
import { FanlaneError } from '../../errors.ts'
import type {
  CommitEntry,
  CommitOutcome,
  FetchFrom,
  LeaseName,
  Publication,
  PublishResult,
  StartPosition,
  TransactionOutcome,
} from '../../kernel/events.ts'
import type { TopicPartition } from '../../kernel/ids.ts'
import type { LogClient, LogClientListener, RecordBatch } from '../../ports/log-client.ts'
import { Committer } from './commit/committer.ts'
import { FetchTargets } from './fetch/fetch-target.ts'
import { Fetcher } from './fetch/fetcher.ts'
import { Repair } from './fetch/repair.ts'
import { ClassicMembership } from './group/classic/membership.ts'
import { FixedMembership } from './group/fixed-membership.ts'
import type { MakeHeartbeater } from './group/heartbeater.ts'
import { Holdings } from './group/holdings.ts'
import type { Membership } from './group/membership.ts'
import { partitionKey } from './group/ownership.ts'
import { Topics } from './group/topics.ts'
import type { NativeOptions } from './options.ts'
import { latest, listOffsets, type Offsets, refreshLeaders } from './positions/log-bounds.ts'
import { Positions } from './positions/positions.ts'

export interface NativeSurroundings {
  /** Closed with the client. */
  readonly wire: Wire & { close(): Promise<void> | void }
  readonly makeHeartbeater: MakeHeartbeater
}

interface Parts {
  readonly membership: Membership
  readonly positions: Positions
  readonly fetcher: Fetcher
  /** null: there is no group that keeps offsets. */
  readonly committer: Committer | null
}

export class NativeClient implements LogClient {
  readonly #around: NativeSurroundings
  readonly #options: NativeOptions
  readonly #metadata: Metadata
  #parts: Parts | null = null

  constructor(options: NativeOptions, around: NativeSurroundings) {
    this.#options = options
    this.#around = around
    this.#metadata = new Metadata(around.wire, { autoCreate: true })
  }

  /** Joining goes on in the background; `assigned` tells when there is something to read. */
  async start(listener: LogClientListener): Promise<void> {
    this.#parts = this.#build(listener)
    this.#parts.membership.start()
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

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    const { committer } = this.#started
    return committer === null ? entries.map(() => 'ok') : committer.commit(entries)
  }

  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    throw new FanlaneError('NOT_YET', `${publications.length}`)
  }

  transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    throw new FanlaneError('NOT_YET', `${publications.length} ${entries.length}`)
  }

  async resetProducer(): Promise<void> {
    throw new FanlaneError('NOT_YET', 'resetProducer')
  }

  rejoin(): void {
    this.#started.membership.rejoin()
  }

  logEnds(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    return this.#insist(partitions, (open) => this.#list(open, latest))
  }

  /** Where there is no record of that time or later, the log end. */
  offsetsForTimes(partitions: readonly TopicPartition[], timestamp: number): Promise<ReadonlyMap<string, number>> {
    return this.#insist(partitions, async (open) => {
      // First the ends: a record that comes between the two questions is found by the second.
      const ends = await this.#list(open, latest)
      const found = await this.#list(
        open.filter((partition) => ends.has(partitionKey(partition))),
        timestamp,
      )
      return new Map([...ends, ...found])
    })
  }

  async close({ leave = this.#options.instanceId === null }: { readonly leave?: boolean }): Promise<void> {
    this.#parts?.fetcher.close()
    await this.#parts?.membership.close(leave)
    await this.#around.wire.close()
  }

  #list(partitions: readonly TopicPartition[], timestamp: number): Promise<Offsets> {
    const asker = { wire: this.#around.wire, metadata: this.#metadata, options: this.#options }
    return listOffsets(asker, partitions, timestamp, this.#options.isolation)
  }

  /** Until everything is answered, or the client is closed. */
  async #insist(
    partitions: readonly TopicPartition[],
    ask: (open: readonly TopicPartition[]) => Promise<Offsets>,
  ): Promise<ReadonlyMap<string, number>> {
    const { wire } = this.#around
    const backoff = new Backoff(wire.clock, this.#options.backoff)
    const known = new Map<string, number>()
    for (let open = partitions; open.length > 0 && wire.isOpen; ) {
      for (const [key, { offset }] of await ask(open)) known.set(key, offset)
      open = partitions.filter((partition) => !known.has(partitionKey(partition)))
      if (open.length === 0) break
      await refreshLeaders(this.#metadata, [...new Set(open.map(({ topic }) => topic))])
      await backoff.pause()
    }
    return known
  }

  get #started(): Parts {
    if (this.#parts === null) throw new FanlaneError('NOT_STARTED', 'Call start() first.')
    return this.#parts
  }

  #build(listener: LogClientListener): Parts {
    const { wire } = this.#around
    const options = this.#options
    const metadata = this.#metadata
    const { group, backoff, partitions } = options
    const failed = (error: unknown): void => listener.failed(error)
    const coordinator = group === null ? null : new Coordinator(wire, 'group', group)
    const holdings = new Holdings(listener)
    const { ownership } = holdings
    const membership = this.#membership(holdings, coordinator, failed)
    const asker = { wire, metadata, options }
    const wanted = new Map((partitions ?? []).map((each) => [partitionKey(each), each.offset ?? -1]))
    const positions = new Positions({ ...asker, coordinator, ownership, group, wanted, backoff })
    const renew = (lease: LeaseName): void => holdings.renew(lease)
    const repair = new Repair(asker, renew)
    const targets = new FetchTargets(ownership, positions.checkedLeaders)
    return {
      membership,
      positions,
      fetcher: new Fetcher({ ...asker, targets, repair, renew, failed }),
      committer:
        coordinator === null || group === null
          ? null
          : new Committer({ wire, coordinator, membership, ownership, group }),
    }
  }

  #membership(holdings: Holdings, coordinator: Coordinator | null, failed: (error: unknown) => void): Membership {
    const { wire, makeHeartbeater } = this.#around
    const { group, partitions } = this.#options
    if (partitions !== null || coordinator === null || group === null) {
      return new FixedMembership(holdings, partitions ?? [])
    }
    const options = { ...this.#options, group }
    const topics = new Topics(wire, this.#metadata, options)
    return new ClassicMembership({ wire, coordinator, topics, holdings, options, makeHeartbeater, failed })
  }
}

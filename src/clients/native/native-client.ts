/**
 * The log client that speaks Kafka's protocol: membership, fetching, committing and transactions, on a `Wire`. The simulator
 * runs this same class on a simulated wire and clock.
 */
import { Backoff } from '../../cluster/backoff.ts'
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
import type { MakeHeartbeater } from './group/heartbeater.ts'
import { partitionKey } from './group/ownership.ts'
import type { NativeOptions } from './options.ts'
import { buildParts, type Parts } from './parts.ts'
import { latest, listOffsets, type Offsets, refreshLeaders } from './positions/log-bounds.ts'
import type { Transactions } from './produce/transactions.ts'

export interface NativeSurroundings {
  /** Closed with the client. */
  readonly wire: Wire & { close(): Promise<void> | void }
  readonly makeHeartbeater: MakeHeartbeater
  /** It goes on, but somebody should know why it does not get further. */
  readonly trouble?: (error: unknown) => void
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
    const parts = buildParts(this.#options, { ...this.#around, metadata: this.#metadata }, listener)
    this.#parts = parts
    // First of all: whatever an earlier life of this transactional id left open ends now, not at its time-out.
    parts.transactions?.reset().catch((error) => listener.failed(error))
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

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    const { committer } = this.#started
    return committer === null ? entries.map(() => 'ok') : committer.commit(entries)
  }

  publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    return this.#started.publisher.publish(publications)
  }

  ensureTopic(topic: string, like: string): Promise<void> {
    return this.#started.topicMaker.ensure(topic, like)
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
    this.#parts?.publisher.close()
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

  get #transactions(): Transactions {
    const { transactions } = this.#started
    if (transactions === null)
      throw new FanlaneError('NO_TRANSACTIONAL_ID', 'This client has no transactions: give it a transactionalId.')
    return transactions
  }

  get #started(): Parts {
    if (this.#parts === null) throw new FanlaneError('NOT_STARTED', 'The client is not started: call start() first.')
    return this.#parts
  }
}

/** The log client of a memory log. */
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
import type { Position, TopicPartition } from '../../kernel/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LogClient, LogClientListener, OutgoingRecord, RawRecord, RecordBatch } from '../../ports/log-client.ts'
import { type MemoryGroup, type MemoryMember, nameOf } from './memory-group.ts'
import { METADATA_MAX_CHARS, type MemoryLog } from './memory-log.ts'

/** Records of one partition in one batch. */
const BATCH_MAX_RECORDS = 500

export interface MemoryClientOptions {
  readonly log: MemoryLog
  readonly group: string
  readonly topics: readonly string[]
  readonly startFrom: 'earliest' | 'latest' | 'fail' | { readonly timestamp: number }
  readonly clock: Clock
}

interface FetchState {
  readonly lease: LeaseName
  position: number
  paused: boolean
}

export class MemoryClient implements LogClient {
  readonly #options: MemoryClientOptions
  readonly #group: MemoryGroup
  readonly #fetches: Map<string, FetchState> = new Map()
  #member: MemoryMember | null = null
  #poll: ((batches: readonly RecordBatch[]) => void) | null = null
  #lookPlanned = false
  #stopListening: () => void = () => undefined

  constructor(options: MemoryClientOptions) {
    this.#options = options
    this.#group = options.log.group(options.group)
  }

  async start(listener: LogClientListener): Promise<void> {
    this.#stopListening = this.#options.log.onAppend(() => this.#look())
    this.#member = { topics: this.#options.topics, listener, owned: new Map(), informed: false }
    this.#group.join(this.#member).catch((error) => listener.failed(error))
  }

  async readPositions(leases: readonly LeaseName[]): Promise<readonly StartPosition[]> {
    return leases.map((lease) => {
      const records = this.#options.log.records(lease.topic, lease.partition)
      const stored = this.#group.committed(lease.topic, lease.partition)
      const position = stored?.position ?? startPosition(records, this.#options.startFrom, nameOf(lease))
      return {
        ...lease,
        position: position as Position,
        metadata: stored?.metadata ?? null,
        committed: stored !== null,
        logEnd: records.length as Position,
        leaderEpoch: 0,
      }
    })
  }

  fetch(from: readonly FetchFrom[]): void {
    for (const { position, ...lease } of from) {
      const paused =
        this.#fetches.get(nameOf(lease))?.lease.epoch === lease.epoch && this.#fetches.get(nameOf(lease))?.paused
      this.#fetches.set(nameOf(lease), { lease, position, paused: paused ?? false })
    }
    this.#look()
  }

  stopFetch(leases: readonly LeaseName[]): void {
    for (const lease of leases) {
      if (this.#fetches.get(nameOf(lease))?.lease.epoch === lease.epoch) this.#fetches.delete(nameOf(lease))
    }
  }

  pause(leases: readonly LeaseName[]): void {
    this.#setPaused(leases, true)
  }

  resume(leases: readonly LeaseName[]): void {
    this.#setPaused(leases, false)
    this.#look()
  }

  poll(): Promise<readonly RecordBatch[]> {
    return new Promise((resolve) => {
      this.#poll = resolve
      this.#look()
    })
  }

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    return entries.map((entry) => {
      if (!this.#member?.owned.has(nameOf(entry))) return 'fenced'
      if (entry.metadata.length > METADATA_MAX_CHARS) return 'too-large'
      this.#group.commit(entry, { position: entry.position, metadata: entry.metadata })
      return 'ok'
    })
  }

  async publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    return publications.map(({ work, sends }) => {
      this.#options.log.appendOutgoing(sends as readonly OutgoingRecord[])
      return { work, ok: true }
    })
  }

  async transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    if (entries.some((entry) => !this.#member?.owned.has(nameOf(entry)))) return { kind: 'aborted' }
    if (entries.some((entry) => entry.metadata.length > METADATA_MAX_CHARS)) return { kind: 'too-large' }
    await this.publish(publications)
    await this.commit(entries)
    return { kind: 'committed' }
  }

  async resetProducer(): Promise<void> {
    // Nothing can be left open: a transaction in memory is one synchronous step.
  }

  rejoin(): void {
    const member = this.#member
    if (member === null) return
    member.listener.lost([...member.owned.values()])
    this.#group
      .leave(member)
      .then(() => this.#group.join(member))
      .catch((error) => member.listener.failed(error))
  }

  async logEnds(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    return new Map(
      partitions.map(({ topic, partition }) => [
        nameOf({ topic, partition }),
        this.#options.log.records(topic, partition).length,
      ]),
    )
  }

  async offsetsForTimes(
    partitions: readonly TopicPartition[],
    timestamp: number,
  ): Promise<ReadonlyMap<string, number>> {
    return new Map(
      partitions.map(({ topic, partition }) => [
        nameOf({ topic, partition }),
        offsetAt(this.#options.log.records(topic, partition), timestamp),
      ]),
    )
  }

  async close(): Promise<void> {
    this.#stopListening()
    this.#fetches.clear()
    this.#poll = null
    if (this.#member !== null) await this.#group.leave(this.#member)
    this.#member = null
  }

  #setPaused(leases: readonly LeaseName[], paused: boolean): void {
    for (const lease of leases) {
      const fetch = this.#fetches.get(nameOf(lease))
      if (fetch?.lease.epoch === lease.epoch) fetch.paused = paused
    }
  }

  /** See whether a waiting poll can be answered, in a turn of its own so that appends of one turn come together. */
  #look(): void {
    if (this.#poll === null || this.#lookPlanned) return
    this.#lookPlanned = true
    this.#options.clock.soon(() => {
      this.#lookPlanned = false
      const batches = [...this.#fetches.values()].flatMap((fetch) => this.#read(fetch))
      if (batches.length === 0 || this.#poll === null) return
      const resolve = this.#poll
      this.#poll = null
      resolve(batches)
    })
  }

  #read(fetch: FetchState): RecordBatch[] {
    const all = this.#options.log.records(fetch.lease.topic, fetch.lease.partition)
    if (fetch.paused || fetch.position >= all.length) return []
    const records = all.slice(fetch.position, fetch.position + BATCH_MAX_RECORDS)
    fetch.position += records.length
    return [batchOf(fetch, records, all.length)]
  }
}

function batchOf(fetch: FetchState, records: readonly RawRecord[], logEnd: number): RecordBatch {
  return {
    epoch: fetch.lease.epoch,
    count: records.length,
    offsets: records.map(({ offset }) => offset),
    keys: records.map(({ key }) => key?.toString('latin1') ?? null),
    sizes: records.map(({ size }) => size),
    nextPosition: fetch.position as Position,
    logEnd: logEnd as Position,
    leaderEpoch: 0,
    record: (index) => records[index] as RawRecord,
  }
}

function startPosition(
  records: readonly RawRecord[],
  startFrom: MemoryClientOptions['startFrom'],
  name: string,
): number {
  if (startFrom === 'latest') return records.length
  if (startFrom === 'fail') {
    throw new FanlaneError(
      'NO_COMMITTED_OFFSET',
      `${name} has no committed offset and startFrom is 'fail'. Commit one first, or choose 'earliest' or 'latest'.`,
    )
  }
  return typeof startFrom === 'object' ? offsetAt(records, startFrom.timestamp) : 0
}

/** The first record of that time or later, or the end. */
function offsetAt(records: readonly RawRecord[], time: number): number {
  const at = records.findIndex(({ timestamp }) => timestamp >= time)
  return at < 0 ? records.length : at
}

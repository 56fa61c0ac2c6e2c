/**
 * A log client with an observer's eyes: it tells the ledger who owns what and from which commit a lease starts, checks
 * the commits that are issued, and makes dead letters fail.
 */
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
import { decodeMap } from '../../../kernel/offset-map/index.ts'
import type { LogClient, LogClientListener, OutgoingRecord, RecordBatch } from '../../../ports/log-client.ts'
import type { ProcessClock } from '../process-clock.ts'
import { type Ledger, Violation } from './ledger.ts'
import type { Faults } from './scenario.ts'

export interface WatchParts {
  readonly client: LogClient
  readonly process: ProcessClock
  readonly name: string
  readonly ledger: Ledger
  readonly fail: (violation: Violation) => void
  readonly faults: () => Faults
  readonly onLost: (partitions: readonly TopicPartition[]) => void
  /** Called when a revoke that began then is acknowledged, with the partitions whose commits all were answered. */
  readonly onReleased: (partitions: readonly TopicPartition[], sinceMs: number) => void
  readonly checkIssued: (entries: readonly CommitEntry[]) => void
}

/** The alphabet, and halving from the longest map down to the shortest limit, for each partition. */
const TOO_LARGE_MAX = 24
/** A request lands at most so long after its sender gave up. */
const LATE_MS = 600

export class WatchedClient implements LogClient {
  readonly #parts: WatchParts
  /** Commits under way, by partition: never two. */
  readonly #inFlight: Set<string> = new Set()
  /** Partition → when a commit of it was last left without an answer. */
  readonly #unanswered: Map<string, number> = new Map()
  /** Partitions whose last commit was not stored. */
  readonly #refused: Set<string> = new Set()
  #tooLargeAnswers = 0
  /** Highest position issued, by lease. */
  readonly #issued: Map<number, number> = new Map()

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  start(listener: LogClientListener): Promise<void> {
    const own = (partitions: readonly TopicPartition[], owned: boolean): void => {
      for (const { partition } of partitions) this.#parts.ledger.owns(this.#parts.name, partition, owned)
    }
    return this.#parts.client.start({
      assigned: (partitions) => {
        own(partitions, true)
        listener.assigned(partitions)
      },
      revoked: async (partitions) => {
        const sinceMs = this.#parts.process.now()
        await listener.revoked(partitions)
        own(partitions, false)
        this.#parts.onReleased(
          partitions.filter((name) => !this.#isInDoubt(name)),
          sinceMs,
        )
        for (const { partition } of partitions) this.#parts.ledger.leaseEnds(this.#parts.name, partition)
      },
      lost: (partitions) => {
        this.#parts.onLost(partitions)
        listener.lost(partitions)
        for (const { partition } of partitions) this.#parts.ledger.leaseEnds(this.#parts.name, partition)
      },
      failed: (error) => listener.failed(error),
    })
  }

  async readPositions(leases: readonly LeaseName[]): Promise<readonly StartPosition[]> {
    const starts = await this.#parts.client.readPositions(leases)
    for (const { partition, position, metadata, logEnd } of starts) {
      const map = decodeMap(position, metadata)
      const finished = new Set<number>()
      for (const offset of map.kind === 'map' ? offsetsOf(position, map.runs) : [])
        if (offset < logEnd) finished.add(offset)
      this.#parts.ledger.leaseStarts(this.#parts.name, partition, {
        sinceMs: this.#parts.process.now(),
        position,
        finished,
      })
    }
    return starts
  }

  async commit(entries: readonly CommitEntry[]): Promise<readonly CommitOutcome[]> {
    this.#issue(entries)
    const outcomes = await this.#parts.client.commit(entries)
    this.#answered(entries, outcomes)
    return outcomes
  }

  async transact(entries: readonly CommitEntry[], publications: readonly Publication[]): Promise<TransactionOutcome> {
    this.#issue(entries)
    const outcome = await this.#parts.client.transact(entries, publications)
    this.#answered(
      entries,
      entries.map(() => toCommitOutcome(outcome)),
    )
    return outcome
  }

  async publish(publications: readonly Publication[]): Promise<readonly PublishResult[]> {
    const { client, process } = this.#parts
    const isLetter = publications.some(({ sends }) =>
      sends.some((send) => (send as OutgoingRecord).topic.endsWith('.dlq')),
    )
    const { deadLetterFailures, publishFailures } = this.#parts.faults()
    if (process.random() < (isLetter ? deadLetterFailures : publishFailures)) {
      return publications.map(({ work }) => ({ work, ok: false, error: new Error('simulated: the topic is down') }))
    }
    return client.publish(publications)
  }

  #issue(entries: readonly CommitEntry[]): void {
    for (const { topic, partition, epoch, position } of entries) {
      const name = `${topic}-${partition}/${epoch}`
      if (this.#inFlight.has(name)) {
        this.#parts.fail(
          new Violation('I4', `${this.#parts.name} sends a second commit of ${name} before the first is answered`),
        )
      }
      this.#inFlight.add(name)
      const before = this.#issued.get(epoch) ?? -1
      if (position < before) {
        this.#parts.fail(new Violation('I4', `${this.#parts.name} commits ${position} of ${name} after ${before}`))
      }
      this.#issued.set(epoch, position)
    }
    this.#parts.checkIssued(entries)
  }

  /** Its last word may be missing, or be undone by a request that lands late. */
  #isInDoubt(name: TopicPartition): boolean {
    if (this.#refused.has(nameOf(name))) return true
    if (this.#parts.process.now() - (this.#unanswered.get(nameOf(name)) ?? Number.NEGATIVE_INFINITY) < LATE_MS)
      return true
    return [...this.#inFlight].some((each) => each.startsWith(`${nameOf(name)}/`))
  }

  /** I10 · a refusal is learned from: a few tries, then it fits. */
  #tooLarge({ metadata, partition }: CommitEntry): void {
    if (++this.#tooLargeAnswers <= TOO_LARGE_MAX) return
    const detail = `${this.#parts.name} still sends ${metadata.length} characters for ${partition} after ${TOO_LARGE_MAX} refusals`
    this.#parts.fail(new Violation('I10', detail))
  }

  #answered(entries: readonly CommitEntry[], outcomes: readonly CommitOutcome[]): void {
    for (const [at, entry] of entries.entries()) {
      this.#inFlight.delete(`${nameOf(entry)}/${entry.epoch}`)
      if (outcomes[at] === 'too-large') this.#tooLarge(entry)
      if (outcomes[at] === 'unknown') this.#unanswered.set(nameOf(entry), this.#parts.process.now())
      if (outcomes[at] === 'ok') this.#refused.delete(nameOf(entry))
      else this.#refused.add(nameOf(entry))
    }
  }

  fetch(from: readonly FetchFrom[]): void {
    this.#parts.client.fetch(from)
  }

  stopFetch(leases: readonly LeaseName[]): void {
    this.#parts.client.stopFetch(leases)
  }

  pause(leases: readonly LeaseName[]): void {
    this.#parts.client.pause(leases)
  }

  resume(leases: readonly LeaseName[]): void {
    this.#parts.client.resume(leases)
  }

  poll(): Promise<readonly RecordBatch[]> {
    return this.#parts.client.poll()
  }

  resetProducer(): Promise<void> {
    return this.#parts.client.resetProducer()
  }

  rejoin(): void {
    this.#parts.client.rejoin()
  }

  logEnds(partitions: readonly TopicPartition[]): Promise<ReadonlyMap<string, number>> {
    return this.#parts.client.logEnds(partitions)
  }

  close(options: { readonly leave?: boolean }): Promise<void> {
    return this.#parts.client.close(options)
  }
}

function toCommitOutcome({ kind }: TransactionOutcome): CommitOutcome {
  if (kind === 'committed') return 'ok'
  return kind === 'too-large' ? kind : 'refused'
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}

/** Finished offsets of a decoded map. Simulated maps are small. */
export function* offsetsOf(position: number, runs: readonly number[]): Generator<number> {
  let cursor = position
  for (let at = 0; at + 1 < runs.length; at += 2) {
    cursor += runs[at] as number
    for (let left = runs[at + 1] as number; left > 0; left--) yield cursor++
  }
}

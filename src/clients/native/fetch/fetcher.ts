/** Reading: which partitions, from which broker, and what came of it until the control plane takes it. */
import { Backoff } from '../../../cluster/backoff.ts'
import { FanlaneError } from '../../../errors.ts'
import type { FetchFrom, LeaseName } from '../../../kernel/events.ts'
import type { RecordBatch } from '../../../ports/log-client.ts'
import type { PartitionData } from '../../../protocol/generated/01-fetch.ts'
import type { NativeOptions } from '../options.ts'
import type { LogAsker } from '../positions/log-bounds.ts'
import { readBatches } from './batch-reader.ts'
import type { FetchTarget, FetchTargets } from './fetch-target.ts'
import { emptyBatch } from './native-batch.ts'
import { NodeFetcher, type NodeFetcherHost } from './node-fetcher.ts'
import type { Repair } from './repair.ts'

interface Ready {
  readonly target: FetchTarget
  readonly batch: RecordBatch
  /** What it keeps in memory. */
  readonly bytes: number
}

export interface FetcherParts extends LogAsker {
  readonly options: NativeOptions
  readonly targets: FetchTargets
  readonly repair: Repair
  /** The topic of this lease was created again. */
  readonly replaced: (lease: LeaseName) => void
  readonly failed: (error: unknown) => void
}

/** A batch that does not hold together is read again so many times: it may have been hurt on its way. */
const damagedMax = 5

export class Fetcher implements NodeFetcherHost {
  readonly #parts: FetcherParts
  readonly #nodes: Map<number, NodeFetcher> = new Map()
  readonly #backoffs: WeakMap<FetchTarget, Backoff> = new WeakMap()
  #ready: Ready[] = []
  #readyBytes = 0
  #poll: PromiseWithResolvers<readonly RecordBatch[]> | null = null
  #isLooking = false

  constructor(parts: FetcherParts) {
    this.#parts = parts
  }

  get wire(): FetcherParts['wire'] {
    return this.#parts.wire
  }

  get metadata(): FetcherParts['metadata'] {
    return this.#parts.metadata
  }

  get options(): NativeOptions {
    return this.#parts.options
  }

  fetch(from: readonly FetchFrom[]): void {
    for (const each of from) this.#parts.targets.set(each)
    this.#wake()
  }

  stop(leases: readonly LeaseName[]): void {
    for (const lease of leases) this.#parts.targets.delete(lease)
  }

  pause(leases: readonly LeaseName[], paused: boolean): void {
    for (const lease of leases) this.#parts.targets.setPaused(lease, paused)
    if (paused) return
    this.handOut()
    this.#wake()
  }

  poll(): Promise<readonly RecordBatch[]> {
    this.#poll ??= Promise.withResolvers<readonly RecordBatch[]>()
    const { promise } = this.#poll
    this.handOut()
    return promise
  }

  close(): void {
    this.#parts.targets.clear()
    this.#ready = []
    this.#readyBytes = 0
    for (const node of this.#nodes.values()) node.close()
    // Once; a poll after that waits for ever, so that a loop around it does not spin.
    this.#poll?.resolve([])
    this.#poll = null
  }

  // What the fetchers of the nodes ask for and bring. -------------------------------------------------------------

  wanted(node: number): FetchTarget[] {
    return this.#wanted().filter((target) => this.#nodeOf(target) === node)
  }

  /** Somebody else may lead now. */
  leadersMoved(): void {
    this.#wake()
  }

  isCurrent(target: FetchTarget): boolean {
    return this.#parts.targets.isCurrent(target)
  }

  /** True: something to hand out. Records that may not be seen, and holes, show only in the next position. */
  read(target: FetchTarget, data: PartitionData): boolean {
    const { isolation } = this.#parts.options
    if (data.preferredReadReplica >= 0 && data.preferredReadReplica !== target.replica) {
      target.replica = data.preferredReadReplica
      this.#wake()
      return true
    }
    const logEnd = Number(isolation === 'read_committed' ? data.lastStableOffset : data.highWatermark)
    target.logEnd = Math.max(target.logEnd, logEnd)
    const { records } = data
    if (records === null || records.length === 0) return false
    const { topic, partition, epoch, position } = target
    const reading = { topic, partition, epoch, position, logEnd, aborted: data.abortedTransactions }
    let found: ReturnType<typeof readBatches>
    try {
      found = readBatches(records, reading)
    } catch (error) {
      this.#damaged(target, error)
      return false
    }
    const { batches, nextPosition, leaderEpoch } = found
    if (nextPosition === position) {
      this.#damaged(target, nothingWhole(target, records.length))
      return false
    }
    target.damaged = 0
    target.position = nextPosition
    if (batches.length === 0) this.#bring(target, emptyBatch(epoch, nextPosition, logEnd, leaderEpoch), 0)
    for (const batch of batches) this.#bring(target, batch, batch.bytes)
    return true
  }

  handOut(): void {
    if (this.#poll === null || this.#ready.length === 0) return
    const ready = this.#ready
    const batches: RecordBatch[] = []
    this.#ready = []
    for (const each of ready) {
      const { target, batch, bytes } = each
      const isCurrent = this.isCurrent(target)
      if (isCurrent && target.paused) {
        this.#ready.push(each)
        continue
      }
      target.untaken--
      this.#readyBytes -= bytes
      // What was fetched for a lease that has ended or moved since is of no use to anybody.
      if (isCurrent) batches.push(batch)
    }
    if (this.#ready.length < ready.length) this.#wake()
    if (batches.length === 0) return
    this.#poll.resolve(batches)
    this.#poll = null
  }

  trouble(target: FetchTarget, code: number): void {
    if (target.replica >= 0) {
      // A follower may be behind, or gone: the leader knows.
      target.replica = -1
      return this.#wake()
    }
    this.#mend(target, code).catch((error) => this.failed(error))
  }

  failed(error: unknown): void {
    this.#parts.failed(error)
  }

  // ------------------------------------------------------------------------------------------------------------------

  /** Read again, in case it was hurt on its way; what stays damaged cannot be passed over silently. */
  #damaged(target: FetchTarget, error: unknown): void {
    target.damaged++
    if (target.damaged > damagedMax) this.failed(error)
  }

  async #mend(target: FetchTarget, code: number): Promise<void> {
    const { targets, repair, wire, options } = this.#parts
    const backoff = this.#backoffs.get(target) ?? new Backoff(wire.clock, options.backoff)
    this.#backoffs.set(target, backoff)
    target.isBeingMended = true
    const moved = await repair.mend(target, code)
    if (moved !== null && targets.isCurrent(target)) {
      target.position = moved.offset
      const logEnd = Math.max(moved.offset, target.logEnd)
      this.#bring(target, emptyBatch(target.epoch, moved.offset, logEnd, moved.leaderEpoch), 0)
      this.handOut()
      backoff.reset()
    } else await backoff.pause()
    target.isBeingMended = false
    this.#wake()
  }

  #bring(target: FetchTarget, batch: RecordBatch, bytes: number): void {
    target.untaken++
    this.#readyBytes += bytes
    this.#ready.push({ target, batch, bytes })
  }

  #nodeOf({ topic, partition, replica }: FetchTarget): number {
    return replica >= 0 ? replica : this.#parts.metadata.partition(topic, partition).leader
  }

  /** What may be fetched. A topic that was deleted and created again has another log: the lease of the old one is over. */
  #wanted(): FetchTarget[] {
    const { targets, metadata, replaced, options } = this.#parts
    // One answer of a paused partition may be there when it is resumed, as long as there is room for it.
    const isRoom = this.#readyBytes < options.fetchMaxBytes
    return targets.wanted().filter((target) => {
      if (target.paused && !isRoom) return false
      const id = metadata.topic(target.topic)?.id ?? null
      target.topicId ??= id
      if (id === null || id === target.topicId) return true
      replaced(target)
      return false
    })
  }

  /** Every node that leads something we want has somebody who reads there. */
  #wake(): void {
    let isLeaderless = false
    for (const target of this.#wanted()) {
      const node = this.#nodeOf(target)
      if (node < 0) isLeaderless = true
      else if (!this.#nodes.has(node)) this.#nodes.set(node, new NodeFetcher(this, node))
    }
    for (const node of this.#nodes.values()) node.wake()
    if (isLeaderless && !this.#isLooking) this.#look().catch((error) => this.failed(error))
  }

  /** Partitions without a leader that we know of: ask until there is one. */
  async #look(): Promise<void> {
    const { metadata, wire, options } = this.#parts
    const backoff = new Backoff(wire.clock, options.backoff)
    this.#isLooking = true
    while (wire.isOpen) {
      const lost = this.#wanted().filter((target) => this.#nodeOf(target) < 0)
      if (lost.length === 0) break
      await metadata.refresh([...new Set(lost.map(({ topic }) => topic))])
      await backoff.pause()
    }
    this.#isLooking = false
    this.#wake()
  }
}

/** Kafka sends the first batch whole, however large: bytes without a whole batch are a mistake somewhere. */
function nothingWhole({ topic, partition, position }: FetchTarget, bytes: number): FanlaneError {
  const what = `${topic}-${partition}: ${bytes} bytes from offset ${position} on hold no whole batch.`
  return new FanlaneError('FETCH_INCOMPLETE', `${what} Raise client.partitionMaxBytes above the largest batch.`)
}

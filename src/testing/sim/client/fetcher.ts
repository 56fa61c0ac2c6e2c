/**
 * Reading: one fetch at a time, for all partitions that are wanted, and the next one only when the answer was taken.
 * So what is fetched but not admitted is never more than one answer (I5).
 */
import type { FetchFrom, LeaseName } from '../../../kernel/events.ts'
import { asPosition } from '../../../kernel/ids.ts'
import type { RecordBatch } from '../../../ports/log-client.ts'
import type { FetchResponse } from '../cluster/log-messages.ts'
import type { FetchTarget, FetchTargets } from './fetch-target.ts'
import { partitionKey } from './ownership.ts'
import { SimRecordBatch, visibleRecords } from './record-batch.ts'
import type { Repair } from './repair.ts'
import { Signal } from './signal.ts'
import type { Wire } from './wire.ts'

type PartitionAnswer = FetchResponse['partitions'][number]

interface Ready {
  readonly target: FetchTarget
  readonly batch: RecordBatch
}

export class Fetcher {
  readonly #wire: Wire
  readonly #targets: FetchTargets
  readonly #repair: Repair
  readonly #changed: Signal = new Signal()
  #ready: Ready[] = []
  #poll: PromiseWithResolvers<readonly RecordBatch[]> | null = null

  constructor(wire: Wire, targets: FetchTargets, repair: Repair) {
    this.#wire = wire
    this.#targets = targets
    this.#repair = repair
  }

  start(onError: (error: unknown) => void): void {
    this.#run().catch(onError)
  }

  fetch(from: readonly FetchFrom[]): void {
    for (const each of from) this.#targets.set(each)
    this.#changed.fire()
  }

  stop(leases: readonly LeaseName[]): void {
    for (const lease of leases) this.#targets.delete(lease)
  }

  pause(leases: readonly LeaseName[], paused: boolean): void {
    for (const lease of leases) this.#targets.setPaused(lease, paused)
    this.#changed.fire()
  }

  poll(): Promise<readonly RecordBatch[]> {
    this.#poll ??= Promise.withResolvers<readonly RecordBatch[]>()
    const { promise } = this.#poll
    this.#handOut()
    return promise
  }

  close(): void {
    this.#targets.clear()
    this.#ready = []
    this.#changed.fire()
    // Once; a poll after that waits for ever, so that a loop around it does not spin.
    this.#poll?.resolve([])
    this.#poll = null
  }

  async #run(): Promise<void> {
    const { clock, options } = this.#wire
    const backoff = this.#wire.backoff()
    while (this.#wire.isOpen) {
      const targets = this.#ready.length === 0 ? this.#targets.wanted() : []
      if (targets.length === 0) {
        await this.#changed.wait()
        continue
      }
      const startMs = clock.now()
      const answer = await this.#ask(targets)
      const news = answer === null ? 'trouble' : await this.#take(targets, answer)
      // An answer that brings nothing although it was not waited for must not make us spin.
      if (news === 'some' || (news === 'none' && clock.now() >= startMs + options.fetchMaxWaitMs)) backoff.reset()
      else await backoff.pause()
    }
  }

  async #ask(targets: readonly FetchTarget[]): Promise<FetchResponse | null> {
    const { options } = this.#wire
    return this.#wire.ask(
      'Fetch',
      {
        maxWaitMs: options.fetchMaxWaitMs,
        maxBytes: options.fetchMaxBytes,
        isolationLevel: options.isolation,
        partitions: targets.map(({ topic, partition, leaderEpoch, position }) => ({
          topic,
          partition,
          currentLeaderEpoch: leaderEpoch,
          fetchOffset: position,
          partitionMaxBytes: options.partitionMaxBytes,
        })),
      },
      options.fetchMaxWaitMs + options.requestTimeoutMs,
    )
  }

  async #take(targets: readonly FetchTarget[], answer: FetchResponse): Promise<'some' | 'none' | 'trouble'> {
    const byKey = new Map(targets.map((target) => [partitionKey(target), target]))
    let news: 'some' | 'none' | 'trouble' = 'none'
    const troubled: { readonly target: FetchTarget; readonly answer: PartitionAnswer }[] = []
    for (const partition of answer.partitions) {
      const target = byKey.get(partitionKey(partition))
      if (target === undefined || !this.#targets.isCurrent(target)) continue
      if (partition.errorCode !== 'NONE') troubled.push({ target, answer: partition })
      else if (this.#read(target, partition)) news = 'some'
    }
    this.#handOut()
    for (const { target, answer } of troubled) {
      if (news === 'none') news = 'trouble'
      const moved = this.#targets.isCurrent(target) ? await this.#repair.mend(target, answer.errorCode) : null
      if (moved === null || !this.#targets.isCurrent(target)) continue
      target.position = moved.offset
      this.#handOver(target, { ...moved, logEnd: Math.max(moved.offset, target.logEnd) }, [])
    }
    this.#handOut()
    return news
  }

  /** True: something to hand out. Records that may not be seen, and holes, show only in the next position. */
  #read(target: FetchTarget, answer: PartitionAnswer): boolean {
    const { options } = this.#wire
    const logEnd = options.isolation === 'read_committed' ? answer.lastStableOffset : answer.highWatermark
    target.logEnd = Math.max(target.logEnd, logEnd)
    const last = answer.batches.at(-1)
    if (last === undefined || last.lastOffset < target.position) return false
    const records = visibleRecords(answer.batches, target.position, answer.abortedTransactions)
    target.position = last.lastOffset + 1
    this.#handOver(target, { offset: target.position, leaderEpoch: last.leaderEpoch, logEnd }, records)
    return true
  }

  #handOver(
    target: FetchTarget,
    next: { readonly offset: number; readonly leaderEpoch: number; readonly logEnd: number },
    records: ReturnType<typeof visibleRecords>,
  ): void {
    const { topic, partition, epoch } = target
    const nextPosition = asPosition(next.offset)
    const frame = { topic, partition, epoch, nextPosition, logEnd: asPosition(next.logEnd) }
    this.#ready.push({ target, batch: new SimRecordBatch({ ...frame, leaderEpoch: next.leaderEpoch }, records) })
  }

  #handOut(): void {
    if (this.#poll === null || this.#ready.length === 0) return
    // What was fetched for a lease that has ended or moved since is of no use to anybody.
    const batches = this.#ready.filter(({ target }) => this.#targets.isCurrent(target)).map(({ batch }) => batch)
    this.#ready = []
    this.#changed.fire()
    if (batches.length === 0) return
    this.#poll.resolve(batches)
    this.#poll = null
  }
}

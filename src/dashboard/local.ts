/** A consumer of this process. Everything is asked of it only when somebody looks. */
import { FanlaneError } from '../errors.ts'
import type { PartitionSnapshot } from '../kernel/snapshot.ts'
import { stallsIn } from '../telemetry/stalls.ts'
import type {
  Action,
  ConfigAnswer,
  ErrorFrame,
  InstanceFrame,
  ParkedFrame,
  PartitionFrame,
  RebalanceFrame,
  Strip,
  WaitingFrame,
} from './frames.ts'
import { type Answer, type Figures, heldFor, type Instance, ordering, type Question } from './instance.ts'
import type { Watched } from './watched.ts'

const LIST_MAX = 100
const NAMED_PARTITIONS_MAX = 50
const SHARED_MS = 100
const NO_STRIP: Strip = { from: 0, to: 0, perCell: 1, cells: '' }

type Snapshot = ReturnType<Watched['snapshot']>

/** The last ones, oldest first. */
class Ring<Item> {
  readonly items: Item[] = []

  push(item: Item): void {
    this.items.push(item)
    if (this.items.length > LIST_MAX * 2) this.items.splice(0, LIST_MAX)
  }
}

export class LocalInstance implements Instance {
  readonly #watched: Watched
  readonly #errors: Ring<() => ErrorFrame> = new Ring()
  readonly #rebalances: Ring<RebalanceFrame> = new Ring()
  #looked: { readonly atMs: number; readonly snapshot: Snapshot } | null = null

  constructor(watched: Watched) {
    this.#watched = watched
    const { id, clock } = watched
    watched.listen({
      // Put into words only when somebody asks: there may be thousands of retries a second.
      trouble: (tell) => {
        const at = clock.now()
        this.#errors.push(() => ({ at, instance: id, ...tell() }))
      },
      rebalance: (change, partitions) => {
        if (partitions.length === 0) return
        const named = partitions.slice(0, NAMED_PARTITIONS_MAX).map(nameOf)
        this.#rebalances.push({ at: clock.now(), instance: id, change, partitions: named, count: partitions.length })
      },
    })
  }

  get group(): string {
    return this.#watched.group
  }

  get watched(): Watched {
    return this.#watched
  }

  look(question: Question): Promise<readonly Answer[]> {
    return Promise.resolve([this.answer(question)])
  }

  answer(question: Question): Answer {
    const { page } = question
    const { id } = this.#watched
    const snapshot = this.#snapshot()
    const waiting = this.#watched.waiting(page === 'retries' ? LIST_MAX : 0)
    const { partitions, total } = this.#partitions(question, snapshot)
    return {
      instance: this.#instance(snapshot),
      figures: this.#figures(snapshot, waiting.total),
      partitions,
      total,
      hottest: page === 'lanes' ? snapshot.lanes.hottest.map((lane) => ({ ...lane, instance: id })) : [],
      waiting: waiting.soonest.map(
        ({ dueMs, ...rest }): WaitingFrame => ({ ...rest, dueAt: dueMs, error: String(rest.error ?? '') }),
      ),
      parked: page === 'retries' ? snapshot.partitions.flatMap(parkedIn) : [],
      rebalances: page === 'group' ? [...this.#rebalances.items] : [],
      errors: page === 'errors' ? this.#errors.items.slice(-LIST_MAX).map((tell) => tell()) : [],
      members: null,
    }
  }

  async act(action: Action): Promise<boolean> {
    const { controls, id } = this.#watched
    switch (action.kind) {
      case 'pause':
      case 'resume':
        controls[action.kind]({
          topic: action.topic,
          ...(action.partition === undefined ? {} : { partition: action.partition }),
          ...(action.key === undefined ? {} : { key: bytesOf(action.key) }),
        })
        return true
      case 'concurrency':
        if (action.instance !== undefined && action.instance !== id) return false
        controls.setConcurrency(action.limit)
        return true
      case 'skip': {
        if (!this.#holds(action)) return false
        await controls.skip(action)
        return true
      }
      case 'release': {
        if (!this.#holds(action)) return false
        const { topic, partition, key } = action
        controls.resume({ topic, partition, ...(key === null ? {} : { key: bytesOf(key) }) })
        return true
      }
      case 'redrive':
        throw new FanlaneError('ACTION_REFUSED', 'Dead letters are redriven by the dashboard itself.')
    }
  }

  config(): Promise<ConfigAnswer> {
    return Promise.resolve(this.#watched.config())
  }

  /** Several pages, and the time slider, are answered in one round: they share one look. */
  #snapshot(): Snapshot {
    const { clock } = this.#watched
    const nowMs = clock.now()
    if (this.#looked === null || nowMs - this.#looked.atMs > SHARED_MS) {
      this.#looked = { atMs: nowMs, snapshot: this.#watched.snapshot() }
    }
    return this.#looked.snapshot
  }

  #holds({ topic, partition }: { readonly topic: string; readonly partition: number }): boolean {
    return this.#watched.snapshot().partitions.some((held) => held.topic === topic && held.partition === partition)
  }

  #instance({ partitions, rates, limits, engine }: Snapshot): InstanceFrame {
    const { id, name, engine: kind, clock, isClosed } = this.#watched
    return {
      id,
      name,
      state: isClosed() ? 'closed' : 'up',
      at: clock.now(),
      partitions: partitions.length,
      finishedPerSecond: rates.finished,
      inFlight: limits.records.used,
      running: engine.running,
      concurrency: engine.limit,
      engine: kind,
      rssBytes: process.memoryUsage.rss(),
      problem: null,
    }
  }

  #figures(snapshot: Snapshot, waiting: number): Figures {
    const { partitions, rates, limits, engine, lanes, totals } = snapshot
    const { stalledAfterMs, times, clock } = this.#watched
    const paused: Record<string, number> = {}
    for (const partition of partitions)
      for (const reason of partition.paused) paused[reason] = (paused[reason] ?? 0) + 1
    return {
      partitions: partitions.length,
      stalled: stallsIn(snapshot, stalledAfterMs).length,
      rates: { finished: rates.finished, admitted: rates.admitted, retries: rates.retries },
      lag: partitions.reduce((sum, { trueLag }) => sum + trueLag, 0),
      lagMs: partitions.reduce<number | null>(
        (most, { lagMs }) => (lagMs === null ? most : Math.max(most ?? 0, lagMs)),
        null,
      ),
      inFlight: limits.records,
      bytes: limits.bytes,
      running: { used: engine.running, limit: engine.limit },
      lanes: lanes.count,
      waiting,
      parked: partitions.reduce((sum, { parked }) => sum + parked.length, 0),
      handlerCounts: times.handlers(clock.now()),
      commitCounts: times.commits(clock.now()),
      eventLoopMs: times.eventLoopMs(clock.now()),
      paused,
      totals: { ...totals },
    }
  }

  /** In the order of the question, and strips only for those that are looked at. */
  #partitions(
    { page, sort, find, from, count, cells }: Question,
    snapshot: Snapshot,
  ): { readonly partitions: readonly PartitionFrame[]; readonly total: number } {
    const order = ordering(sort)
    const wanted = find.toLowerCase()
    const found = snapshot.partitions
      .filter((partition) => wanted === '' || isFound(partition, wanted))
      .map((partition) => ({
        partition,
        topic: partition.topic,
        number: partition.partition,
        by: {
          topic: partition.topic,
          partition: partition.partition,
          lag: partition.trueLag,
          heldForMs: partition.blocking === null ? -1 : heldFor(partition.blocking.durationMs),
        },
      }))
      .sort((a, b) => order(a.by, b.by))
    const shown = page === 'group' ? found : found.slice(0, from + count)
    return { partitions: shown.map(({ partition }) => this.#partition(partition, cells)), total: found.length }
  }

  #partition(partition: PartitionSnapshot, cells: number): PartitionFrame {
    const { id, mapMaxChars, stalledAfterMs } = this.#watched
    const { topic, blocking, map } = partition
    return {
      topic,
      partition: partition.partition,
      instance: id,
      state: partition.state,
      position: partition.position,
      committed: partition.committed,
      logEnd: partition.logEnd,
      lag: partition.trueLag,
      lagMs: partition.lagMs,
      gap: partition.gap,
      queued: partition.queued,
      inFlight: partition.inFlight,
      map: { ...map, limit: mapMaxChars },
      paused: partition.paused,
      blocking: blocking && {
        offset: blocking.offset,
        key: blocking.key,
        forMs: blocking.durationMs,
        doing: blocking.doing,
        detail: blocking.detail,
        attempt: blocking.attempt,
        nextAttemptAt: blocking.nextAttemptAt,
        why: blocking.why === null ? null : String(blocking.why),
        stalled: blocking.durationMs >= stalledAfterMs,
      },
      strip: (cells === 0 ? null : this.#watched.strip(topic, partition.partition, cells)) ?? NO_STRIP,
    }
  }
}

function isFound({ topic, partition, blocking }: PartitionSnapshot, wanted: string): boolean {
  return (
    `${topic}-${partition}`.toLowerCase().includes(wanted) ||
    (blocking?.key ?? '').toLowerCase().includes(wanted) ||
    String(blocking?.offset ?? '') === wanted
  )
}

function parkedIn({ topic, partition, parked }: PartitionSnapshot): readonly ParkedFrame[] {
  return parked.map(({ key, since, depth, poisons, why }) => ({
    topic,
    partition,
    key,
    since,
    depth,
    poisons,
    why: String(why ?? ''),
  }))
}

/** A key as frames show it. What is text, though it looks like base64, is text. */
function bytesOf(key: string): string | Buffer {
  if (!key.startsWith('base64:')) return key
  const bytes = Buffer.from(key.slice('base64:'.length), 'base64')
  const isText = Buffer.from(bytes.toString('utf8')).equals(bytes)
  return isText ? key : bytes
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}-${partition}`
}

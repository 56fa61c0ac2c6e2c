/** A consumer of this process. Everything is asked of it only when somebody looks. */
import { FanlaneError } from '../errors.ts'
import type { Glance } from '../kernel/glance.ts'
import type { Lease } from '../kernel/lease.ts'
import type { PartitionSnapshot } from '../kernel/snapshot.ts'
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
import { HISTORY_PARTITIONS_MAX } from './history.ts'
import type { Answer, Figures, Instance, Question, Sort } from './instance.ts'
import { type ShownRows, shownRows } from './rows.ts'
import type { Watched } from './watched.ts'

const LIST_MAX = 100
const NAMED_PARTITIONS_MAX = 50
const SHARED_MS = 100
/** Asking the system for the memory takes as long as all the rest of a look. */
const MEMORY_MS = 5_000
const NO_STRIP: Strip = { from: 0, to: 0, perCell: 1, cells: '' }

interface Look {
  readonly atMs: number
  readonly seen: Glance
  readonly waiting: number
  /** The first ones in each order that was asked for. */
  readonly first: Map<Sort, ShownRows>
}

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
  #looked: Look | null = null
  #memory: { readonly atMs: number; readonly rssBytes: number } | null = null

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
    const { page, from, count, isAlone } = question
    const { id, name } = this.#watched
    const look = this.#look()
    const { leases } = look.seen
    const { rows, total } = this.#rows(question, look)
    const leftOut = isAlone ? Math.min(from, rows.length) : 0
    return {
      instance: this.#instance(look),
      figures: this.#figures(look),
      partitions: rows.slice(leftOut, from + count).flatMap((row) => this.#partition(leases[row], question.cells)),
      leftOut,
      total,
      hottest: page === 'lanes' ? this.#watched.hottest().map((lane) => ({ ...lane, instance: id })) : [],
      waiting: page === 'retries' ? this.#waiting() : [],
      parked: page === 'retries' ? leases.flatMap((lease) => this.#parked(lease)) : [],
      rebalances: page === 'group' ? [...this.#rebalances.items] : [],
      errors: page === 'errors' ? this.#errors.items.slice(-LIST_MAX).map((tell) => tell()) : [],
      members:
        page === 'group' ? [{ id, clientId: name, host: '', partitions: leases.map(({ home }) => nameOf(home)) }] : [],
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
        if (!this.#watched.holds(action)) return false
        await controls.skip(action)
        return true
      }
      case 'release': {
        if (!this.#watched.holds(action)) return false
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
  #look(): Look {
    const { clock } = this.#watched
    const nowMs = clock.now()
    if (this.#looked === null || nowMs - this.#looked.atMs > SHARED_MS) {
      this.#looked = {
        atMs: nowMs,
        seen: this.#watched.glance(),
        waiting: this.#watched.waiting(0).total,
        first: new Map(),
      }
    }
    return this.#looked
  }

  /** The time slider and the first page of any list share one order, if it is the same. */
  #rows(question: Question, { seen, first }: Look): ShownRows {
    const { sort, find, from, count } = question
    if (find !== '' || from + count > HISTORY_PARTITIONS_MAX) {
      return shownRows(question, seen, (lease) => this.#found(lease, find))
    }
    const known = first.get(sort) ?? shownRows({ sort, find, from: 0, count: HISTORY_PARTITIONS_MAX }, seen, () => true)
    first.set(sort, known)
    return known
  }

  #rssBytes(nowMs: number): number {
    if (this.#memory === null || nowMs - this.#memory.atMs >= MEMORY_MS) {
      this.#memory = { atMs: nowMs, rssBytes: process.memoryUsage.rss() }
    }
    return this.#memory.rssBytes
  }

  #instance({ atMs, seen: { leases, outline } }: Look): InstanceFrame {
    const { id, name, engine: kind, clock, isClosed } = this.#watched
    const { rates, limits, engine } = outline
    return {
      id,
      name,
      state: isClosed() ? 'closed' : 'up',
      at: clock.now(),
      partitions: leases.length,
      finishedPerSecond: rates.finished,
      inFlight: limits.records.used,
      running: engine.running,
      concurrency: engine.limit,
      engine: kind,
      rssBytes: this.#rssBytes(atMs),
      problem: null,
    }
  }

  #figures({ seen, waiting }: Look): Figures {
    const { leases, outline, stalled, lagTotal, lagMs, parked, paused } = seen
    const { rates, limits, engine, lanes, totals } = outline
    const { times, clock } = this.#watched
    return {
      partitions: leases.length,
      stalled,
      rates: { finished: rates.finished, admitted: rates.admitted, retries: rates.retries },
      lag: lagTotal,
      lagMs,
      inFlight: limits.records,
      bytes: limits.bytes,
      running: { used: engine.running, limit: engine.limit },
      lanes: lanes.count,
      waiting,
      parked,
      handlerCounts: times.handlers(clock.now()),
      commitCounts: times.commits(clock.now()),
      eventLoopMs: times.eventLoopMs(clock.now()),
      paused,
      totals: { ...totals },
    }
  }

  #waiting(): readonly WaitingFrame[] {
    return this.#watched
      .waiting(LIST_MAX)
      .soonest.map(({ dueMs, ...rest }) => ({ ...rest, dueAt: dueMs, error: String(rest.error ?? '') }))
  }

  #parked(lease: Lease): readonly ParkedFrame[] {
    if (lease.home.breaker.parked.size === 0) return []
    const seen = this.#watched.partition(lease)
    return seen === null ? [] : parkedIn(seen)
  }

  #found({ home }: Lease, text: string): boolean {
    const wanted = text.toLowerCase()
    if (nameOf(home).toLowerCase().includes(wanted)) return true
    const blocking = home.lease && this.#watched.partition(home.lease)?.blocking
    return (blocking?.key ?? '').toLowerCase().includes(wanted) || String(blocking?.offset ?? '') === wanted
  }

  /** None, if it has gone since the look. */
  #partition(lease: Lease | undefined, cells: number): readonly PartitionFrame[] {
    const partition = lease === undefined ? null : this.#watched.partition(lease)
    if (lease === undefined || partition === null) return []
    const strip = cells === 0 ? NO_STRIP : this.#watched.strip(lease, cells)
    return [this.#frame(partition, strip)]
  }

  #frame(partition: PartitionSnapshot, strip: Strip): PartitionFrame {
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
      strip,
    }
  }
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

/**
 * A fetch that waits: it reads, and if there is less than the reader wants, it sleeps until one of its partitions moves or
 * its time is up, and reads again. Wake-ups within one turn of the event loop count as one, and look only at what has moved:
 * a reader of thousands of partitions must not read them all at each write to one of them.
 *
 * It ends at once when the connection does: a timer that nobody waits for would keep the process alive.
 */
import type { BrokerClock } from '../clock.ts'
import type { Eventually } from '../log/disk.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import { CutConnection } from '../server/connection.ts'
import type { Departure } from '../server/route.ts'

export interface Poll<T> {
  /** Everything. */
  read(): Eventually<T>
  isEnough(result: T): boolean
  /** The logs whose movement can change the result. */
  logs(): Iterable<PartitionLog>
  /** These have moved since the last read or look: is it worth while to read everything again? */
  mayBeEnough(moved: ReadonlySet<PartitionLog>): Eventually<boolean>
}

/** Where a poll hears, beside its logs, that it has to read again or to end. */
export interface PollEvents {
  readonly clock: BrokerClock
  readonly departures: Set<(kind: Departure) => void>
  /** Something else than a log has changed: a topic is gone. */
  readonly changes: Set<() => void>
}

export function longPoll<T>(poll: Poll<T>, waitMs: number, events: PollEvents): Eventually<T> {
  const decide = (result: T): Eventually<T> =>
    waitMs <= 0 || poll.isEnough(result) ? result : new Wait(poll, result, waitMs, events).result
  const first = poll.read()
  return first instanceof Promise ? first.then(decide) : decide(first)
}

class Wait<T> {
  readonly result: Promise<T>
  readonly #poll: Poll<T>
  readonly #stops: (() => void)[] = []
  #resolve: (result: T) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #last: T
  #state: 'waiting' | 'busy' | 'done' = 'waiting'
  /** Since the last look. */
  #moved = new Set<PartitionLog>()
  /** The last read is no longer what a new one would give. */
  #isStale = false
  #mustRead = false
  #timeIsUp = false
  #isScheduled = false

  constructor(poll: Poll<T>, first: T, waitMs: number, { clock, departures, changes }: PollEvents) {
    this.#poll = poll
    this.#last = first
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    const moved = (log: PartitionLog): void => {
      this.#moved.add(log)
      this.#isStale = true
      this.#schedule()
    }
    for (const log of poll.logs()) this.#stops.push(log.onAdvance(moved))
    this.#stops.push(clock.timer(waitMs, () => this.#conclude()))
    const depart = (kind: Departure): void => {
      if (kind === 'ending') this.#conclude()
      else this.#end(() => this.#reject(new CutConnection('the client left while it waited')))
    }
    const changed = (): void => {
      this.#mustRead = true
      this.#isStale = true
      this.#schedule()
    }
    departures.add(depart)
    changes.add(changed)
    this.#stops.push(
      () => departures.delete(depart),
      () => changes.delete(changed),
    )
  }

  #end(settle: () => void): void {
    if (this.#state === 'done') return
    this.#state = 'done'
    for (const stop of this.#stops) stop()
    settle()
  }

  #schedule(): void {
    if (this.#state !== 'waiting' || this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#state !== 'waiting') return
      if (this.#mustRead) this.#readAgain()
      else this.#look()
    })
  }

  #look(): void {
    const moved = this.#moved
    this.#moved = new Set()
    this.#work(
      () => this.#poll.mayBeEnough(moved),
      (isWorthIt) => (isWorthIt ? this.#readAgain() : this.#goOn()),
    )
  }

  #readAgain(): void {
    this.#moved.clear()
    this.#isStale = false
    this.#mustRead = false
    this.#work(
      () => this.#poll.read(),
      (result) => {
        this.#last = result
        if (this.#timeIsUp || this.#poll.isEnough(result)) this.#end(() => this.#resolve(result))
        else this.#goOn()
      },
    )
  }

  #work<R>(work: () => Eventually<R>, then: (result: R) => void): void {
    this.#state = 'busy'
    const fail = (error: unknown): void => this.#end(() => this.#reject(error))
    const accept = (result: R): void => {
      if (this.#state === 'done') return
      try {
        then(result)
      } catch (error) {
        fail(error)
      }
    }
    try {
      const result = work()
      if (result instanceof Promise) result.then(accept, fail)
      else accept(result)
    } catch (error) {
      fail(error)
    }
  }

  /** Not enough. What moved meanwhile is looked at next. */
  #goOn(): void {
    this.#state = 'waiting'
    if (this.#timeIsUp) this.#conclude()
    else if (this.#mustRead || this.#moved.size > 0) this.#schedule()
  }

  #conclude(): void {
    this.#timeIsUp = true
    if (this.#state !== 'waiting') return
    if (this.#isStale) this.#readAgain()
    else this.#end(() => this.#resolve(this.#last))
  }
}

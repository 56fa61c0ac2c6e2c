/**
 * A fetch that waits: it reads, and if there is less than the reader wants, it sleeps until one of its partitions moves or
 * its time is up, and reads again. Wake-ups within one turn of the event loop count as one.
 */
import type { BrokerClock } from '../clock.ts'
import type { PartitionLog } from '../log/partition-log.ts'

export interface Poll<T> {
  read(): T | Promise<T>
  isEnough(result: T): boolean
  /** The logs whose movement can change the result. */
  logs(): Iterable<PartitionLog>
}

export function longPoll<T>(poll: Poll<T>, waitMs: number, clock: BrokerClock): T | Promise<T> {
  const first = poll.read()
  if (first instanceof Promise)
    return first.then((result) => (isDone(poll, result, waitMs) ? result : wait(poll, result, waitMs, clock)))
  return isDone(poll, first, waitMs) ? first : wait(poll, first, waitMs, clock)
}

function isDone<T>(poll: Poll<T>, result: T, waitMs: number): boolean {
  return waitMs <= 0 || poll.isEnough(result)
}

function wait<T>(poll: Poll<T>, first: T, waitMs: number, clock: BrokerClock): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let last = first
    let state: 'waiting' | 'reading' | 'done' = 'waiting'
    let movedMeanwhile = false
    let timeIsUp = false
    const stops: (() => void)[] = []
    const finish = (result: T): void => {
      state = 'done'
      for (const stop of stops) stop()
      resolve(result)
    }
    const fail = (error: unknown): void => {
      state = 'done'
      for (const stop of stops) stop()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const accept = (result: T): void => {
      last = result
      if (timeIsUp || poll.isEnough(result)) finish(result)
      else if (movedMeanwhile) readAgain()
      else state = 'waiting'
    }
    const readAgain = (): void => {
      state = 'reading'
      movedMeanwhile = false
      try {
        const result = poll.read()
        if (result instanceof Promise) result.then(accept, fail)
        else accept(result)
      } catch (error) {
        fail(error)
      }
    }
    let scheduled = false
    const moved = (): void => {
      if (state === 'done') return
      if (state === 'reading') {
        movedMeanwhile = true
        return
      }
      if (scheduled) return
      scheduled = true
      setImmediate(() => {
        scheduled = false
        if (state === 'waiting') readAgain()
      })
    }
    for (const log of poll.logs()) stops.push(log.onAdvance(moved))
    stops.push(
      clock.timer(waitMs, () => {
        timeIsUp = true
        if (state === 'waiting') finish(last)
      }),
    )
  })
}

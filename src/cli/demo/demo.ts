/**
 * The demo: one stream of orders in a log in memory, read by two groups one after the other, from the same beginning.
 * The first takes a record at a time, as an ordinary consumer does; the second is fanlane as users get it. Not both at
 * once: they would share one event loop, and the slow one would look slower than it is. The stream is kept ahead of
 * its reader, so that there is always something to do.
 */
import { MemoryLog } from '../../clients/memory/memory-log.ts'
import type { Clock } from '../../ports/clock.ts'
import { SystemClock } from '../../runtime/clock.ts'
import { OrderStream } from './orders.ts'
import { Racer } from './racer.ts'
import { type DemoResult, type Race, raceLine, resultOf } from './report.ts'
import type { Screen } from './screen.ts'

const TOPIC = 'orders'
const PARTITIONS = 4
/** The share of the time that goes to one at a time. */
const FIRST_SHARE = 0.3
/** Orders that are in the log before their reader has come to them. */
const AHEAD = 1_500
const FEED_EVERY_MS = 20
/** What fanlane needs at the end for the orders that are ahead of it. */
const LAST_MS = 300

export async function demo(seconds: number, screen: Screen, stop: AbortSignal): Promise<DemoResult> {
  const clock = new SystemClock()
  const log = new MemoryLog({ [TOPIC]: PARTITIONS })
  const stream = new OrderStream()
  const first = new Racer({ log, topic: TOPIC, group: 'one-at-a-time', order: 'partition', concurrency: 1, clock })
  const second = new Racer({ log, topic: TOPIC, group: 'fanlane', order: 'key', concurrency: 100, clock })
  const firstMs = seconds * 1_000 * FIRST_SHARE
  const ground: Ground = { clock, log, stream, screen, stop }
  const oneAtATime = await race(ground, first, firstMs, null)
  const fanlane = await race(ground, second, seconds * 1_000 - firstMs - LAST_MS, oneAtATime)
  return resultOf({
    log,
    topic: TOPIC,
    oneAtATime,
    fanlane,
    hottestShare: stream.hottestShare,
    interrupted: stop.aborted,
  })
}

interface Ground {
  readonly clock: Clock
  readonly log: MemoryLog
  readonly stream: OrderStream
  readonly screen: Screen
  readonly stop: AbortSignal
}

/** Let one of them read for so long. Fanlane, which has another one to beat, then goes on to the log end. */
async function race(ground: Ground, racer: Racer, forMs: number, before: Race | null): Promise<Race> {
  const { clock, screen, stop } = ground
  let shownMs = 0
  let now: Race = { racer, records: 0, ms: 0 }
  if (stop.aborted) return now
  feed(ground, AHEAD)
  await racer.start()
  const startedMs = clock.now()
  while (!stop.aborted) {
    const feeding = now.ms < forMs
    if (feeding) feed(ground, now.records + AHEAD)
    else if (before === null || now.records === lengthOf(ground.log)) break
    await new Promise<void>((resolve) => clock.at(clock.now() + FEED_EVERY_MS, resolve))
    now = { racer, records: racer.over, ms: clock.now() - startedMs }
    if (now.ms - shownMs < screen.everyMs) continue
    shownMs = now.ms
    screen.status(raceLine(now, before, screen))
  }
  // Drains what runs, commits, leaves.
  await racer.close()
  screen.line(raceLine(now, before, screen))
  return now
}

/** Append orders until there are so many. */
function feed({ log, stream, clock }: Ground, wanted: number): void {
  for (let length = lengthOf(log); length < wanted; length++) {
    const order = stream.next()
    log.append(TOPIC, { key: order.customer, value: JSON.stringify(order), timestamp: clock.now() })
  }
}

function lengthOf(log: MemoryLog): number {
  let length = 0
  for (let partition = 0; partition < PARTITIONS; partition++) length += log.records(TOPIC, partition).length
  return length
}

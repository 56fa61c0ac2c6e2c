/**
 * The demo: one stream of orders on an embedded broker, read by two groups one after the other, from the same beginning.
 * The first takes a record at a time, as an ordinary consumer does; the second is fanlane as users get it. Not both at
 * once: they would share one event loop, and the slow one would look slower than it is. The stream is kept ahead of
 * its reader, so that there is always something to do.
 */
import type { ReadStream } from 'node:tty'
import type { Clock } from '../../ports/clock.ts'
import { SystemClock } from '../../system-clock.ts'
import { Ground } from './ground.ts'
import { listenToKeys } from './keys.ts'
import { OrderStream } from './orders.ts'
import { Racer } from './racer.ts'
import { type DemoResult, type Race, raceLine, resultOf } from './report.ts'
import type { Screen } from './screen.ts'
import { SideBySide } from './side-by-side.ts'
import { Troubles } from './troubles.ts'

/** The share of the time that goes to one at a time. */
const FIRST_SHARE = 0.3
const FIRST_MAX_MS = 5_000
/** Orders that are in the log before their reader has come to them. */
const AHEAD = 1_500
const FEED_EVERY_MS = 20
/** What fanlane needs at the end for the orders that are ahead of it. */
const LAST_MS = 300

export interface DemoOptions {
  readonly seconds: number
  readonly screen: Screen
  readonly stop: AbortSignal
  /** Null: no dashboard. */
  readonly dashboardPort: number | null
  /** Is told how far the race is. */
  readonly sideBySide?: SideBySide
  /** Where keys come from that make trouble; null: nobody can press any. */
  readonly keys: ReadStream | null
}

export async function demo(options: DemoOptions): Promise<DemoResult> {
  const { seconds, screen, stop, dashboardPort, sideBySide = new SideBySide(), keys } = options
  const clock = new SystemClock()
  const stream = new OrderStream()
  const ground = await Ground.prepare(stream)
  const ended = new AbortController()
  try {
    const { brokers } = ground
    const first = new Racer(
      { brokers, group: 'one-at-a-time', order: 'partition', concurrency: 1, dashboardPort },
      clock,
    )
    const second = new Racer({ brokers, group: 'fanlane', order: 'key', concurrency: 100, dashboardPort }, clock)
    const firstMs = Math.min(FIRST_MAX_MS, seconds * 1_000 * FIRST_SHARE)
    const field: Field = { clock, ground, screen, sideBySide, stop: AbortSignal.any([stop, ended.signal]) }
    const oneAtATime = await race(field, first, firstMs, null)
    const troubles = new Troubles(stream, second, screen, () => ended.abort())
    const silence = keys === null || field.stop.aborted ? null : listenToKeys(keys, troubles)
    try {
      const fanlane = await race(field, second, seconds * 1_000 - firstMs - LAST_MS, oneAtATime)
      await troubles.over()
      const { hottestShare } = stream
      return await resultOf({ ground, oneAtATime, fanlane, hottestShare, interrupted: field.stop.aborted })
    } finally {
      silence?.()
    }
  } finally {
    await ground.close()
  }
}

interface Field {
  readonly clock: Clock
  readonly ground: Ground
  readonly screen: Screen
  readonly sideBySide: SideBySide
  readonly stop: AbortSignal
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** Let one of them read for so long. Fanlane, which has another one to beat, then goes on to the log end. */
async function race(
  { clock, ground, screen, sideBySide, stop }: Field,
  racer: Racer,
  forMs: number,
  before: Race | null,
): Promise<Race> {
  let shownMs = 0
  let now: Race = { racer, records: 0, ms: 0 }
  if (stop.aborted) return now
  await ground.feed(AHEAD)
  await racer.start()
  // Joining the group is not what is compared.
  await Promise.race([racer.underWay, aborted(stop)])
  const startedMs = clock.now()
  while (!stop.aborted) {
    const feeding = now.ms < forMs
    if (feeding) await ground.feed(now.records + AHEAD)
    else if (before === null || now.records === ground.length) break
    await new Promise<void>((resolve) => clock.at(clock.now() + FEED_EVERY_MS, resolve))
    now = { racer, records: racer.over, ms: clock.now() - startedMs }
    sideBySide.tell(now, before)
    if (now.ms - shownMs < screen.everyMs) continue
    shownMs = now.ms
    screen.status(raceLine(now, before, screen))
  }
  // Drains what runs, commits, leaves.
  await racer.close()
  screen.line(raceLine(now, before, screen))
  return now
}

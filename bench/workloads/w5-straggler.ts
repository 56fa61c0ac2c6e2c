/** W5: one record takes long, the others run past it; then kill -9 and a restart. */
import { rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contenders/index.ts'
import { type Events, endBit, readEvents } from '../core/events.ts'
import { judge } from '../core/judge.ts'
import { RunFailed } from '../core/processes.ts'
import type { Round } from '../core/results.ts'
import type { Stage } from '../core/stage.ts'
import type { Variant, Workload } from '../core/workload.ts'

const sessionMs = 6_000
const timeoutMs = 120_000
/** The 101st record: far behind all others when the process is killed. */
const stragglerId = 100

interface Size {
  readonly concurrency: number
  /** In the midst of the work, or when nothing but the straggler is left for those that are fast. */
  readonly when: 'in mid-flight' | 'late'
  readonly records: number
  readonly keys: number
  readonly stragglerMs: number
}

/** A different moment each round, spread between a third and nine tenths of the work. */
const killAt = (round: number): number => 0.33 + 0.57 * ((round * 0.618_034) % 1)

async function killedAndRestarted(stage: Stage, contender: Contender, size: Size, round: number): Promise<Round> {
  const { records, keys, stragglerMs, concurrency, when } = size
  const filled = await stage.filled({ records, partitions: 1, keys, distribution: 'even', valueBytes: 100 })
  const part = { order: 'key', concurrency, handlerMs: 1, sessionMs } as const
  const straggler = { id: stragglerId, ms: stragglerMs }
  const first = stage.task(filled, { ...part, straggler, until: 'told' })
  const files = [1, 2].map((n) => `${first.events.file}-${n}`)
  const events = files.map((file) => ({ file, kind: 'started and ended', durable: true }) as const)
  const [before, after] = events
  if (before === undefined || after === undefined) throw new Error('unreachable')
  const killed = await stage.start(contender, { ...first, events: before })
  try {
    const share = when === 'in mid-flight' ? killAt(round) : 0.01
    await written(before.file, 2 * share * records, () => killed.hasEnded)
    if (when === 'late') await sleep(stragglerMs / 2)
  } finally {
    await killed.kill()
  }
  const restarted = await stage.start(contender, { ...first, events: after, until: 'caught up' })
  const outcome = await restarted.outcome(timeoutMs)
  await stage.demandCommitted(first)
  const runs = events.map(({ file, kind }) => readEvents(file, kind))
  for (const file of files) rmSync(file, { force: true })
  const verdict = judge(filled.plan, 'key', runs)
  const { cpuSeconds, peakRssMb } = outcome
  const [doneBefore, twice] = doneTwice(runs)
  return {
    rate: null,
    steadyRate: null,
    cpuSeconds,
    peakRssMb,
    ...verdict,
    more: {
      'done before the kill': doneBefore,
      'done twice': twice,
      'done twice %': (twice / Math.max(1, doneBefore)) * 100,
    },
    broken: verdict.lost > 0 ? `${verdict.lost} records never processed` : whyOrder(verdict.reordered),
  }
}

const whyOrder = (reordered: number): string | null => (reordered > 0 ? `${reordered} records out of order` : null)

/** How many were done when the kill came, and how many of those were run again. */
export function doneTwice([before, after]: readonly Events[]): readonly [number, number] {
  const done = new Set<number>()
  for (const word of before?.words ?? []) if ((word & endBit) !== 0) done.add((word & 0x7fff_ffff) >>> 0)
  let twice = 0
  for (const word of after?.words ?? []) if ((word & endBit) === 0 && done.has(word)) twice++
  return [done.size, twice]
}

/** Waits until a file has so many events. */
export async function written(file: string, events: number, hasEnded: () => boolean, bytes = 4): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  while ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < events * bytes) {
    if (hasEnded()) throw new RunFailed(`ended before ${Math.round(events)} events were written`)
    if (performance.now() > deadlineMs) throw new RunFailed(`${Math.round(events)} events were not written in time`)
    await sleep(2)
  }
}

export const straggler: Workload = {
  id: 'W5',
  title: 'A straggler, then kill -9 and a restart',
  what: `One record takes 10 s, the others 1 ms; they run past it. At a moment that differs from round to round the process is killed
(kill -9) and started again. Never processed: records that no handler ever finished although the group's offset says so. Done twice:
records that were finished before the kill and ran again: what the offset map is for.`,
  variants({ quick }) {
    const size = quick
      ? { records: 5_000, keys: 500, stragglerMs: 2_000 }
      : { records: 50_000, keys: 5_000, stragglerMs: 10_000 }
    return [
      variantOf('mid-flight', { ...size, concurrency: 10, when: 'in mid-flight' }, 20),
      variantOf('late', { ...size, concurrency: 100, when: 'late' }, 5),
    ]
  },
}

function variantOf(name: string, size: Size, rounds: number): Variant {
  const { records, keys, stragglerMs, concurrency, when } = size
  return {
    name,
    title: when === 'late' ? 'killed when the straggler has run for half its time' : 'killed in mid-flight',
    order: 'key',
    brokers: ['kafka'],
    contenders: [{ name: 'ours' }, { name: 'pc' }],
    records,
    rounds,
    seconds: (sessionMs + stragglerMs * 1.5) / 1_000 + 6,
    about: { records, keys, concurrency, 'handler ms': 1, 'straggler ms': stragglerMs, 'session ms': sessionMs },
    measure: (stage, contender, _entry, round) => killedAndRestarted(stage, contender, size, round),
  }
}

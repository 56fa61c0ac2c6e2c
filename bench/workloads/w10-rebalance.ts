/** W10: a second member joins a busy group, and leaves again: how long does a partition stand still, and what runs twice? */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contenders/index.ts'
import { nowNs } from '../contenders/node/ledger.ts'
import { type Events, endBit, mergeTimed, readEvents } from '../core/events.ts'
import { judge } from '../core/judge.ts'
import type { Plan, Shape } from '../core/plan.ts'
import type { Round } from '../core/results.ts'
import type { Stage } from '../core/stage.ts'
import type { Workload } from '../core/workload.ts'
import { written } from './w5-straggler.ts'

const timeoutMs = 60_000
const eventBytes = 12

interface Times {
  readonly records: number
  readonly aloneMs: number
  readonly togetherMs: number
  readonly afterMs: number
}

async function rebalanced(stage: Stage, contender: Contender, times: Times): Promise<Round> {
  const shape: Shape = { records: times.records, partitions: 8, keys: 1_000, distribution: 'even', valueBytes: 1_000 }
  const filled = await stage.filled(shape)
  const part = { order: 'key', concurrency: 20, handlerMs: 5, until: 'told' } as const
  const task = stage.task(filled, part)
  const events = [1, 2].map((n) => ({ file: `${task.events.file}-${n}`, kind: 'timed', durable: true }) as const)
  const [eventsA, eventsB] = events
  if (eventsA === undefined || eventsB === undefined) throw new Error('unreachable')
  const first = await stage.start(contender, { ...task, events: eventsA })
  try {
    await written(eventsA.file, 2_000, () => first.hasEnded, eventBytes)
    const aloneNs = nowNs()
    await sleep(times.aloneMs)
    const joinNs = nowNs()
    const second = await stage.start(contender, { ...task, events: eventsB })
    try {
      await written(eventsB.file, 200, () => second.hasEnded, eventBytes)
      await sleep(times.togetherMs)
      const leaveNs = nowNs()
      second.tell()
      const { cpuSeconds, peakRssMb } = await second.outcome(timeoutMs)
      await sleep(times.afterMs)
      const endNs = nowNs()
      await first.kill()
      const all = mergeTimed(events.map(({ file, kind }) => readEvents(file, kind)))
      const { reordered, duplicated } = judge(filled.plan, 'key', [all])
      const lost = await lostBelow(stage, filled.plan, task.group, filled.topic, all)
      for (const { file } of events) rmSync(file, { force: true })
      return {
        rate: null,
        steadyRate: null,
        cpuSeconds,
        peakRssMb,
        ...{ lost, reordered, duplicated },
        more: {
          'standstill alone ms': longestSilenceMs(filled.plan, all, aloneNs, joinNs),
          'standstill at join ms': longestSilenceMs(filled.plan, all, joinNs, leaveNs),
          'standstill at leave ms': longestSilenceMs(filled.plan, all, leaveNs, endNs),
        },
        broken: lost > 0 ? `${lost} records lost` : reordered > 0 ? `${reordered} records out of order` : null,
      }
    } finally {
      await second.kill()
    }
  } finally {
    await first.kill()
  }
}

/** Nobody will read again what lies below the group's offsets: all of that must have been finished. */
async function lostBelow(stage: Stage, plan: Plan, group: string, topic: string, events: Events): Promise<number> {
  const ended = new Uint8Array(plan.shape.records)
  for (const word of events.words) if ((word & endBit) !== 0) ended[(word & 0x7fff_ffff) >>> 0] = 1
  const committed = await stage.options.topics.committed(group, topic, plan.ends.length)
  let lost = 0
  for (const [partition, position] of committed.entries()) {
    const base = plan.bases[partition] ?? 0
    for (let id = base; id < base + position; id++) if (ended[id] === 0) lost++
  }
  return lost
}

/** The longest time in which one partition finished nothing, of all partitions that had work left. */
export function longestSilenceMs(plan: Plan, { words, timesNs }: Events, fromNs: number, toNs: number): number {
  const lastNs = plan.ends.map(() => fromNs)
  const left = plan.ends.map((end) => end)
  const ended = new Uint8Array(plan.shape.records)
  let longest = 0
  const partitionOf = (id: number): number => plan.partitionOfKey[plan.keyOfId[id] ?? 0] ?? 0
  for (const [at, word] of words.entries()) {
    if ((word & endBit) === 0) continue
    const id = (word & 0x7fff_ffff) >>> 0
    const partition = partitionOf(id)
    const timeNs = timesNs[at] ?? 0
    if (ended[id] === 0) left[partition] = (left[partition] ?? 0) - 1
    ended[id] = 1
    if (timeNs <= fromNs) continue
    if (timeNs > toNs) break
    longest = Math.max(longest, timeNs - (lastNs[partition] ?? fromNs))
    lastNs[partition] = timeNs
  }
  // Still silent when the time was over.
  for (const [partition, sinceNs] of lastNs.entries()) {
    if ((left[partition] ?? 0) > 0) longest = Math.max(longest, toNs - sinceNs)
  }
  return longest / 1e6
}

export const rebalance: Workload = {
  id: 'W10',
  title: 'Rebalance: a member joins, a member leaves',
  what: `One member works on 8 partitions with handlers that wait 5 ms; a second one joins, works for a while, and leaves in good order.
Standstill: the longest time in which some partition that had work finished nothing, while the first one is
alone, around the join, and around the leave. Duplicated: starts of records that had been started before.`,
  variants({ quick }) {
    const times = quick
      ? { records: 60_000, aloneMs: 500, togetherMs: 1_000, afterMs: 1_000 }
      : { records: 200_000, aloneMs: 3_000, togetherMs: 6_000, afterMs: 6_000 }
    return [
      {
        name: 'join-leave',
        title: 'a second member comes and goes',
        order: 'key',
        brokers: ['kafka'],
        contenders: [{ name: 'ours' }, { name: 'pc' }, { name: 'kafkajs-plimit' }],
        records: times.records,
        seconds: (times.aloneMs + times.togetherMs + times.afterMs) / 1_000 + 8,
        about: { partitions: 8, keys: 1_000, 'value bytes': 1_000, 'handler ms': 5, concurrency: 20 },
        measure: (stage, contender) => rebalanced(stage, contender, times),
      },
    ]
  },
}

/** W6: handlers that burn CPU: the engines beside each other and a bare pool of threads. */
import { readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Contender } from '../contenders/index.ts'
import { hash } from '../contenders/node/engine-handler.ts'
import { type Events, mergeTimed, readEvents } from '../core/events.ts'
import { judge } from '../core/judge.ts'
import type { Shape } from '../core/plan.ts'
import type { Round } from '../core/results.ts'
import { type Stage, speedOf, whyBroken } from '../core/stage.ts'
import type { Variant, Workload } from '../core/workload.ts'

const timeoutMs = 120_000
let perUs: number | null = null

/** How many rounds of hashing take a microsecond here, measured when everything is compiled. */
function roundsPerUs(): number {
  if (perUs !== null) return perUs
  const times = 2_000
  for (let warm = 0; warm < 20; warm++) hash(null, times)
  const took = Array.from({ length: 15 }, () => {
    const beganMs = performance.now()
    hash(null, times)
    return performance.now() - beganMs
  }).sort((a, b) => a - b)
  perUs = times / ((took[3] ?? Number.NaN) * 1_000)
  return perUs
}

async function burning(stage: Stage, contender: Contender, shape: Shape, handlerUs: number): Promise<Round> {
  const filled = await stage.filled(shape)
  const workers = availableParallelism()
  const part = { order: 'key', concurrency: 500, handlerMs: 0, room: 10_000 } as const
  const task = stage.task(filled, {
    ...part,
    workers,
    // Handlers run elsewhere, and what they write is read below: the process itself has seen nothing.
    until: 'caught up',
    hashRounds: Math.round(handlerUs * roundsPerUs()),
  })
  const outcome = await (await stage.start(contender, task)).outcome(timeoutMs)
  if (contender.commits) await stage.demandCommitted(task)
  const events = eventsOf(task.events.file)
  // A bare pool has no order to keep.
  const verdict = judge(filled.plan, contender.commits ? 'key' : 'none', [events])
  return { ...speedOf(outcome, shape.records), ...verdict, more: {}, broken: whyBroken(verdict) }
}

/** One file for each thread and process that has run a handler. */
function eventsOf(file: string): Events {
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`))
  const lists = names.map((name) => readEvents(join(dirname(file), name), 'timed'))
  for (const name of [basename(file), ...names]) rmSync(join(dirname(file), name), { force: true })
  return mergeTimed(lists)
}

/** What a record costs without its handler, roughly: so that a run takes about the time that it should. */
const ownUs = 30

function variantOf(handlerUs: number, seconds: number, quick: boolean): Variant {
  const records = Math.min(quick ? 2_000 : 200_000, Math.ceil((seconds * 1e6) / (handlerUs + ownUs)))
  const shape = { records, partitions: 8, keys: 1_000, distribution: 'even', valueBytes: 100 } as const
  return {
    name: `${handlerUs}us`,
    title: `handlers that take ${handlerUs} µs of CPU, ${availableParallelism()} workers`,
    order: 'key',
    brokers: ['kafka', 'embedded'],
    contenders: [{ name: 'ours-async' }, { name: 'ours-threads' }, { name: 'ours-processes' }, { name: 'bare-pool' }],
    records,
    seconds: seconds + 2,
    about: { records, partitions: 8, keys: '1000 even', 'handler µs': handlerUs, workers: availableParallelism() },
    prepare: async (stage) => {
      await stage.filled(shape)
    },
    measure: (stage, contender) => burning(stage, contender, shape, handlerUs),
  }
}

export const cpu: Workload = {
  id: 'W6',
  title: 'Handlers that burn CPU',
  what: `Every record costs a millisecond of hashing. On the event loop one core does it; threads and processes share it between the
cores. The bare pool of threads has no log behind it: no order, no commits, no retries. It is what an engine can hope for. \`npm run
bench:engines\` does the same with shorter handlers.`,
  variants: ({ quick, handlerUs }) => handlerUs.map((us) => variantOf(us, quick ? 0.5 : 6, quick)),
}

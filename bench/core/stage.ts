/** Where a workload is performed: a broker, its topics, and ways to run a contender there. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, commandOf } from '../contenders/index.ts'
import type { Outcome, Task } from '../contenders/task.ts'
import type { Broker } from './brokers.ts'
import { readEvents } from './events.ts'
import { judge } from './judge.ts'
import { makePlan, type Plan, type Shape } from './plan.ts'
import { Process, RunFailed } from './processes.ts'
import { handlerMsName, type Round } from './results.ts'
import type { Topics } from './topics.ts'
import type { Scale } from './workload.ts'

export interface StageOptions extends Scale {
  readonly broker: Broker
  readonly topics: Topics
  readonly scratch: string
  readonly build: string
  /** Folder for CPU profiles of the contenders in Node; null: none. */
  readonly profiles: string | null
}

export interface Filled {
  readonly topic: string
  readonly plan: Plan
}

let names = 0

/** What a task has unless a workload says otherwise. */
export type TaskPart = Partial<Task> & Pick<Task, 'order' | 'concurrency' | 'handlerMs'>

export class Stage {
  readonly options: StageOptions
  readonly #filled = new Map<string, Filled>()
  readonly #topics: string[] = []

  constructor(options: StageOptions) {
    this.options = options
    mkdirSync(options.scratch, { recursive: true })
  }

  /** A topic of that shape; the same one for everybody who asks. */
  async filled(shape: Shape): Promise<Filled> {
    const name = JSON.stringify(shape)
    const known = this.#filled.get(name)
    if (known !== undefined) return known
    const made = { topic: await this.topic('in', shape.partitions), plan: makePlan(shape) }
    await this.options.topics.fill(made.topic, made.plan)
    this.#filled.set(name, made)
    return made
  }

  /** A new topic, until the end of the workload. */
  async topic(what: string, partitions: number): Promise<string> {
    const topic = this.name(what)
    await this.options.topics.create(topic, partitions)
    this.#topics.push(topic)
    return topic
  }

  /** The topics of a workload are not those of the next: a disk is not endless. */
  async clear(): Promise<void> {
    for (const topic of this.#topics.splice(0)) await this.options.topics.delete(topic)
    this.#filled.clear()
  }

  /** A name that nobody else has: a group that was killed is still a member of its own. */
  name(what: string): string {
    return `${what}-${++names}`
  }

  task({ topic, plan }: Filled, part: TaskPart): Task {
    const group = this.name('group')
    const { broker, scratch, build } = this.options
    const isNothing = part.handlerMs === 0
    return {
      brokers: broker.brokers,
      topic,
      group,
      ends: plan.ends,
      straggler: null,
      commitMs: 100,
      sessionMs: 0,
      events: {
        file: join(scratch, `${group}.events`),
        kind: isNothing ? 'seen' : 'started and ended',
        durable: false,
      },
      until: 'committed',
      room: 0,
      output: null,
      load: null,
      workers: 0,
      hashRounds: 0,
      build,
      ...part,
    }
  }

  async start(contender: Contender, task: Task): Promise<Process> {
    const { profiles } = this.options
    const flags =
      profiles === null
        ? []
        : ['--cpu-prof', '--cpu-prof-interval=250', `--cpu-prof-dir=${join(profiles, contender.name)}`]
    return new Process(await commandOf(contender, task, flags))
  }

  /** Runs it to its end and judges what its handlers wrote. */
  async run(contender: Contender, filled: Filled, part: TaskPart, timeoutMs: number): Promise<Round> {
    const until = part.until ?? (contender.commits || contender.name === 'share' ? 'committed' : 'seen')
    const task = this.task(filled, { ...part, until })
    const started = await this.start(contender, task)
    const outcome = await started.outcome(timeoutMs)
    if (contender.commits) await this.demandCommitted(task)
    const events = readEvents(task.events.file, task.events.kind)
    rmSync(task.events.file)
    const verdict = judge(filled.plan, part.order, [events])
    const more: Record<string, number> = outcome.handlerMs === null ? {} : { [handlerMsName]: outcome.handlerMs }
    return { ...speedOf(outcome, filled.plan.shape.records), ...verdict, more, broken: whyBroken(verdict) }
  }

  /** The broker itself says that the group is at the end of every partition. */
  async demandCommitted({ group, topic, ends }: Task): Promise<void> {
    const committed = await this.options.topics.committed(group, topic, ends.length)
    const behind = ends.flatMap((end, partition) => (end > 0 && committed[partition] !== end ? [partition] : []))
    if (behind.length === 0) return
    const places = behind.slice(0, 3).map((p) => `${p}: ${committed[p]} of ${ends[p]}`)
    throw new RunFailed(`${behind.length} partitions are not committed to their end (${places.join(', ')})`)
  }
}

export function speedOf(
  { firstMs, lastMs, committedMs, cpuSeconds, peakRssMb }: Omit<Outcome, 'handlerMs'>,
  records: number,
): Pick<Exclude<Round, { failed: string }>, 'rate' | 'steadyRate' | 'cpuSeconds' | 'peakRssMb'> {
  // Nothing is over before its last handler has ended.
  const overMs = committedMs === null ? lastMs : Math.max(committedMs, lastMs ?? 0)
  const rate = (ms: number | null): number | null => (ms === null || ms <= 0 ? null : (records / ms) * 1_000)
  const steadyMs = overMs === null || firstMs === null ? null : overMs - firstMs
  return { rate: rate(overMs), steadyRate: rate(steadyMs), cpuSeconds, peakRssMb }
}

export function whyBroken({ lost, reordered }: { readonly lost: number; readonly reordered: number }): string | null {
  if (lost > 0) return `${lost} records lost`
  return reordered > 0 ? `${reordered} records out of order` : null
}

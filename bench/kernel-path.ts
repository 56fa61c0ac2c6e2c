/** The whole way of a record through the control plane: admit → lane → pick → settle → commit position. No I/O. */
import type { Command, FetchedBatch, Settlement, Work } from '../src/kernel/events.ts'
import { asPosition, type Epoch } from '../src/kernel/ids.ts'
import type { KernelOptions } from '../src/kernel/options.ts'
import { KernelState } from '../src/kernel/state.ts'
import { step } from '../src/kernel/step.ts'
import { randomStream } from '../src/testing/sim/random.ts'

export const PATH_OPTIONS: KernelOptions = {
  order: 'key',
  delivery: 'at-least-once',
  output: 'finished',
  nullKeys: 'unordered',
  concurrency: { min: 1_000, max: 1_000 },
  limits: { records: 2_000, bytes: 1e9, pauseAt: 1, resumeAt: 0.7 },
  blockingBurst: 8,
  retry: { attempts: 5, initialMs: 100, factor: 2, maxMs: 30_000, jitter: 0.2 },
  onExhausted: 'handle',
  breaker: null,
  commit: { manual: false, everyMs: 1_000, everyRecords: 1e9, mapMaxChars: 4_000, lateMs: 30_000, finalMs: 5_000 },
  batch: null,
  handlerTimeoutMs: null,
  drainMs: 10_000,
}

/** Records of one response. */
const BATCH = 500

/** Keys by Zipf's law with exponent 1: the hottest of 10,000 has a tenth of the records. */
export function zipfKeys(keys: number, count: number): string[] {
  const names = Array.from({ length: keys }, (_, at) => `user-${at}`)
  const sums = new Float64Array(keys)
  let sum = 0
  for (let at = 0; at < keys; at++) {
    sum += 1 / (at + 1)
    sums[at] = sum
  }
  const random = randomStream(1, 'zipf')
  return Array.from({ length: count }, () => {
    const wanted = random() * sum
    let low = 0
    let high = keys - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] as number) < wanted) low = middle + 1
      else high = middle
    }
    return names[low] as string
  })
}

/** A kernel with one open partition, and what stands around it: everything that is started settles in the next step. */
export class PathBench {
  readonly state: KernelState
  readonly #epoch: Epoch
  readonly #keys: readonly string[]
  readonly #sizes: Float64Array = new Float64Array(BATCH).fill(100)
  #nowMs = 1
  #read = 0
  #done = 0
  #running: Work[] = []
  readonly #answers: Answer[] = []

  constructor(keys: readonly string[], options: KernelOptions = PATH_OPTIONS) {
    this.#keys = keys
    this.state = new KernelState(options)
    const opened = step(this.state, { kind: 'assigned', partitions: [{ topic: 't', partition: 0 }] }, 1, 0.5)
    const [lease] = opened.flatMap((command) => (command.kind === 'open' ? command.leases : []))
    if (lease === undefined) throw new Error('no lease was opened')
    this.#epoch = lease.epoch
    const position = asPosition(0)
    const start = { ...lease, position, metadata: null, committed: true, logEnd: position, leaderEpoch: 0 }
    step(this.state, { kind: 'opened', starts: [start] }, 1, 0.5)
  }

  /** Run all records through. Time goes by as if the machine did two million a second. */
  run(): number {
    const total = this.#keys.length
    while (this.#done < total) {
      if (this.state.records <= PATH_OPTIONS.limits.records - BATCH && this.#read < total) this.#perform(this.#poll())
      const settlements = this.#settleAll()
      this.#done += settlements.length
      this.#nowMs += settlements.length * 0.0005
      this.#perform(step(this.state, { kind: 'settled', settlements }, this.#nowMs, 0.5))
    }
    return this.#done
  }

  /** Everything that runs is done. Answers are written over older ones: making them is the engine's cost, not the kernel's. */
  #settleAll(): readonly Settlement[] {
    const running = this.#running
    this.#running = []
    for (let at = 0; at < running.length; at++) {
      this.#answers[at] ??= new Answer()
      this.#answers[at]?.fill(running[at] as Work)
    }
    return this.#answers.slice(0, running.length) as unknown as readonly Settlement[]
  }

  #poll(): readonly Command[] {
    const count = Math.min(BATCH, this.#keys.length - this.#read)
    const offsets = new Float64Array(count)
    for (let at = 0; at < count; at++) offsets[at] = this.#read + at
    const batch: FetchedBatch = {
      epoch: this.#epoch,
      count,
      offsets,
      keys: this.#keys.slice(this.#read, this.#read + count),
      sizes: this.#sizes,
      nextPosition: asPosition(this.#read + count),
      logEnd: asPosition(this.#keys.length),
      leaderEpoch: 0,
    }
    this.#read += count
    return step(this.state, { kind: 'polled', batches: [batch] }, this.#nowMs, 0.5)
  }

  #perform(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.kind === 'run') for (const work of command.works) this.#running.push(work)
      else if (command.kind === 'commit') {
        const event = { kind: 'committed', id: command.id, outcomes: command.entries.map(() => 'ok' as const) } as const
        this.#perform(step(this.state, event, this.#nowMs, 0.5))
      }
    }
  }
}

/** One answer of an engine. */
class Answer {
  topic = ''
  partition = 0
  offset = 0
  epoch = 0
  attempt = 0
  run: number | undefined = 0
  readonly status = 'done'

  fill(work: Work): void {
    this.topic = work.topic
    this.partition = work.partition
    this.offset = work.offset
    this.epoch = work.epoch
    this.attempt = work.attempt
    this.run = work.run
  }
}

/** A control plane in a test: events in, commands out, time by hand. */
import type { Command, Event, FetchedBatch, Settlement, StartPosition, Work } from '../../src/kernel/events.ts'
import { asOffset, asPosition, type Epoch } from '../../src/kernel/ids.ts'
import type { KernelOptions } from '../../src/kernel/options.ts'
import { KernelState } from '../../src/kernel/state.ts'
import { nextDeadline, step } from '../../src/kernel/step.ts'

export type Of<Kind extends Command['kind']> = Extract<Command, { readonly kind: Kind }>

export const DEFAULTS: KernelOptions = {
  order: 'key',
  delivery: 'at-least-once',
  output: 'finished',
  nullKeys: 'unordered',
  concurrency: { min: 100, max: 100 },
  limits: { records: 1_000, bytes: 1_000_000, pauseAt: 1, resumeAt: 0.7 },
  blockingBurst: 8,
  retry: { attempts: 3, initialMs: 100, factor: 2, maxMs: 1_000, jitter: 0 },
  onExhausted: 'handle',
  breaker: null,
  commit: { manual: false, everyMs: 1_000, everyRecords: 10_000, mapMaxChars: 4_000, lateMs: 5_000, finalMs: 2_000 },
  batch: null,
  handlerTimeoutMs: null,
  drainMs: 500,
}

export type Options = { [Name in keyof KernelOptions]?: Partial<KernelOptions[Name]> | KernelOptions[Name] }

export class TestKernel {
  readonly state: KernelState
  nowMs = 1_000
  /** Everything that was commanded, oldest first. */
  readonly commands: Command[] = []
  #mark = 0

  constructor(options: Options = {}) {
    const merged: Record<string, unknown> = { ...DEFAULTS }
    for (const [name, value] of Object.entries(options)) {
      const base = merged[name]
      merged[name] = isObject(base) && isObject(value) ? { ...base, ...value } : value
    }
    this.state = new KernelState(merged as unknown as KernelOptions)
  }

  /** Commands since the last call of `fresh`. */
  fresh(): readonly Command[] {
    const news = this.commands.slice(this.#mark)
    this.#mark = this.commands.length
    return news
  }

  step(event: Event, chance = 0.5): readonly Command[] {
    const commands = step(this.state, event, this.nowMs, chance)
    this.commands.push(...commands)
    return commands
  }

  of<Kind extends Command['kind']>(kind: Kind, commands: readonly Command[] = this.commands): Of<Kind>[] {
    return commands.filter((command): command is Of<Kind> => command.kind === kind)
  }

  /** Time goes on; the tick comes as the runtime would send it. */
  wait(ms: number): readonly Command[] {
    const until = this.nowMs + ms
    const commands: Command[] = []
    for (;;) {
      const next = nextDeadline(this.state)
      if (next > until) break
      this.nowMs = Math.max(this.nowMs, next)
      commands.push(...this.step({ kind: 'tick' }))
      if (nextDeadline(this.state) <= this.nowMs)
        throw new Error('the kernel asks to be called again at once, for ever')
    }
    this.nowMs = until
    return commands
  }

  /** Assigned and opened; returns the lease's epoch. */
  open(partition = 0, start: Partial<StartPosition> = {}): Epoch {
    const commands = this.step({ kind: 'assigned', partitions: [{ topic: 't', partition }] })
    const lease = this.of('open', commands)[0]!.leases[0]!
    this.opened(lease.epoch, partition, start)
    return lease.epoch
  }

  opened(epoch: Epoch, partition = 0, start: Partial<StartPosition> = {}): readonly Command[] {
    const position = start.position ?? asPosition(0)
    const full = {
      topic: 't',
      partition,
      epoch,
      position,
      metadata: null,
      committed: true,
      logEnd: asPosition(1e9),
      leaderEpoch: 0,
    }
    return this.step({ kind: 'opened', starts: [{ ...full, ...start }] })
  }

  /** Records as [offset, key] or offsets with the key `k<offset>`. */
  poll(
    epoch: Epoch,
    records: readonly (number | readonly [number, string | null])[],
    more: Partial<FetchedBatch> = {},
  ): readonly Work[] {
    return works(this.step({ kind: 'polled', batches: [batchOf(epoch, records, more)] }))
  }

  done(...list: readonly Work[]): readonly Command[] {
    return this.settle(list.map((work) => ({ ...work, status: 'done' })))
  }

  fail(work: Work, permanent = false, error: unknown = new Error('boom')): readonly Command[] {
    return this.settle([{ ...work, status: 'failed', error, permanent }])
  }

  settle(settlements: readonly Settlement[]): readonly Command[] {
    return this.step({ kind: 'settled', settlements })
  }

  /** Answer every commit that has not been answered yet. */
  ack(
    commands: readonly Command[],
    outcome: 'ok' | 'refused' | 'unknown' | 'too-large' | 'fenced' = 'ok',
  ): readonly Command[] {
    return this.of('commit', commands).flatMap(({ id, entries }) =>
      this.step({ kind: 'committed', id, outcomes: entries.map(() => outcome) }),
    )
  }
}

export function batchOf(
  epoch: Epoch,
  records: readonly (number | readonly [number, string | null])[],
  more: Partial<FetchedBatch> = {},
): FetchedBatch {
  const rows = records.map((record) => (typeof record === 'number' ? ([record, `k${record}`] as const) : record))
  const last = rows[rows.length - 1]?.[0] ?? -1
  return {
    epoch,
    count: rows.length,
    offsets: rows.map(([offset]) => offset),
    keys: rows.map(([, key]) => key),
    sizes: rows.map(() => 10),
    nextPosition: asPosition(last + 1),
    logEnd: asPosition(1e9),
    leaderEpoch: 0,
    ...more,
  }
}

/** What was started by these commands. */
export function works(commands: readonly Command[]): readonly Work[] {
  return commands.flatMap((command) => {
    if (command.kind === 'run') return command.works
    return command.kind === 'runBatches' ? command.batches.flat() : []
  })
}

export function offsets(list: readonly { readonly offset: number }[]): number[] {
  return list.map(({ offset }) => asOffset(offset))
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Counts what a snapshot cannot tell: how long handlers and commits took, what became of commits, how often partitions
 * moved. It listens and never speaks: nothing in the control plane waits for it, or knows whether it is there.
 */
import type { CommitOutcome } from '../kernel/events.ts'
import type { KernelSnapshot } from '../kernel/snapshot.ts'
import type { Observation } from '../ports/observer.ts'
import { Histogram } from './histogram.ts'
import { LoopDelay } from './loop-delay.ts'
import type { TelemetryView } from './view.ts'

export interface RecorderParts {
  readonly group: string
  readonly snapshot: () => KernelSnapshot
  readonly engine: () => Readonly<Record<string, number>>
}

const COMMIT_OUTCOMES: readonly CommitOutcome[] = ['ok', 'refused', 'unknown', 'too-large', 'fenced']
const TRANSACTION_OUTCOMES = ['committed', 'aborted', 'unknown', 'too-large', 'fenced', 'rejected'] as const

export class Recorder {
  readonly #parts: RecorderParts
  readonly #handled: { readonly ok: Histogram; readonly failed: Histogram } = {
    ok: new Histogram(),
    failed: new Histogram(),
  }
  readonly #committed: Histogram = new Histogram()
  readonly #commits: Record<string, number> = zeros(COMMIT_OUTCOMES)
  readonly #transactions: Record<string, number> = zeros(TRANSACTION_OUTCOMES)
  readonly #rebalances: Record<string, number> = { assigned: 0, revoked: 0, lost: 0 }
  readonly #loop: LoopDelay = new LoopDelay()

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /** One handler call ended. On the hot path: an addition. */
  handled(durationMs: number, isFailed: boolean): void {
    const histogram = isFailed ? this.#handled.failed : this.#handled.ok
    histogram.record(durationMs / 1_000)
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'assigned':
      case 'revoked':
      case 'lost':
        if (observation.partitions.length > 0) count(this.#rebalances, observation.kind)
        return
      case 'commit':
        this.#committed.record(observation.durationMs / 1_000)
        for (const outcome of observation.outcomes) count(this.#commits, outcome)
        return
      case 'transaction':
        this.#committed.record(observation.durationMs / 1_000)
        count(this.#transactions, observation.outcome.kind)
        return
      default:
        return
    }
  }

  view(): TelemetryView {
    return {
      group: this.#parts.group,
      snapshot: this.#parts.snapshot(),
      engine: this.#parts.engine(),
      commits: { ...this.#commits },
      transactions: { ...this.#transactions },
      rebalances: { ...this.#rebalances },
      handlerSeconds: (['ok', 'failed'] as const).map((status) => ({ status, value: this.#handled[status].value() })),
      commitSeconds: this.#committed.value(),
      eventLoop: this.#eventLoop(),
    }
  }

  close(): void {
    this.#loop.close()
  }

  #eventLoop(): Record<string, number> {
    const { p50Ms, p99Ms, maxMs } = this.#loop.take() ?? { p50Ms: 0, p99Ms: 0, maxMs: 0 }
    return { p50: p50Ms / 1_000, p99: p99Ms / 1_000, max: maxMs / 1_000 }
  }
}

function zeros(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]))
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Collects what a step wants done, joined into few commands: one `run` with many records, not many runs. */
import type {
  AbortReason,
  Command,
  Exhausted,
  FetchFrom,
  LeaseName,
  Notice,
  Publication,
  Work,
  WorkId,
} from './events.ts'

export class Outbox {
  #others: Command[] = []
  #run: Work[] = []
  #batches: (readonly Work[])[] = []
  #exhaust: Exhausted[] = []
  #publish: Publication[] = []
  /** Per lease, because it may change its mind within a step: the last word counts. */
  readonly #flow: Map<number, { readonly lease: LeaseName; readonly kind: 'pause' | 'resume' }> = new Map()
  #fetch: FetchFrom[] = []

  run(work: Work): void {
    this.#run.push(work)
  }

  runBatch(works: readonly Work[]): void {
    this.#batches.push(works)
  }

  exhaust(record: Exhausted): void {
    this.#exhaust.push(record)
  }

  publish(publication: Publication): void {
    this.#publish.push(publication)
  }

  pause(lease: LeaseName): void {
    this.#flow.set(lease.epoch, { lease, kind: 'pause' })
  }

  resume(lease: LeaseName): void {
    this.#flow.set(lease.epoch, { lease, kind: 'resume' })
  }

  fetch(from: FetchFrom): void {
    this.#fetch.push(from)
  }

  abort(works: readonly WorkId[], reason: AbortReason): void {
    if (works.length > 0) this.#others.push({ kind: 'abort', works, reason })
  }

  notice(notice: Notice): void {
    this.#others.push({ kind: 'notice', notice })
  }

  add(command: Command): void {
    this.#others.push(command)
  }

  /**
   * The commands of this step. What ends leases and tells handlers comes first, then flow control; running comes last,
   * because handlers that return no promise run inside it.
   */
  take(): readonly Command[] {
    const commands = this.#others
    this.#others = []
    if (this.#fetch.length > 0) {
      commands.push({ kind: 'fetch', from: this.#fetch })
      this.#fetch = []
    }
    if (this.#flow.size > 0) {
      for (const kind of ['pause', 'resume'] as const) {
        const leases = [...this.#flow.values()].filter((each) => each.kind === kind).map(({ lease }) => lease)
        if (leases.length > 0) commands.push({ kind, leases })
      }
      this.#flow.clear()
    }
    if (this.#exhaust.length > 0) {
      commands.push({ kind: 'exhaust', records: this.#exhaust })
      this.#exhaust = []
    }
    if (this.#publish.length > 0) {
      commands.push({ kind: 'publish', publications: this.#publish })
      this.#publish = []
    }
    if (this.#batches.length > 0) {
      commands.push({ kind: 'runBatches', batches: this.#batches })
      this.#batches = []
    }
    if (this.#run.length > 0) {
      commands.push({ kind: 'run', works: this.#run })
      this.#run = []
    }
    return commands
  }
}

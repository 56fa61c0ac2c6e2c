/** The work that a dedup engine has in hand, by run. */
import type { Completion, Work } from '../../ports/engine.ts'

/**
 * - asking: the store has not answered
 * - waiting: it goes back later; the control plane was told that it is deferred
 * - running: in the inner engine
 * - marking: its handler is done, the store does not know yet
 */
export type Phase = 'asking' | 'waiting' | 'running' | 'marking'

export interface Entry {
  readonly work: Work
  id: string
  phase: Phase
}

type Named = Pick<Completion, 'topic' | 'partition' | 'offset' | 'epoch'> & { readonly run?: number | undefined }

export class Entries {
  readonly #byRun: Map<number, Entry> = new Map()

  add(work: Work): Entry {
    const entry: Entry = { work, id: '', phase: 'asking' }
    this.#byRun.set(work.run as number, entry)
    return entry
  }

  has({ work }: Entry): boolean {
    return this.#byRun.has(work.run as number)
  }

  delete({ work }: Entry): boolean {
    return this.#byRun.delete(work.run as number)
  }

  all(): readonly Entry[] {
    return [...this.#byRun.values()]
  }

  /** The ids of those that the inner engine has. */
  running(): ReadonlySet<string> {
    return new Set(this.all().flatMap(({ phase, id }) => (phase === 'running' ? [id] : [])))
  }

  /** An engine from outside may not echo the run. */
  find(named: Named): Entry | undefined {
    if (named.run !== undefined) return this.#byRun.get(named.run)
    const { topic, partition, offset, epoch } = named
    return this.all().find(
      ({ work }) =>
        work.offset === offset && work.epoch === epoch && work.partition === partition && work.topic === topic,
    )
  }
}

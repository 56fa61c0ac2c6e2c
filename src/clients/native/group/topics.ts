/**
 * Which topics we want now, and whether that, or their partitions, have changed since the group was told. Looked at again
 * from time to time: that is how partitions that were added, topics that match a pattern, and topics that were deleted are
 * noticed.
 */
import type { Metadata } from '../../../cluster/metadata.ts'
import type { Wire } from '../../../cluster/wire.ts'
import type { TopicChoice } from '../options.ts'

/** How often a topic is looked for that does not exist. */
const missingMs = 500

export interface TopicsOptions {
  readonly topics: TopicChoice
  readonly metadataMaxAgeMs: number
}

export class Topics {
  readonly #wire: Wire
  readonly #metadata: Metadata
  readonly #options: TopicsOptions
  #matched: readonly string[] = []
  /** Partition counts by topic, as the last assignment knew them. */
  #assigned: ReadonlyMap<string, number> = new Map()
  /** What was said in the last join. */
  #subscribed: readonly string[] = []
  #cancel: (() => void) | null = null
  #watch: { readonly changed: () => void; readonly onError: (error: unknown) => void } | null = null

  constructor(wire: Wire, metadata: Metadata, options: TopicsOptions) {
    this.#wire = wire
    this.#metadata = metadata
    this.#options = options
  }

  /** `changed` is called when the group has to know. */
  watch(changed: () => void, onError: (error: unknown) => void): void {
    this.#watch = { changed, onError }
    this.#plan()
  }

  stop(): void {
    this.#watch = null
    this.#cancel?.()
    this.#cancel = null
  }

  /** The names to subscribe to; null: patterns need the cluster, and it does not answer. */
  async subscribe(): Promise<readonly string[] | null> {
    if (!(await this.#match())) return null
    this.#subscribed = this.#wanted()
    return this.#subscribed
  }

  /** Whether the last join said so. */
  isSubscribed(topic: string): boolean {
    return this.#subscribed.includes(topic)
  }

  /** How many partitions each of these has, now; null: no answer. What is not there has none. The leader asks. */
  async counts(names: readonly string[]): Promise<ReadonlyMap<string, number> | null> {
    const answers = await this.#metadata.refresh(names)
    if (answers === null) return null
    this.#assigned = new Map(names.map((name) => [name, this.#count(name)]))
    this.#plan()
    return this.#assigned
  }

  /** We do not lead: it is not ours to notice new partitions. */
  forget(): void {
    this.#assigned = new Map()
  }

  /** A topic that is not there yet may be on its way: it is looked for sooner. */
  #plan(): void {
    this.#cancel?.()
    const watch = this.#watch
    if (watch === null) return
    const { clock } = this.#wire
    const { metadataMaxAgeMs } = this.#options
    const isIncomplete = [...this.#assigned.values()].includes(0)
    const waitMs = isIncomplete ? Math.min(missingMs, metadataMaxAgeMs) : metadataMaxAgeMs
    this.#cancel = clock.at(clock.now() + waitMs, () => {
      this.#plan()
      this.#look().then((isNews) => {
        if (isNews) watch.changed()
      }, watch.onError)
    })
  }

  async #look(): Promise<boolean> {
    const { matches } = this.#options.topics
    const watched = [...new Set([...this.#assigned.keys(), ...this.#subscribed])]
    const isAnswered = matches === null ? (await this.#metadata.refresh(watched)) !== null : await this.#match()
    if (!isAnswered) return false
    for (const [name, count] of this.#assigned) if (this.#count(name) !== count) return true
    return this.#wanted().join() !== this.#subscribed.join()
  }

  async #match(): Promise<boolean> {
    const { matches } = this.#options.topics
    if (matches === null) return true
    const all = await this.#metadata.refreshAll()
    if (all === null) return false
    this.#matched = all.filter(({ name, isInternal }) => !isInternal && matches(name)).map(({ name }) => name)
    return true
  }

  #wanted(): readonly string[] {
    return [...new Set([...this.#options.topics.names, ...this.#matched])].sort()
  }

  #count(name: string): number {
    return this.#metadata.topic(name)?.partitions.length ?? 0
  }
}

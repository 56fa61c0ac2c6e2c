/** One partition that is being read, under one lease. Moved or begun anew, it is another target: answers to the old one
 * are recognised by that and dropped. */
import type { FetchFrom, LeaseName } from '../../../kernel/events.ts'
import type { Epoch, TopicPartition } from '../../../kernel/ids.ts'
import { type Ownership, partitionKey } from '../group/ownership.ts'

export interface FetchTarget {
  readonly key: string
  readonly topic: string
  readonly partition: number
  readonly epoch: Epoch
  position: number
  paused: boolean
  /** The leader under which the position was checked; −1: not checked. */
  leaderEpoch: number
  /** The highest log end that was seen in this lease. */
  logEnd: number
  /** Being looked into after an error: not fetched meanwhile. */
  isBeingMended: boolean
  /** Batches of it that were fetched and that nobody has taken yet. */
  untaken: number
  /** Batches at this position that did not hold together, one after the other. */
  damaged: number
  /** The topic that its position is in; null: not known yet. One of the same name that was created later is another. */
  topicId: string | null
  /** A replica near to us that the leader sent us to; −1: the leader itself. */
  replica: number
}

export class FetchTargets {
  readonly #ownership: Ownership
  readonly #checkedLeaders: ReadonlyMap<string, number>
  readonly #targets: Map<string, FetchTarget> = new Map()

  constructor(ownership: Ownership, checkedLeaders: ReadonlyMap<string, number>) {
    this.#ownership = ownership
    this.#checkedLeaders = checkedLeaders
  }

  set({ topic, partition, epoch, position }: FetchFrom): void {
    this.#ownership.note({ topic, partition, epoch })
    const key = partitionKey({ topic, partition })
    const before = this.#targets.get(key)
    const isSame = before?.epoch === epoch
    this.#targets.set(key, {
      key,
      topic,
      partition,
      epoch,
      position,
      paused: isSame && before.paused,
      leaderEpoch: isSame ? before.leaderEpoch : (this.#checkedLeaders.get(key) ?? -1),
      logEnd: isSame ? before.logEnd : position,
      isBeingMended: false,
      untaken: 0,
      damaged: 0,
      topicId: isSame ? before.topicId : null,
      replica: isSame ? before.replica : -1,
    })
  }

  delete(lease: LeaseName): void {
    if (this.#of(lease) !== undefined) this.#targets.delete(partitionKey(lease))
  }

  setPaused(lease: LeaseName, paused: boolean): void {
    const target = this.#of(lease)
    if (target !== undefined) target.paused = paused
  }

  isCurrent(target: FetchTarget): boolean {
    return this.#targets.get(target.key) === target && this.#ownership.holds(target)
  }

  /** What may be fetched now, or (paused) in advance. */
  wanted(): FetchTarget[] {
    const wanted: FetchTarget[] = []
    for (const target of this.#targets.values()) {
      if (target.untaken === 0 && !target.isBeingMended && this.isCurrent(target)) wanted.push(target)
    }
    return wanted
  }

  clear(): void {
    this.#targets.clear()
  }

  #of(lease: TopicPartition & { readonly epoch: Epoch }): FetchTarget | undefined {
    const target = this.#targets.get(partitionKey(lease))
    return target?.epoch === lease.epoch ? target : undefined
  }
}

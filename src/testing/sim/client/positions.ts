/** Reading where leases start, again and again until every one of them is known or given up. */
import type { LeaseName, StartPosition } from '../../../kernel/events.ts'
import type { Coordinator } from './coordinator.ts'
import { logBounds } from './log-bounds.ts'
import { type Ownership, partitionKey } from './ownership.ts'
import { type StoredOffset, startPosition } from './start-position.ts'
import type { Topics } from './topics.ts'
import type { Wire } from './wire.ts'

export class Positions {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #topics: Topics
  readonly #ownership: Ownership
  /** Under which leader each partition's position was last checked. */
  readonly checkedLeaders: Map<string, number> = new Map()

  constructor(wire: Wire, coordinator: Coordinator, topics: Topics, ownership: Ownership) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#topics = topics
    this.#ownership = ownership
  }

  async read(leases: readonly LeaseName[]): Promise<readonly StartPosition[]> {
    for (const lease of leases) this.#ownership.note(lease)
    const backoff = this.#wire.backoff()
    const starts: StartPosition[] = []
    const isStillNeeded = (lease: LeaseName): boolean => this.#ownership.holds(lease)
    for (let open = leases.filter(isStillNeeded); open.length > 0; ) {
      const found = await this.#readOnce(open)
      starts.push(...found)
      const known = new Set(found.map(({ epoch }) => epoch))
      open = open.filter((lease) => !known.has(lease.epoch) && isStillNeeded(lease))
      if (open.length > 0) await backoff.pause()
      open = open.filter(isStillNeeded)
    }
    return starts.filter(isStillNeeded)
  }

  /**
   * First the offsets, then the log: a map that was stored meanwhile may reach further than a log end that was read
   * before it, and would be thrown away.
   */
  async #readOnce(leases: readonly LeaseName[]): Promise<StartPosition[]> {
    const stored = await this.#committed(leases)
    const readable = leases.filter((lease) => stored.has(partitionKey(lease)))
    if (readable.length === 0) return []
    const leaderEpochs = await this.#topics.refresh([...new Set(readable.map(({ topic }) => topic))])
    if (leaderEpochs === null) return []
    const questions = readable.map((lease) => ({
      ...lease,
      leaderEpoch: stored.get(partitionKey(lease))?.leaderEpoch ?? -1,
    }))
    const bounds = await logBounds(this.#wire, questions, leaderEpochs)
    return readable.flatMap((lease) => {
      const key = partitionKey(lease)
      const log = bounds.get(key)
      const offset = stored.get(key)
      if (log === undefined || offset === undefined) return []
      this.checkedLeaders.set(key, leaderEpochs.get(key) ?? -1)
      return [startPosition(lease, offset, log, this.#wire.options.startFrom)]
    })
  }

  /**
   * Offsets that nothing can change any more. One with a pending transaction of the previous owner is left out: read
   * now, and its records would run again although their output is about to be committed.
   */
  async #committed(leases: readonly LeaseName[]): Promise<ReadonlyMap<string, StoredOffset>> {
    const node = await this.#coordinator.find()
    if (node === null) return new Map()
    const answer = await this.#wire.ask('OffsetFetch', {
      node,
      groupId: this.#wire.options.group,
      requireStable: true,
      partitions: leases.map(({ topic, partition }) => ({ topic, partition })),
    })
    this.#coordinator.learn(node, answer?.errorCode ?? null)
    if (answer === null || answer.errorCode !== 'NONE') return new Map()
    const stable = answer.partitions.filter(({ errorCode }) => errorCode === 'NONE')
    return new Map(
      stable.map((each) => [
        partitionKey(each),
        { offset: each.committedOffset, leaderEpoch: each.committedLeaderEpoch, metadata: each.metadata },
      ]),
    )
  }
}

/** Reading where leases start, again and again until every one of them is known or given up. */
import { answeredWith } from '../../../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../../../cluster/backoff.ts'
import type { Coordinator } from '../../../cluster/coordinator.ts'
import { byTopic } from '../../../cluster/leaders.ts'
import type { LeaseName, StartPosition } from '../../../kernel/events.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { offsetFetchApi } from '../../../protocol/generated/09-offset-fetch.ts'
import { type Ownership, partitionKey } from '../group/ownership.ts'
import type { StartFrom } from '../options.ts'
import { type LogAsker, logBounds, noEpoch, refreshLeaders } from './log-bounds.ts'
import { type StoredOffset, startPosition } from './start-position.ts'

/** From here on several groups can be asked for at once. */
const groupsFrom = 8
/** The next version names topics by id. */
const offsetFetchMax = 9

export interface PositionsParts extends LogAsker {
  /** null: there is no group, so nothing is committed. */
  readonly coordinator: Coordinator | null
  readonly ownership: Ownership
  readonly group: string | null
  /** Where the user wants to begin, whatever is committed. */
  readonly wanted: ReadonlyMap<string, number>
  readonly backoff: BackoffOptions
}

export class Positions {
  readonly #parts: PositionsParts
  /** Under which leader each partition's position was last checked. */
  readonly checkedLeaders: Map<string, number> = new Map()

  constructor(parts: PositionsParts) {
    this.#parts = parts
  }

  /**
   * As soon as something is known, of as many as are known then: one whose last owner has a transaction open must not hold up
   * the others. Rejects where the start policy is to fail, or where we may not read the group's offsets.
   */
  async read(leases: readonly LeaseName[]): Promise<readonly StartPosition[]> {
    const { ownership, wire } = this.#parts
    for (const lease of leases) ownership.note(lease)
    const backoff = new Backoff(wire.clock, this.#parts.backoff)
    for (;;) {
      const open = wire.isOpen ? leases.filter((lease) => ownership.holds(lease)) : []
      if (open.length === 0) return []
      const found = (await this.#readOnce(open)).filter((start) => ownership.holds(start))
      for (const start of found) ownership.begun(start)
      if (found.length > 0) return found
      await backoff.pause()
    }
  }

  /**
   * First the offsets, then the log: a map that was stored meanwhile may reach further than a log end that was read
   * before it, and would be thrown away.
   */
  async #readOnce(leases: readonly LeaseName[]): Promise<StartPosition[]> {
    const { metadata } = this.#parts
    const stored = await this.#committed(leases)
    const readable = leases.filter((lease) => stored.has(partitionKey(lease)))
    if (readable.length === 0) return []
    const leaderEpochs = await refreshLeaders(metadata, [...new Set(readable.map(({ topic }) => topic))])
    if (leaderEpochs === null) return []
    const questions = readable.map((lease) => ({
      ...lease,
      leaderEpoch: stored.get(partitionKey(lease))?.leaderEpoch ?? noEpoch,
    }))
    const bounds = await logBounds(this.#parts, questions, leaderEpochs)
    return readable.flatMap((lease) => {
      const key = partitionKey(lease)
      const log = bounds.get(key)
      const offset = stored.get(key)
      if (log === undefined || offset === undefined) return []
      this.checkedLeaders.set(key, leaderEpochs.get(key) ?? noEpoch)
      const start = startPosition(lease, offset, log, this.#policy(lease))
      return [this.#parts.wanted.has(key) ? { ...start, committed: false } : start]
    })
  }

  /** All of a topic that was created again is newer than our lease of the old one: none of it is to be passed over. */
  #policy(lease: LeaseName): StartFrom {
    const { ownership, options } = this.#parts
    return ownership.beginsAnew(lease) && options.startFrom === 'latest' ? 'earliest' : options.startFrom
  }

  /**
   * Offsets that nothing can change any more. One with a pending transaction of the previous owner is left out: read
   * now, and its records would run again although their output is about to be committed.
   */
  async #committed(leases: readonly LeaseName[]): Promise<ReadonlyMap<string, StoredOffset>> {
    const { wire, coordinator, ownership, group: groupId, wanted } = this.#parts
    const found = new Map<string, StoredOffset>()
    for (const lease of leases) {
      const isAnew = ownership.beginsAnew(lease)
      const offset = isAnew ? -1 : (wanted.get(partitionKey(lease)) ?? -1)
      if (offset >= 0 || coordinator === null || isAnew)
        found.set(partitionKey(lease), { offset, leaderEpoch: -1, metadata: null })
    }
    const asked = leases.filter((lease) => !found.has(partitionKey(lease)))
    const node = asked.length === 0 || coordinator === null ? null : await coordinator.find()
    if (node === null || coordinator === null || groupId === null) return found
    const topics = [...byTopic(asked)].map(([name, theirs]) => ({
      name,
      partitionIndexes: theirs.map(({ partition }) => partition),
    }))
    const answer = await wire.ask(
      node,
      offsetFetchApi,
      (version) =>
        version < groupsFrom
          ? { groupId, requireStable: true, topics }
          : { groups: [{ groupId, topics }], requireStable: true },
      { maxVersion: offsetFetchMax },
    )
    const group = answer === null || answer.version < groupsFrom ? answer?.body : answer.body.groups[0]
    coordinator.learn(node, group?.errorCode ?? null)
    if (group === undefined) return found
    if (refused.has(group.errorCode)) throw answeredWith(group.errorCode, 'OffsetFetch')
    if (group.errorCode !== errorCodes.NONE) return found
    for (const { name, partitions } of group.topics) {
      for (const { partitionIndex, errorCode, committedOffset, committedLeaderEpoch, metadata } of partitions) {
        if (refused.has(errorCode)) throw answeredWith(errorCode, `OffsetFetch of ${name}`)
        if (errorCode !== errorCodes.NONE) continue
        const offset = { offset: Number(committedOffset), leaderEpoch: committedLeaderEpoch, metadata }
        found.set(partitionKey({ topic: name, partition: partitionIndex }), offset)
      }
    }
    return found
  }
}

const refused: ReadonlySet<number> = new Set([
  errorCodes.GROUP_AUTHORIZATION_FAILED,
  errorCodes.TOPIC_AUTHORIZATION_FAILED,
])

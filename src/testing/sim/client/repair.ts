/** A fetch was refused because the log is not where we thought: find out what happened to it. */
import type { LeaseName } from '../../../kernel/events.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { FetchTarget } from './fetch-target.ts'
import { epochEnds, logBounds, NO_EPOCH } from './log-bounds.ts'
import { partitionKey } from './ownership.ts'
import type { EpochOffset } from './start-position.ts'
import type { Topics } from './topics.ts'
import type { Wire } from './wire.ts'

export class Repair {
  readonly #wire: Wire
  readonly #topics: Topics
  readonly #renew: (lease: LeaseName) => void

  constructor(wire: Wire, topics: Topics, renew: (lease: LeaseName) => void) {
    this.#wire = wire
    this.#topics = topics
    this.#renew = renew
  }

  /** Where to go on; null: nothing to skip (try again, or the lease has been renewed). */
  async mend(target: FetchTarget, code: ErrorCode): Promise<EpochOffset | null> {
    if (code === 'FENCED_LEADER_EPOCH') await this.#checkLeader(target)
    return code === 'OFFSET_OUT_OF_RANGE' ? this.#findStart(target) : null
  }

  /**
   * There was an election. Everything that we know of was written under the old leader or before: if the new leader's
   * log holds all of that, go on. If not, records that we may have run, or hold in our map, are gone: begin a new lease.
   */
  async #checkLeader(target: FetchTarget): Promise<void> {
    const key = partitionKey(target)
    const leaderEpochs = await this.#topics.refresh([target.topic])
    if (leaderEpochs === null) return
    const end = (await epochEnds(this.#wire, [target], leaderEpochs)).get(key)
    if (end === undefined) return
    if (end.offset < Math.max(target.position, target.logEnd)) this.#renew(target)
    else target.leaderEpoch = leaderEpochs.get(key) ?? NO_EPOCH
  }

  /**
   * Below the log: retention was faster than we were, the start policy says where to go on. Above it: the log was cut,
   * and a lease cannot go back, so a new one begins at what is committed, as far as that still exists.
   */
  async #findStart(target: FetchTarget): Promise<EpochOffset | null> {
    const bounds = await logBounds(this.#wire, [{ ...target, leaderEpoch: NO_EPOCH }], new Map())
    const log = bounds.get(partitionKey(target))
    if (log === undefined) return null
    if (target.position > log.highWatermark) {
      this.#renew(target)
      return null
    }
    if (target.position >= log.start.offset) return null
    return this.#wire.options.startFrom === 'earliest' ? log.start : log.end
  }
}

/** A fetch was refused because the log is not where we thought: find out what happened to it. */
import type { LeaseName } from '../../../kernel/events.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import { epochEnds, type LogAsker, logBounds, noEpoch, refreshLeaders } from '../positions/log-bounds.ts'
import { type EpochOffset, policyOffset } from '../positions/start-position.ts'
import type { FetchTarget } from './fetch-target.ts'

export class Repair {
  readonly #asker: LogAsker
  readonly #renew: (lease: LeaseName) => void
  readonly #checkedLeaders: Map<string, number>

  constructor(asker: LogAsker, checkedLeaders: Map<string, number>, renew: (lease: LeaseName) => void) {
    this.#asker = asker
    this.#checkedLeaders = checkedLeaders
    this.#renew = renew
  }

  /** Where to go on; null: nothing to skip (try again, or the lease has been renewed). Rejects where the policy is to fail. */
  async mend(target: FetchTarget, code: number): Promise<EpochOffset | null> {
    if (code === errorCodes.OFFSET_OUT_OF_RANGE) return this.#findStart(target)
    if (code === errorCodes.FENCED_LEADER_EPOCH) await this.#checkLeader(target)
    else if (code !== errorCodes.UNKNOWN_LEADER_EPOCH) await this.#asker.metadata.refresh([target.topic])
    return null
  }

  /**
   * There was an election. Everything that we know of was written under the old leader or before: if the new leader's
   * log holds all of that, go on. If not, records that we may have run, or hold in our map, are gone: begin a new lease.
   */
  async #checkLeader(target: FetchTarget): Promise<void> {
    const leaderEpochs = await refreshLeaders(this.#asker.metadata, [target.topic])
    if (leaderEpochs === null) return
    const end = (await epochEnds(this.#asker, [target], leaderEpochs)).get(target.key)
    if (end === undefined) return
    if (end.offset < Math.max(target.position, target.logEnd)) this.#renew(target)
    else target.leaderEpoch = leaderEpochs.get(target.key) ?? noEpoch
    // A seek begins a new lease, at a place that was written under this leader: the one before it would not know of it.
    this.#checkedLeaders.set(target.key, target.leaderEpoch)
  }

  /**
   * Below the log: retention was faster than we were, the start policy says where to go on. Above it: the log was cut,
   * and a lease cannot go back, so a new one begins at what is committed, as far as that still exists.
   */
  async #findStart(target: FetchTarget): Promise<EpochOffset | null> {
    const bounds = await logBounds(this.#asker, [{ ...target, leaderEpoch: noEpoch }], new Map())
    const log = bounds.get(target.key)
    if (log === undefined) return null
    if (target.position > log.highWatermark) {
      this.#renew(target)
      return null
    }
    if (target.position >= log.start.offset) return null
    const next = policyOffset(target, { offset: target.position }, log, this.#asker.options.startFrom)
    // A time of long ago lies in front of us, not behind.
    return next.offset < log.start.offset ? log.start : next
  }
}

/**
 * The `consumer` protocol as requests see it: finds or makes the group, which does the rest.
 *
 * A classic group becomes a consumer group when a member of this protocol joins it, in one batch of the state log: its offsets
 * stay, and so do its members, who go on speaking the classic protocol. It becomes a classic group again when only such
 * members are left. Whether a group with members may do that is a setting; an empty one always may.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Input } from '../../protocol/types.ts'
import type { ClassicGroup } from './classic/group.ts'
import type { Rebalance } from './classic/rebalance.ts'
import { ConsumerGroup, type HeartbeatContext } from './consumer/consumer-group.ts'
import type { Founders } from './consumer/founders.ts'
import { newMemberId } from './consumer/member-id.ts'
import type { ConsumerGroupOptions } from './consumer/options.ts'
import { Refusal, refuseRequest } from './consumer/refusals.ts'
import { type GroupCore, hasRoomForGroup } from './core.ts'
import { waysOf } from './migration/policy.ts'
import { foundersOf, refuseUpgrade } from './migration/upgrade.ts'
import type { StateRecord } from './ports.ts'
import { groupTombstone } from './records.ts'
import type { RequestContext } from './request-context.ts'

type Answer = Input<ConsumerGroupHeartbeatResponse>

const joinEpoch = 0

export class ConsumerProtocol {
  readonly #core: GroupCore
  readonly #options: ConsumerGroupOptions
  readonly #rebalance: Rebalance
  readonly #newMemberId: () => string

  constructor(core: GroupCore, options: ConsumerGroupOptions, rebalance: Rebalance, newId: () => string = newMemberId) {
    this.#core = core
    this.#options = options
    this.#rebalance = rebalance
    this.#newMemberId = newId
  }

  async heartbeat(request: ConsumerGroupHeartbeatRequest, context: RequestContext): Promise<Answer> {
    const refusal = refuseRequest(request, context.version, this.#options)
    if (refusal !== undefined) return refusal.answer()
    const group = this.#core.groups.get(request.groupId)
    const details = { ...context, clientId: context.clientId ?? '' }
    if (group?.kind === 'consumer') return group.consumer.heartbeat(request, details)
    const answer = await this.#begin(request, details, group?.classic)
    return answer instanceof Refusal ? answer.answer() : answer
  }

  /** A group without members; what it writes first is written together with `before`. */
  create(groupId: string, before: readonly StateRecord[] = []): ConsumerGroup {
    const { topics, clock, writer, groups } = this.#core
    let first = before
    const persist = (records: StateRecord[]): Promise<void> => {
      const together = [...first, ...records]
      first = []
      return writer.write(groupId, together)
    }
    return new ConsumerGroup(groupId, {
      topics,
      clock,
      options: this.#options,
      newMemberId: this.#newMemberId,
      persist,
      fits: (records) => writer.fits([...first, ...records]),
      mayDowngrade: (memberCount) =>
        waysOf[this.#options.migrationPolicy].downgrade && memberCount <= this.#core.options.groupMaxSize,
      downgraded: (classic, rebalance) => {
        groups.setClassic(classic)
        this.#rebalance.loaded(classic)
        if (rebalance) this.#rebalance.prepare(classic)
      },
    })
  }

  /** A first heartbeat that is refused leaves everything as it was, but that nobody waits to join any longer. */
  #begin(
    request: ConsumerGroupHeartbeatRequest,
    context: HeartbeatContext,
    classic: ClassicGroup | undefined,
  ): Answer | Promise<Answer> | Refusal {
    const { groupId, memberEpoch } = request
    if (memberEpoch !== joinEpoch) {
      const why = classic === undefined ? 'not found' : 'is not a consumer group'
      return new Refusal(errorCodes.GROUP_ID_NOT_FOUND, `Group ${groupId} ${why}.`)
    }
    if (classic === undefined && !hasRoomForGroup(this.#core)) {
      return new Refusal(
        errorCodes.POLICY_VIOLATION,
        'The broker has as many groups as it may have; delete unused ones.',
      )
    }
    const founders = this.#founders(classic)
    if (founders instanceof Refusal) return founders
    const consumer = this.create(groupId, classic === undefined ? [] : [groupTombstone(groupId)])
    const answer = consumer.begin(request, context, founders)
    if (answer instanceof Refusal) return answer
    if (classic !== undefined) this.#rebalance.unload(classic, errorCodes.UNKNOWN_MEMBER_ID)
    this.#core.groups.setConsumer(groupId, consumer)
    return answer
  }

  /** The members that the group has already. */
  #founders(classic: ClassicGroup | undefined): Founders | Refusal | undefined {
    if (classic === undefined || classic.state === 'Empty') return undefined
    const refusal = refuseUpgrade(classic, this.#options)
    if (refusal !== undefined) return refusal
    // A rebalance that is under way does not matter any more: whoever waits for others comes back to the consumer group.
    this.#rebalance.interrupt(classic)
    return foundersOf(classic, this.#core.topics)
  }
}

/**
 * The `consumer` protocol as requests see it: finds or makes the group, which does the rest.
 *
 * An empty classic group becomes a consumer group when a member of this protocol joins it, in one batch of the state log:
 * its offsets stay. A classic group with members is refused, as Kafka does when migration is switched off.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Input } from '../../protocol/types.ts'
import type { ClassicGroup } from './classic/group.ts'
import type { Rebalance } from './classic/rebalance.ts'
import { ConsumerGroup } from './consumer/consumer-group.ts'
import type { ConsumerGroupOptions } from './consumer/options.ts'
import { refuseRequest } from './consumer/refusals.ts'
import { type GroupCore, hasRoomForGroup } from './core.ts'
import type { StateRecord } from './ports.ts'
import { groupTombstone } from './records.ts'
import type { RequestContext } from './request-context.ts'

type Answer = Input<ConsumerGroupHeartbeatResponse>

const joinEpoch = 0

export class ConsumerProtocol {
  readonly #core: GroupCore
  readonly #options: ConsumerGroupOptions
  readonly #rebalance: Rebalance

  constructor(core: GroupCore, options: ConsumerGroupOptions, rebalance: Rebalance) {
    this.#core = core
    this.#options = options
    this.#rebalance = rebalance
  }

  async heartbeat(request: ConsumerGroupHeartbeatRequest, context: RequestContext): Promise<Answer> {
    const { groupId, memberEpoch } = request
    const refusal = refuseRequest(request, context.version, this.#options)
    if (refusal !== undefined) return refusal.answer()
    const group = this.#core.groups.get(groupId)
    const details = { ...context, clientId: context.clientId ?? '' }
    if (group?.kind === 'consumer') return group.consumer.heartbeat(request, details)
    if (memberEpoch !== joinEpoch || (group !== undefined && group.classic.state !== 'Empty')) {
      const why = group === undefined ? 'not found' : 'is not a consumer group'
      return refused(errorCodes.GROUP_ID_NOT_FOUND, `Group ${groupId} ${why}.`)
    }
    if (group === undefined && !hasRoomForGroup(this.#core)) {
      return refused(errorCodes.POLICY_VIOLATION, 'The broker has as many groups as it may have; delete unused ones.')
    }
    return this.#begin(request, details, group?.classic)
  }

  /** A group without members; what it writes first is written together with `before`. */
  create(groupId: string, before: readonly StateRecord[] = []): ConsumerGroup {
    const { topics, clock, writer } = this.#core
    let first = before
    const persist = (records: StateRecord[]): Promise<void> => {
      const together = [...first, ...records]
      first = []
      return writer.write(groupId, together)
    }
    return new ConsumerGroup(groupId, { topics, clock, options: this.#options, persist })
  }

  /** A first heartbeat that is refused leaves everything as it was. */
  async #begin(
    request: ConsumerGroupHeartbeatRequest,
    context: RequestContext & { readonly clientId: string },
    classic: ClassicGroup | undefined,
  ): Promise<Answer> {
    const { groupId } = request
    const consumer = this.create(groupId, classic === undefined ? [] : [groupTombstone(groupId)])
    const answer = consumer.heartbeat(request, context)
    if (consumer.exists) {
      if (classic !== undefined) this.#rebalance.unload(classic, errorCodes.UNKNOWN_MEMBER_ID)
      this.#core.groups.setConsumer(groupId, consumer)
    } else consumer.close()
    return answer
  }
}

function refused(errorCode: number, errorMessage: string): Answer {
  return { errorCode, errorMessage }
}

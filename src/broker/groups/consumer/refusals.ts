/**
 * Heartbeats that are answered with an error, and why. Nothing has changed when one of these is returned.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Input } from '../../../protocol/types.ts'
import { joinEpoch, leaveEpoch, staticLeaveEpoch } from './member.ts'
import type { ConsumerGroupOptions } from './options.ts'

export class Refusal {
  readonly errorCode: number
  readonly errorMessage: string

  constructor(errorCode: number, errorMessage: string) {
    this.errorCode = errorCode
    this.errorMessage = errorMessage
  }

  answer(): Input<ConsumerGroupHeartbeatResponse> {
    return { errorCode: this.errorCode, errorMessage: this.errorMessage }
  }
}

/** Ids are parts of record keys, where the length of a string has 16 bits. */
const maxIdBytes = 32_767

/** What one member may be subscribed to: Kafka refuses a record that does not fit into one batch of its state log. */
export const maxSubscriptionChars = 1_000_000

/** From this version on the client makes up the member id. */
const clientMakesMemberIdFrom = 1

/** What is wrong with the request whatever the group looks like. */
export function refuseRequest(
  request: ConsumerGroupHeartbeatRequest,
  version: number,
  options: Pick<ConsumerGroupOptions, 'assignors'>,
): Refusal | undefined {
  const problem = problemOfIds(request, version) ?? problemOfEpoch(request)
  if (problem !== undefined) return new Refusal(errorCodes.INVALID_REQUEST, problem)
  const { serverAssignor } = request
  if (serverAssignor !== null && !options.assignors.some((name) => name === serverAssignor)) {
    return new Refusal(
      errorCodes.UNSUPPORTED_ASSIGNOR,
      `there is no server assignor '${serverAssignor}'; there are: ${options.assignors.join(', ')}`,
    )
  }
  const names = request.subscribedTopicNames ?? []
  if (names.reduce((sum, name) => sum + name.length, 0) > maxSubscriptionChars) {
    return new Refusal(
      errorCodes.UNKNOWN_SERVER_ERROR,
      `the topic names have more than ${maxSubscriptionChars} characters: subscribe with a regular expression`,
    )
  }
  return undefined
}

function problemOfIds(request: ConsumerGroupHeartbeatRequest, version: number): string | undefined {
  const { groupId, memberId, memberEpoch, instanceId, rackId } = request
  const needsMemberId = version >= clientMakesMemberIdFrom || memberEpoch > 0 || memberEpoch === leaveEpoch
  if (needsMemberId && isBlank(memberId)) return 'the member id is empty'
  if (isBlank(groupId)) return 'the group id is empty'
  if (instanceId !== null && isBlank(instanceId)) return 'the instance id is empty: leave it out or give one'
  if (rackId !== null && isBlank(rackId)) return 'the rack id is empty: leave it out or give one'
  return isShortId(groupId) && isShortId(memberId) ? undefined : `an id has more than ${maxIdBytes} bytes`
}

export function isShortId(id: string): boolean {
  return id.length * 3 <= maxIdBytes || Buffer.byteLength(id) <= maxIdBytes
}

function problemOfEpoch(request: ConsumerGroupHeartbeatRequest): string | undefined {
  const { memberEpoch, topicPartitions, subscribedTopicNames, subscribedTopicRegex } = request
  if (memberEpoch === joinEpoch) {
    if (request.rebalanceTimeoutMs === -1) return 'who joins must say its rebalance time-out'
    if (topicPartitions === null || topicPartitions.length > 0) {
      return 'who joins owns no partitions: send an empty list of them'
    }
    if (subscribedTopicNames === null && subscribedTopicRegex === null) {
      return 'who joins must subscribe to topic names or to a regular expression'
    }
  }
  if (memberEpoch === staticLeaveEpoch && request.instanceId === null) {
    return 'only a member with an instance id can leave for a while'
  }
  if (memberEpoch < staticLeaveEpoch) return `there is no member epoch ${memberEpoch}`
  return undefined
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

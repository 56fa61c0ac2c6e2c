/** What error codes of answers mean to whoever asked. */
import { FanlaneError } from '../errors.ts'
import { errorCodes, errorName, isRetriable } from '../protocol/errors.ts'

/** The coordinator is elsewhere, or not ready: certainly not applied. Find it again and ask again. */
export function isCoordinatorElsewhere(code: number): boolean {
  return hasCoordinatorMoved(code) || code === errorCodes.COORDINATOR_LOAD_IN_PROGRESS
}

export function hasCoordinatorMoved(code: number): boolean {
  return code === errorCodes.NOT_COORDINATOR || code === errorCodes.COORDINATOR_NOT_AVAILABLE
}

const movedLeader: ReadonlySet<number> = new Set([
  errorCodes.NOT_LEADER_OR_FOLLOWER,
  errorCodes.LEADER_NOT_AVAILABLE,
  errorCodes.REPLICA_NOT_AVAILABLE,
  errorCodes.FENCED_LEADER_EPOCH,
  errorCodes.UNKNOWN_LEADER_EPOCH,
  errorCodes.KAFKA_STORAGE_ERROR,
  errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
  errorCodes.UNKNOWN_TOPIC_ID,
  errorCodes.INCONSISTENT_TOPIC_ID,
])

/** What we know of the partition's place is old: certainly not applied. Read the metadata again and ask again. */
export function isLeaderElsewhere(code: number): boolean {
  return movedLeader.has(code)
}

/** An answer that asking again does not change, or that somebody has to be told. `detail`: what the broker said besides. */
export function answeredWith(code: number, request: string, detail: string | null = null): FanlaneError {
  const name = errorName(code)
  const said = detail === null || detail === '' ? '' : ` (${detail})`
  return new FanlaneError(name, `${request} was answered with ${name}${said}.${adviceOn(name)}`, {
    retriable: isRetriable(code),
  })
}

const advice: Readonly<Record<string, string>> = {
  FENCED_INSTANCE_ID: ' Another process has taken this instance id: give every process one of its own.',
  UNRELEASED_INSTANCE_ID:
    ' Another process holds this instance id; it is free when that one leaves or its session ends.',
  INCONSISTENT_GROUP_PROTOCOL:
    ' The members of the group speak no assignor in common: use one that the others have (client.assignors).',
  INVALID_SESSION_TIMEOUT:
    " The session time-out is outside the broker's group.min.session.timeout.ms … group.max.session.timeout.ms.",
  GROUP_AUTHORIZATION_FAILED: ' Allow this user to read the group.',
  TOPIC_AUTHORIZATION_FAILED: ' Allow this user to use the topic.',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: ' Allow this user to write with the transactional id.',
  CLUSTER_AUTHORIZATION_FAILED: ' Allow this user to do that to the cluster.',
  MESSAGE_TOO_LARGE: ' Raise max.message.bytes of the topic, or send less in one record.',
  INVALID_TRANSACTION_TIMEOUT: " The transaction time-out is above the broker's transaction.max.timeout.ms.",
  GROUP_MAX_SIZE_REACHED: ' The group is full: raise group.max.size of the broker.',
  UNSUPPORTED_ASSIGNOR:
    ' The broker does not have this assignor: leave client.serverAssignor out, or choose uniform or range.',
  OFFSET_METADATA_TOO_LARGE: " Lower commit.mapMaxChars, or raise the broker's offset.metadata.max.bytes.",
}

function adviceOn(name: string): string {
  return advice[name] ?? ''
}

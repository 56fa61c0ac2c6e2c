/** What an answer that is an error means to whoever administers, and what to do about it. */
import { answeredWith } from '../cluster/answers.ts'
import { FanlaneError } from '../errors.ts'
import { errorCodes, errorName, isRetriable } from '../protocol/errors.ts'

/** By request and error, then by error alone. */
const advice: Readonly<Record<string, string>> = {
  'OffsetCommit UNKNOWN_MEMBER_ID': 'The group has members: stop its consumers first, then change its offsets.',
  'OffsetCommit REBALANCE_IN_PROGRESS': 'The group has members: stop its consumers first, then change its offsets.',
  'LeaveGroup UNKNOWN_MEMBER_ID': 'The group has no such member; it may have left.',
  'DeleteRecords OFFSET_OUT_OF_RANGE': "The log ends before that offset: give one that is in it, or 'all'.",
  UNKNOWN_TOPIC_OR_PARTITION: 'There is no such topic or partition, or this user may not see it.',
  TOPIC_ALREADY_EXISTS: 'Choose another name, or delete that topic first.',
  INVALID_REPLICATION_FACTOR: 'A topic has at most as many replicas as there are brokers.',
  TOPIC_DELETION_DISABLED: "Set delete.topic.enable=true in the brokers' configuration.",
  NON_EMPTY_GROUP: 'The group has members: stop its consumers first.',
  GROUP_SUBSCRIBED_TO_TOPIC: "The group's consumers read this topic: stop them first.",
  GROUP_ID_NOT_FOUND: 'There is no such group: it never committed, or its offsets have expired.',
  TRANSACTIONAL_ID_NOT_FOUND: 'Nobody used this transactional id, or it has expired.',
  POLICY_VIOLATION: 'A policy of the cluster forbids it.',
  SECURITY_DISABLED: 'The brokers have no authorizer.',
}

/** An answer that asking again does not change. `request`: the name of the API; `of`: what it was about. */
export function refusal(code: number, request: string, of: string, detail: string | null): FanlaneError {
  const name = errorName(code)
  const { message } = answeredWith(code, `${request} of ${of}`, told(detail, name))
  const fix = advice[`${request} ${name}`] ?? advice[name]
  return new FanlaneError(name, fix === undefined ? message : `${message} ${fix}`, { retriable: isRetriable(code) })
}

/** Brokers often say the same again, as a sentence with a full stop. */
function told(detail: string | null, name: string): string | null {
  const text = detail?.trim().replace(/\.$/, '') ?? ''
  return text === '' || text === name ? null : text
}

/** It can pass by itself, and was certainly not applied (except REQUEST_TIMED_OUT): ask again. */
export function isPassing(code: number): boolean {
  return (isRetriable(code) || code === errorCodes.BROKER_NOT_AVAILABLE) && !forGood.has(code)
}

/** Retriable to those who produce and fetch; to whoever named it by hand it is an answer. */
const forGood: ReadonlySet<number> = new Set([
  errorCodes.UNKNOWN_TOPIC_OR_PARTITION,
  errorCodes.UNKNOWN_TOPIC_ID,
  errorCodes.INCONSISTENT_TOPIC_ID,
  errorCodes.ELECTION_NOT_NEEDED,
  errorCodes.CORRUPT_MESSAGE,
])

export function isUnknownTopic(code: number): boolean {
  return code === errorCodes.UNKNOWN_TOPIC_OR_PARTITION || code === errorCodes.UNKNOWN_TOPIC_ID
}

/** What the answer to a heartbeat of the consumer protocol means for the membership. */
import { answeredWith, isCoordinatorElsewhere } from '../../../../cluster/answers.ts'
import { FanlaneError } from '../../../../errors.ts'
import { errorCodes, errorName } from '../../../../protocol/errors.ts'

/**
 * - `again`: nothing has changed, ask again, maybe elsewhere.
 * - `fenced`: the group has gone on without us, and may still count us in; `unknown`: it does not know us.
 * - `taken`: somebody else goes by our instance id; it may become free.
 * - `failed`: asking again cannot help.
 */
export type Verdict = 'fine' | 'again' | 'fenced' | 'unknown' | 'taken' | 'failed'

const failing: ReadonlySet<number> = new Set([
  errorCodes.FENCED_INSTANCE_ID,
  errorCodes.UNSUPPORTED_VERSION,
  errorCodes.UNSUPPORTED_ASSIGNOR,
  errorCodes.INVALID_REGULAR_EXPRESSION,
  errorCodes.INVALID_REQUEST,
  errorCodes.INVALID_GROUP_ID,
  errorCodes.GROUP_MAX_SIZE_REACHED,
  errorCodes.GROUP_AUTHORIZATION_FAILED,
  errorCodes.TOPIC_AUTHORIZATION_FAILED,
  errorCodes.CLUSTER_AUTHORIZATION_FAILED,
])

export function verdictOn(code: number, isJoining: boolean): Verdict {
  if (code === errorCodes.NONE) return 'fine'
  if (isCoordinatorElsewhere(code)) return 'again'
  if (code === errorCodes.FENCED_MEMBER_EPOCH) return 'fenced'
  if (code === errorCodes.UNKNOWN_MEMBER_ID) return isJoining ? 'again' : 'unknown'
  // Who joins creates the group: not found then means that there is one, of another kind. Later it means that it is gone.
  if (code === errorCodes.GROUP_ID_NOT_FOUND) return isJoining ? 'failed' : 'unknown'
  if (code === errorCodes.UNRELEASED_INSTANCE_ID) return 'taken'
  return failing.has(code) ? 'failed' : 'again'
}

const fixes = {
  GROUP_ID_NOT_FOUND:
    'A group of this name lives with another protocol, and the broker does not convert it: stop its members first, leave client.protocol out, or allow it (group.consumer.migration.policy of the broker).',
  UNSUPPORTED_ASSIGNOR: 'The broker has no such assignor: leave client.serverAssignor out, or choose uniform or range.',
  INVALID_REGULAR_EXPRESSION:
    "The broker reads patterns by RE2's rules, which have no look-around and no back-references.",
  UNSUPPORTED_VERSION:
    'The consumer protocol needs Kafka 4.0 or newer with it switched on: leave client.protocol out to use the classic one.',
} as const

const isFixable = (name: string): name is keyof typeof fixes => Object.hasOwn(fixes, name)

/** `detail`: what the broker said besides. */
export function errorOf(code: number, group: string, detail: string | null): FanlaneError {
  const name = errorName(code)
  const request = `ConsumerGroupHeartbeat for '${group}'`
  if (!isFixable(name)) return answeredWith(code, request, detail)
  const said = detail === null || detail === '' ? '' : ` (${detail})`
  return new FanlaneError(name, `${request} was answered with ${name}${said}. ${fixes[name]}`)
}

/** The request could not even be asked. */
export function explain(error: unknown): unknown {
  if (!(error instanceof FanlaneError) || error.code !== 'UNSUPPORTED_VERSION') return error
  return new FanlaneError(error.code, `${error.message} ${fixes.UNSUPPORTED_VERSION}`, { cause: error })
}

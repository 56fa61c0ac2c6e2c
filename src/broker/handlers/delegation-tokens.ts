/**
 * Delegation tokens need a secret that all brokers share; this broker has none, so they are disabled, as in a Kafka without
 * `delegation.token.secret.key`. A connection without authentication may not even ask.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { Peer } from '../server/route.ts'

export function tokenRefusal({ authentication }: Peer): number {
  return authentication.kind === 'done'
    ? errorCodes.DELEGATION_TOKEN_AUTH_DISABLED
    : errorCodes.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
}

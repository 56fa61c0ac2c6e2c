/**
 * RenewDelegationToken: there are none here (delegation-tokens.ts).
 */
import { renewDelegationTokenApi } from '../../protocol/generated/39-renew-delegation-token.ts'
import { type Route, route } from '../server/route.ts'
import { tokenRefusal } from './delegation-tokens.ts'

export function renewDelegationToken(): Route {
  return route(renewDelegationTokenApi, {
    handle: (_request, { connection }) => ({ errorCode: tokenRefusal(connection), expiryTimestampMs: -1n }),
    refuse: (_request, errorCode) => ({ errorCode, expiryTimestampMs: -1n }),
  })
}

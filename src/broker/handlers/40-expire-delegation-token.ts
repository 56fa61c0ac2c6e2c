/**
 * ExpireDelegationToken: there are none here (delegation-tokens.ts).
 */
import { expireDelegationTokenApi } from '../../protocol/generated/40-expire-delegation-token.ts'
import { type Route, route } from '../server/route.ts'
import { tokenRefusal } from './delegation-tokens.ts'

export function expireDelegationToken(): Route {
  return route(expireDelegationTokenApi, {
    handle: (_request, { connection }) => ({ errorCode: tokenRefusal(connection), expiryTimestampMs: -1n }),
    refuse: (_request, errorCode) => ({ errorCode, expiryTimestampMs: -1n }),
  })
}

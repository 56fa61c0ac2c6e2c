/**
 * DescribeDelegationToken: there are none here (delegation-tokens.ts).
 */
import { describeDelegationTokenApi } from '../../protocol/generated/41-describe-delegation-token.ts'
import { type Route, route } from '../server/route.ts'
import { tokenRefusal } from './delegation-tokens.ts'

export function describeDelegationToken(): Route {
  return route(describeDelegationTokenApi, {
    handle: (_request, { connection }) => ({ errorCode: tokenRefusal(connection), tokens: [] }),
    refuse: (_request, errorCode) => ({ errorCode, tokens: [] }),
  })
}

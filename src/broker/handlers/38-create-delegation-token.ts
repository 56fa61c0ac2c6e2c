/**
 * CreateDelegationToken: there are none here (delegation-tokens.ts). v3 for somebody else.
 */
import {
  type CreateDelegationTokenRequest,
  type CreateDelegationTokenResponse,
  createDelegationTokenApi,
} from '../../protocol/generated/38-create-delegation-token.ts'
import type { Input } from '../../protocol/types.ts'
import { type RequestContext, type Route, route } from '../server/route.ts'
import { tokenRefusal } from './delegation-tokens.ts'

export function createDelegationToken(): Route {
  return route(createDelegationTokenApi, {
    handle: (request, context) => answer(request, tokenRefusal(context.connection), context),
    refuse: answer,
  })
}

function answer(
  { ownerPrincipalType, ownerPrincipalName }: CreateDelegationTokenRequest,
  errorCode: number,
  { connection }: RequestContext,
): Input<CreateDelegationTokenResponse> {
  const [type = '', ...name] = connection.principal.split(':')
  const isForOther = Boolean(ownerPrincipalType) && Boolean(ownerPrincipalName)
  return {
    errorCode,
    principalType: (isForOther ? ownerPrincipalType : null) ?? type,
    principalName: (isForOther ? ownerPrincipalName : null) ?? name.join(':'),
    tokenRequesterPrincipalType: type,
    tokenRequesterPrincipalName: name.join(':'),
    issueTimestampMs: -1n,
    expiryTimestampMs: -1n,
    maxTimestampMs: -1n,
  }
}

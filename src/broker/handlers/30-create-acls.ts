/**
 * CreateAcls: refused, as by a Kafka without an authorizer (see 29-describe-acls.ts).
 */
import { errorCodes } from '../../protocol/errors.ts'
import { createAclsApi } from '../../protocol/generated/30-create-acls.ts'
import { type Route, route } from '../server/route.ts'

const refusal = { errorCode: errorCodes.SECURITY_DISABLED, errorMessage: 'No Authorizer is configured.' } as const

export function createAcls(): Route {
  return route(createAclsApi, {
    handle: ({ creations }) => ({ results: creations.map(() => refusal) }),
    refuse: ({ creations }, errorCode) => ({ results: creations.map(() => ({ errorCode, errorMessage: null })) }),
  })
}

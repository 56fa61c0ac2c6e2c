/**
 * DeleteAcls: refused, as by a Kafka without an authorizer (see 29-describe-acls.ts).
 */
import { errorCodes } from '../../protocol/errors.ts'
import { deleteAclsApi } from '../../protocol/generated/31-delete-acls.ts'
import { type Route, route } from '../server/route.ts'

const refusal = { errorCode: errorCodes.SECURITY_DISABLED, errorMessage: 'No Authorizer is configured.' } as const

export function deleteAcls(): Route {
  return route(deleteAclsApi, {
    handle: ({ filters }) => ({ filterResults: filters.map(() => refusal) }),
    refuse: ({ filters }, errorCode) => ({ filterResults: filters.map(() => ({ errorCode, errorMessage: null })) }),
  })
}

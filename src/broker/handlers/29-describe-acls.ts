/**
 * DescribeAcls: there are no access control lists here. Whoever is authenticated may do everything, and that is what a Kafka
 * without an authorizer answers.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { describeAclsApi } from '../../protocol/generated/29-describe-acls.ts'
import { type Route, route } from '../server/route.ts'

export function describeAcls(): Route {
  return route(describeAclsApi, {
    handle: () => ({
      errorCode: errorCodes.SECURITY_DISABLED,
      errorMessage: 'No Authorizer is configured on the broker',
      resources: [],
    }),
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, resources: [] }),
  })
}

/**
 * DescribeUserScramCredentials: who has SCRAM credentials that were set by AlterUserScramCredentials, with which mechanisms.
 * Users that the broker's options name are not listed: they are not kept, and cannot be altered.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type DescribeUserScramCredentialsResult,
  describeUserScramCredentialsApi,
} from '../../protocol/generated/50-describe-user-scram-credentials.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { mechanismNumbers, ScramStore } from '../server/scram-store.ts'

export function describeUserScramCredentials(broker: Broker): Route {
  const store = new ScramStore(broker.metadata)
  return route(describeUserScramCredentialsApi, {
    handle: ({ users }) => {
      const names = users === null || users.length === 0 ? store.users() : users.map(({ name }) => name)
      const results = [...Map.groupBy(names, (name) => name)].map(([user, same]) =>
        describe(store, user, same.length > 1),
      )
      return { errorCode: errorCodes.NONE, results }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, results: [] }),
  })
}

function describe(store: ScramStore, user: string, isTwice: boolean): Input<DescribeUserScramCredentialsResult> {
  if (isTwice) {
    const errorMessage = `Cannot describe SCRAM credentials for the same user twice in a single request: ${user}`
    return { user, errorCode: errorCodes.DUPLICATE_RESOURCE, errorMessage }
  }
  const credentials = store.of(user)
  if (credentials.length === 0) {
    const errorMessage = `Attempt to describe a user credential that does not exist: ${user}`
    return { user, errorCode: errorCodes.RESOURCE_NOT_FOUND, errorMessage }
  }
  const credentialInfos = credentials.map(({ mechanism, iterations }) => ({
    mechanism: mechanismNumbers[mechanism],
    iterations,
  }))
  return { user, errorCode: errorCodes.NONE, credentialInfos }
}

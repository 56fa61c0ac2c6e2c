/**
 * FindCoordinator: who coordinates a group (type 0) or a transaction (type 1). Here always this broker.
 * v1 transactions · v4 several keys at once · v6 share groups (type 2), which this broker does not have.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { type FindCoordinatorResponse, findCoordinatorApi } from '../../protocol/generated/10-find-coordinator.ts'
import type { Input } from '../../protocol/types.ts'
import { type Broker, nodeId } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

const group = 0
const transaction = 1
const share = 2

export function findCoordinator(broker: Broker): Route {
  const answer = (
    keys: readonly string[],
    errorCode: number,
    errorMessage: string,
    version: number,
  ): Input<FindCoordinatorResponse> => {
    const found = errorCode === errorCodes.NONE
    const where = found ? { nodeId, ...broker.advertised } : { nodeId: -1, host: '', port: -1 }
    const one = { errorCode, errorMessage: found ? (version < 4 ? 'NONE' : '') : errorMessage, ...where }
    return version < 4 ? one : { coordinators: keys.map((key) => ({ key, ...one })) }
  }
  return route(findCoordinatorApi, {
    handle: ({ key, keyType, coordinatorKeys }, { version }) => {
      const keys = version < 4 ? [key] : coordinatorKeys
      if (keyType === group || keyType === transaction) return answer(keys, errorCodes.NONE, '', version)
      const known = keyType === share && version >= 6
      return answer(
        keys,
        errorCodes.INVALID_REQUEST,
        known ? 'this broker has no share groups' : `unknown coordinator type ${keyType}`,
        version,
      )
    },
    refuse: ({ key, coordinatorKeys }, errorCode, { version }) =>
      answer(version < 4 ? [key] : coordinatorKeys, errorCode, '', version),
  })
}

/**
 * SaslHandshake: the client picks a mechanism. v0: raw tokens follow, each in a frame of its own · v1: SaslAuthenticate follows.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { saslHandshakeApi } from '../../protocol/generated/17-sasl-handshake.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'

export function saslHandshake(broker: Broker): Route {
  const mechanisms = broker.users?.mechanisms ?? []
  return route(saslHandshakeApi, {
    handle: ({ mechanism }, { version, connection }) => {
      if (connection.authentication.kind === 'not-needed')
        return { errorCode: errorCodes.ILLEGAL_SASL_STATE, mechanisms }
      const exchange = broker.users?.exchange(mechanism)
      if (exchange === undefined) return { errorCode: errorCodes.UNSUPPORTED_SASL_MECHANISM, mechanisms }
      connection.authentication = { kind: 'talking', mechanism, exchange, raw: version === 0 }
      return { errorCode: errorCodes.NONE, mechanisms }
    },
    refuse: (_request, errorCode) => ({ errorCode, mechanisms }),
  })
}

/**
 * SaslHandshake: the client picks a mechanism. v0: raw tokens follow, each in a frame of its own · v1: SaslAuthenticate follows.
 * On a connection that is authenticated it begins a new authentication, at most once a second.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { saslHandshakeApi } from '../../protocol/generated/17-sasl-handshake.ts'
import type { Broker } from '../broker.ts'
import { type Authentication, type Route, route, type Session } from '../server/route.ts'
import { mayRenew } from '../server/sasl.ts'

export function saslHandshake(broker: Broker): Route {
  const mechanisms = broker.users?.mechanisms ?? []
  return route(saslHandshakeApi, {
    handle: ({ mechanism }, { version, connection }) => {
      const { authentication } = connection
      const nowMs = broker.clock.now()
      const isTooSoon = authentication.kind === 'done' && !mayRenew(authentication.session, nowMs)
      if (authentication.kind === 'not-needed' || isTooSoon) {
        return { errorCode: errorCodes.ILLEGAL_SASL_STATE, mechanisms }
      }
      const exchange = broker.users?.exchange(mechanism)
      if (exchange === undefined) return { errorCode: errorCodes.UNSUPPORTED_SASL_MECHANISM, mechanisms }
      const session = sessionOf(authentication)
      connection.authentication = {
        kind: 'talking',
        mechanism,
        exchange,
        raw: version === 0,
        ...(session === undefined ? {} : { renewed: { ...session, renewedMs: nowMs } }),
      }
      return { errorCode: errorCodes.NONE, mechanisms }
    },
    refuse: (_request, errorCode) => ({ errorCode, mechanisms }),
  })
}

function sessionOf(authentication: Authentication): Session | undefined {
  if (authentication.kind === 'done') return authentication.session
  return authentication.kind === 'talking' ? authentication.renewed : undefined
}

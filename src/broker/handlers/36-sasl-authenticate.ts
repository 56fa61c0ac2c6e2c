/**
 * SaslAuthenticate: one token of the exchange that SaslHandshake began. v1 tells how long the session lives (0: for ever):
 * before that the client has to authenticate again.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { saslAuthenticateApi } from '../../protocol/generated/36-sasl-authenticate.ts'
import type { Broker } from '../broker.ts'
import { type Route, route } from '../server/route.ts'
import { takeToken } from '../server/sasl.ts'

export function saslAuthenticate({ clock, config }: Broker): Route {
  return route(saslAuthenticateApi, {
    handle: ({ authBytes }, { connection }) => {
      const { authentication } = connection
      if (authentication.kind !== 'talking') {
        const errorMessage =
          authentication.kind === 'done'
            ? 'SaslAuthenticate request received after successful authentication'
            : 'SaslAuthenticate request received before a mechanism was agreed by SaslHandshake'
        return { errorCode: errorCodes.ILLEGAL_SASL_STATE, errorMessage }
      }
      try {
        const lifetimeMs = Math.max(0, config.number('connections.max.reauth.ms'))
        const answer = takeToken(connection, authentication, authBytes, clock.now(), lifetimeMs)
        const isOver = connection.authentication.kind === 'done'
        return { errorCode: errorCodes.NONE, authBytes: answer, sessionLifetimeMs: isOver ? BigInt(lifetimeMs) : 0n }
      } catch (error) {
        connection.authentication = { kind: 'refused' }
        const errorMessage = error instanceof Error ? error.message : String(error)
        return { errorCode: errorCodes.SASL_AUTHENTICATION_FAILED, errorMessage }
      }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null }),
  })
}

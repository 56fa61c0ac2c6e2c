/**
 * SaslAuthenticate: one token of the exchange that SaslHandshake began. v1 tells how long the session lives (0: for ever).
 */
import { errorCodes } from '../../protocol/errors.ts'
import { saslAuthenticateApi } from '../../protocol/generated/36-sasl-authenticate.ts'
import { type Route, route } from '../server/route.ts'

export function saslAuthenticate(): Route {
  return route(saslAuthenticateApi, {
    handle: ({ authBytes }, { connection }) => {
      const { authentication } = connection
      if (authentication.kind !== 'talking') {
        const errorMessage = 'SaslAuthenticate request received before a mechanism was agreed by SaslHandshake'
        return { errorCode: errorCodes.ILLEGAL_SASL_STATE, errorMessage }
      }
      try {
        const { answer, principal } = authentication.exchange.step(authBytes)
        if (principal !== undefined) {
          connection.principal = principal
          connection.authentication = { kind: 'done' }
        }
        return { errorCode: errorCodes.NONE, authBytes: answer, sessionLifetimeMs: 0n }
      } catch (error) {
        connection.authentication = { kind: 'refused' }
        const errorMessage = error instanceof Error ? error.message : String(error)
        return { errorCode: errorCodes.SASL_AUTHENTICATION_FAILED, errorMessage }
      }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null }),
  })
}

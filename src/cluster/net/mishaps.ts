/**
 * What goes wrong between us and a broker, as errors with the fix in the message. `retriable`: it may pass by itself, so
 * whoever asked meets silence. The others are told to whoever asked: trying again does not help. Only what is certain is
 * told so: a connection that breaks in the middle of a greeting may as well be a broker that is being stopped.
 */
import { FanlaneError } from '../../errors.ts'

export function unreachable(address: string, cause: unknown): FanlaneError {
  return new FanlaneError(
    'BROKER_UNREACHABLE',
    `Cannot reach ${address} (${reasonOf(cause)}): check the address, and that the broker runs.`,
    {
      retriable: true,
      cause,
    },
  )
}

/** There was a connection, and the other side ended it. `when`: a hint, if that tells why. */
export function broken(
  address: string,
  cause: unknown,
  when = '. If it goes on, the log of the broker says why.',
): FanlaneError {
  const how = cause === undefined ? 'closed the connection' : `broke the connection (${reasonOf(cause)})`
  return new FanlaneError('CONNECTION_LOST', `${address} ${how}${when}`, { retriable: true, cause })
}

/** Its answer is not the protocol, or not an answer to what was asked. */
export function nonsense(address: string, what: string, cause?: unknown): FanlaneError {
  return new FanlaneError(
    'BROKER_ANSWER_INVALID',
    `${address} ${what}. Check that it is the address of a Kafka broker.`,
    { retriable: true, cause },
  )
}

export function silent(address: string, afterMs: number): FanlaneError {
  const message = `${address} did not answer within ${Math.round(afterMs)} ms. Look whether it is overloaded, or give it more time (requestTimeoutMs).`
  return new FanlaneError('BROKER_SILENT', message, { retriable: true })
}

export const closedByUs: FanlaneError = new FanlaneError('CLIENT_CLOSED', 'The client is closed: open a new one.')

/** A plain connection, and what came back is a record of TLS. */
export function speaksTls(address: string): FanlaneError {
  return new FanlaneError(
    'TLS_FAILED',
    `${address} speaks TLS and we do not: set tls: true, or use the port without TLS.`,
  )
}

const tlsFixes: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: trust it with tls: { ca: [certificate] }',
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate comes from an authority that is not trusted: tls: { ca: [the authority's certificate] }",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate comes from an authority that is not trusted: tls: { ca: [the authority's certificate] }",
  UNABLE_TO_GET_ISSUER_CERT:
    "its certificate comes from an authority that is not trusted: tls: { ca: [the authority's certificate] }",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate comes from an authority that is not trusted: tls: { ca: [the authority's certificate] }",
  CERT_HAS_EXPIRED: 'its certificate has expired: the broker needs a new one',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: look at the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host name: connect by a name that the certificate has, or set tls: { servername }',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS: leave tls out, or use the port with TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS: leave tls out, or use the port with TLS',
  ERR_SSL_HTTP_REQUEST: 'it does not speak TLS: leave tls out, or use the port with TLS',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'it asks for our certificate: tls: { cert, key }, signed by an authority that it trusts',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
    'it refused: it may ask for our certificate (tls: { cert, key }), or have no cipher or TLS version in common with us',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not trust the authority of our certificate (tls: { cert })',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'it does not take our certificate (tls: { cert, key })',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: 'it does not take our certificate (tls: { cert, key })',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'no TLS version in common: look at tls: { minVersion, maxVersion }',
}

/** An error of a TLS socket that says that the two will never agree; undefined: it is about something else. */
export function tlsFailure(address: string, cause: unknown): FanlaneError | undefined {
  const code = codeOf(cause)
  const fix = tlsFixes[code]
  if (fix === undefined && !code.startsWith('ERR_SSL_') && !code.startsWith('ERR_TLS_') && !isVerification(cause)) {
    return undefined
  }
  const said = cause instanceof Error ? cause.message : String(cause)
  return new FanlaneError('TLS_FAILED', `No TLS with ${address} (${code}): ${(fix ?? said).replace(/\.$/, '')}.`, {
    cause,
  })
}

/** Certificate verification has some thirty codes; they all are X509 names without a prefix. */
function isVerification(cause: unknown): boolean {
  return /^(CERT_|UNABLE_TO_|CRL_|INVALID_(CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH|ERROR_IN_CERT)/.test(codeOf(cause))
}

/** The reason in a word: a system code where there is one. */
function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  if (code !== '') return code
  return cause instanceof Error ? cause.message : String(cause)
}

function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return ''
  if ('code' in cause && typeof cause.code === 'string') return cause.code
  // A name with several addresses, none of which answered.
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : ''
}

/** How the server answers: with headers that keep a browser from doing more than showing our own page. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FanlaneError } from '../errors.ts'
import type { Refusal } from './frames.ts'

const BODY_MAX_BYTES = 128 * 1_024

const CSP =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CSP,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length })
  response.end(response.req.method === 'HEAD' ? undefined : bytes)
}

export function sendJson(response: ServerResponse, body: unknown, status: number = 200): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(body))
}

export function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  const body: Refusal = { error: { code, message } }
  sendJson(response, body, status)
}

/** Read up to its bound: nobody makes us keep more. */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new HttpError(415, 'BODY_INVALID', 'Send application/json.')
  }
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > BODY_MAX_BYTES)
      throw new HttpError(413, 'BODY_INVALID', `Send at most ${BODY_MAX_BYTES} bytes of JSON.`)
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch (cause) {
    throw new HttpError(400, 'BODY_INVALID', 'Send valid JSON.', { cause })
  }
}

export class HttpError extends FanlaneError {
  readonly status: number

  constructor(status: number, code: string, message: string, details: { readonly cause?: unknown } = {}) {
    super(code, message, details)
    this.name = 'HttpError'
    this.status = status
  }
}

/**
 * How an API is served: the codec of its messages, the function that answers, and the answer that refuses a whole request
 * with one error code (faults in tests, requests before authentication, mistakes of our own).
 */
import type { Api } from '../../protocol/api.ts'
import type { Input } from '../../protocol/types.ts'

/** What a handler may know about where a request came from. */
export interface RequestContext {
  readonly version: number
  readonly correlationId: number
  readonly clientId: string
  readonly connection: Peer
}

/** The other side of a connection. */
export interface Peer {
  readonly id: number
  /** As Kafka prints it, e.g. `/127.0.0.1`. */
  readonly host: string
  principal: string
  /** What the peer must still do before it may ask for anything; see sasl.ts. */
  authentication: Authentication
}

export type Authentication =
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'wanted' }
  | { readonly kind: 'talking'; readonly mechanism: string; readonly exchange: SaslExchange; readonly raw: boolean }
  | { readonly kind: 'done' }

export interface SaslExchange {
  /** One message of the client; the answer, and whether the exchange is over. Throws when the client is refused. */
  step(message: Buffer): { readonly answer: Buffer; readonly principal?: string }
}

/** A produce request with acks=0 gets no answer at all. */
export const noAnswer: unique symbol = Symbol('no answer')

export type Answer<R> = Input<R> | typeof noAnswer

export interface Route {
  readonly api: Api<object, object>
  /** Lower than what is served where clients read more into the number (Produce). */
  readonly advertisedMinVersion: number
  handle(request: object, context: RequestContext): Answer<object> | Promise<Answer<object>>
  refuse(request: object, errorCode: number, context: RequestContext): Answer<object>
}

export interface Handling<Q, R> {
  readonly handle: (request: Q, context: RequestContext) => Answer<R> | Promise<Answer<R>>
  readonly refuse: (request: Q, errorCode: number, context: RequestContext) => Answer<R>
  readonly advertisedMinVersion?: number
}

/** Joins an API with its handler. The two casts are the one place where a request's type is taken on trust: its codec made it. */
export function route<Q extends object, R extends object>(api: Api<Q, R>, handling: Handling<Q, R>): Route {
  return {
    api: api as unknown as Api<object, object>,
    advertisedMinVersion: handling.advertisedMinVersion ?? api.minVersion,
    handle: handling.handle as unknown as Route['handle'],
    refuse: handling.refuse as unknown as Route['refuse'],
  }
}

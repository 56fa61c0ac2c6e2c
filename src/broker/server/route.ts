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
  /** No further request of the connection is begun before that, however it ends: what a slow broker would do to it. */
  readonly hold?: (until: Promise<unknown>) => void
}

/** The other side of a connection. */
export interface Peer {
  readonly id: number
  /** As Kafka prints it, e.g. `/127.0.0.1`. */
  readonly host: string
  principal: string
  /** What the peer must still do before it may ask for anything; see sasl.ts. */
  authentication: Authentication
  /** Whoever makes the peer wait hears here that there is no more time, or nobody left to answer. */
  readonly departures: Set<(kind: Departure) => void>
}

export type Departure = 'ending' | 'gone'

export type Authentication =
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'wanted' }
  | Talking
  | { readonly kind: 'done'; readonly session: Session }
  /** It failed: the connection ends with that answer. */
  | { readonly kind: 'refused' }

export interface Talking {
  readonly kind: 'talking'
  readonly mechanism: string
  readonly exchange: SaslExchange
  readonly raw: boolean
  /** The session that is to go on, where the peer was known before. */
  readonly renewed?: Session
}

/** What a peer that has authenticated keeps when it does so again, and until when it has to. */
export interface Session {
  readonly principal: string
  readonly mechanism: string
  /** From then on nothing is taken from it but a new authentication; undefined: it need not. */
  readonly endsMs: number | undefined
  /** When it began to authenticate again, if it did. */
  readonly renewedMs: number | undefined
}

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
  /** The most that an answer which is not there yet may take in memory, where that is a lot. */
  answerBytesMax?(request: object): number
  handle(request: object, context: RequestContext): Answer<object> | Promise<Answer<object>>
  refuse(request: object, errorCode: number, context: RequestContext): Answer<object>
}

export interface Handling<Q, R> {
  readonly handle: (request: Q, context: RequestContext) => Answer<R> | Promise<Answer<R>>
  readonly refuse: (request: Q, errorCode: number, context: RequestContext) => Answer<R>
  readonly advertisedMinVersion?: number
  readonly answerBytesMax?: (request: Q) => number
}

/** Joins an API with its handler. The casts are the one place where a request's type is taken on trust: its codec made it. */
export function route<Q extends object, R extends object>(api: Api<Q, R>, handling: Handling<Q, R>): Route {
  const { answerBytesMax } = handling
  return {
    ...(answerBytesMax === undefined
      ? {}
      : { answerBytesMax: answerBytesMax as unknown as (request: object) => number }),
    api: api as unknown as Api<object, object>,
    advertisedMinVersion: handling.advertisedMinVersion ?? api.minVersion,
    handle: handling.handle as unknown as Route['handle'],
    refuse: handling.refuse as unknown as Route['refuse'],
  }
}

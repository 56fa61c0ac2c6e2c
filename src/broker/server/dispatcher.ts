/**
 * The way of every request to its handler: is the peer known, has a test planted a fault, then the handler. A mistake of our
 * own becomes an answer (UNKNOWN_SERVER_ERROR) and a line in the log, never a dead connection without a word.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Broker } from '../broker.ts'
import type { RequestFaults } from '../faults/request-faults.ts'
import { CutConnection } from './connection.ts'
import type { Answer, Peer, RequestContext, Route } from './route.ts'
import { mayAsk, takeToken } from './sasl.ts'

const findCoordinatorKey = 10

export interface CoordinatorMoves {
  /** A client looks for the coordinator: if it has moved, it is found now. */
  lookedFor(): void
}

export class Dispatcher {
  readonly #broker: Broker
  readonly #faults: RequestFaults
  readonly #moves: CoordinatorMoves
  #requests = 0

  constructor(broker: Broker, faults: RequestFaults, moves: CoordinatorMoves) {
    this.#broker = broker
    this.#faults = faults
    this.#moves = moves
  }

  /** Requests that have arrived. */
  get requests(): number {
    return this.#requests
  }

  readonly dispatch = (
    route: Route,
    request: object,
    context: RequestContext,
  ): Answer<object> | Promise<Answer<object>> => {
    this.#requests++
    if (!mayAsk(context.connection, route.api.key, this.#broker.clock.now())) {
      throw new CutConnection(`${route.api.name} came before the peer was authenticated, or too long after it`)
    }
    if (route.api.key === findCoordinatorKey) this.#moves.lookedFor()
    if (this.#faults.isEmpty) return this.#handle(route, request, context)
    return this.#faults.pass(route, request, context, () => this.#handle(route, request, context))
  }

  readonly rawSasl = (frame: Buffer, peer: Peer): Buffer => {
    const { authentication } = peer
    if (authentication.kind !== 'talking') throw new CutConnection('a SASL token came out of turn')
    try {
      const { clock, config } = this.#broker
      return takeToken(peer, authentication, frame, clock.now(), config.number('connections.max.reauth.ms'))
    } catch (error) {
      // Without an envelope there is no room for an error: the old way is to hang up.
      throw new CutConnection(error instanceof Error ? error.message : String(error))
    }
  }

  #handle(route: Route, request: object, context: RequestContext): Answer<object> | Promise<Answer<object>> {
    try {
      const answer = route.handle(request, context)
      return answer instanceof Promise
        ? answer.catch((error: unknown) => this.#failed(route, request, context, error))
        : answer
    } catch (error) {
      return this.#failed(route, request, context, error)
    }
  }

  #failed(route: Route, request: object, context: RequestContext, error: unknown): Answer<object> {
    if (error instanceof CutConnection || error instanceof ProtocolError) throw error
    this.#broker.log.error(`${route.api.name} v${context.version} of client '${context.clientId}' failed`, error)
    return route.refuse(request, errorCodes.UNKNOWN_SERVER_ERROR, context)
  }
}

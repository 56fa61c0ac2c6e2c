/**
 * Asking a Kafka cluster, as everything above sockets sees it: the group, the fetcher, the producer, the admin. The real one
 * is net/cluster.ts; the simulator brings another, so that the same client code runs in both.
 *
 * Silence is an answer too: null, never an exception. It means that the request may or may not have been applied, and may
 * still be applied later. What is rejected with an error cannot be helped by asking again: the login was refused, or the
 * broker does not know the request.
 */
import type { Clock } from '../ports/clock.ts'
import type { Api } from '../protocol/api.ts'
import type { Input } from '../protocol/types.ts'

/** Instead of a node id: whichever broker is at hand. */
export const anyNode = -1

/**
 * Requests of one lane are answered in order. A long poll, or a join that waits for others, must not hold up the rest; nor
 * must a join that was given up hold up the next one, which therefore has a lane of another number.
 */
export type Lane = 'main' | 'fetch' | 'fetch-aside' | 'group' | `group-${number}`

export interface AskOptions {
  /** From now; default the client's request time-out. */
  readonly timeoutMs?: number
  readonly lane?: Lane
  /** No newer version than this, for a flow that a newer one does not have. */
  readonly maxVersion?: number
}

export interface Answer<R> {
  readonly body: R
  readonly version: number
  /** Who answered. */
  readonly node: number
}

/** A request, or how to write it in the version that both sides know. */
export type Question<Q> = Input<Q> | ((version: number) => Input<Q>)

export interface NodeAddress {
  readonly nodeId: number
  readonly host: string
  readonly port: number
}

export interface Wire {
  readonly clock: Clock
  /** False: the client is closed, and every question is met with silence. Whoever tries again and again looks here first. */
  readonly isOpen: boolean
  ask<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>, options?: AskOptions): Promise<Answer<R> | null>
  /** A request without an answer: Produce with acks=0. Resolves when the socket has taken it; false: it was not sent. */
  post<Q, R>(node: number, api: Api<Q, R>, question: Question<Q>): Promise<boolean>
  /** Brokers that a Metadata or FindCoordinator answer named. `all`: there are no others. */
  learnNodes(nodes: readonly NodeAddress[], all: boolean): void
  /** Level of a feature that the cluster has finalised (`transaction.version`, …); 0: none, or nobody has answered yet. */
  featureLevel(name: string): number
}

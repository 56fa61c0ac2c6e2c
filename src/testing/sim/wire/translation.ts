/**
 * What a translation between Kafka's messages and those of the simulated cluster is made of. Translations are strict: what
 * the cluster does not model is an error, so that no simulation passes by asking for something that it never gets. Only
 * what a real broker may ignore too is ignored.
 */
import { anyNode } from '../../../cluster/wire.ts'
import type { Api } from '../../../protocol/api.ts'
import { errorCodes } from '../../../protocol/errors.ts'
import type { Input } from '../../../protocol/types.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { IsolationLevel } from '../cluster/log-messages.ts'
import type { RequestKind, RequestOf, ResponseOf } from '../cluster/requests.ts'
import type { ClusterMap } from './cluster-map.ts'

/** Where and how a request is asked. */
export interface Asked {
  readonly api: string
  readonly node: number
  readonly version: number
  readonly clientId: string
  readonly map: ClusterMap
}

export interface Translation<Q, R, K extends RequestKind> {
  readonly kind: K
  readonly api: Api<Q, R>
  /** The versions whose behaviour is the one that the cluster models. */
  readonly lowest: number
  readonly highest: number
  readonly ask: (question: Q, asked: Asked) => Omit<RequestOf<K>, 'kind'>
  readonly answer: (response: ResponseOf<K>, asked: Asked, question: Q) => Input<R>
}

/** One whose messages are opaque to the caller: what the table of all of them holds. */
export type AnyTranslation = Translation<object, object, RequestKind>

export function translation<Q, R, K extends RequestKind>(given: Translation<Q, R, K>): AnyTranslation {
  return given as unknown as AnyTranslation
}

export function notModelled(api: string, what: string): Error {
  return new Error(`${api}: the simulated cluster does not know ${what}`)
}

/** Refuses what the cluster cannot express. */
export function need(condition: boolean, { api }: Asked, what: string): void {
  if (!condition) throw notModelled(api, what)
}

/** Only a coordinator can answer: asking anybody is a mistake of the client. */
export function coordinator({ api, node }: Asked): number {
  if (node === anyNode) throw new Error(`${api} goes to a coordinator: find it and ask that node`)
  return node
}

/** Who leads a partition is known from Metadata: asking anybody is a mistake, asking an old leader is not. */
export function someLeader({ api, node }: Asked): void {
  if (node === anyNode) throw new Error(`${api} goes to the leader of a partition: look it up and ask that node`)
}

export function codeOf(name: ErrorCode): number {
  return errorCodes[name]
}

export function numberOf(value: bigint, { api }: Asked): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new Error(`${api}: ${value} is larger than any offset or id`)
  return number
}

export function isolationOf(level: number, asked: Asked): IsolationLevel {
  need(level === 0 || level === 1, asked, `isolation level ${level}`)
  return level === 1 ? 'read_committed' : 'read_uncommitted'
}

/** The cluster's list has one entry per partition; Kafka's has one per topic. */
export function byTopic<P extends { readonly topic: string }, T>(
  partitions: readonly P[],
  make: (topic: string, partitions: readonly P[]) => T,
): T[] {
  const topics = new Map<string, P[]>()
  for (const partition of partitions) {
    const list = topics.get(partition.topic)
    if (list === undefined) topics.set(partition.topic, [partition])
    else list.push(partition)
  }
  return [...topics].map(([topic, list]) => make(topic, list))
}

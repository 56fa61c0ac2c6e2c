/**
 * One fetch session at one broker (KIP-227): the broker remembers which partitions we read and from where, so that a request
 * names only what has changed. A broker that does not keep one (session 0) is asked for everything every time.
 */
import type { Metadata } from '../../../cluster/metadata.ts'
import type { FetchRequest, FetchResponse, PartitionData } from '../../../protocol/generated/01-fetch.ts'
import { type Input, zeroUuid } from '../../../protocol/types.ts'
import type { FetchTarget } from './fetch-target.ts'

/** From here on topics have ids instead of names. */
export const topicIdsFrom: number = 13

type SessionFields = Pick<Input<FetchRequest>, 'sessionId' | 'sessionEpoch' | 'topics' | 'forgottenTopicsData'>

/** What the broker has been told of a partition. */
interface Told {
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly position: number
  readonly leaderEpoch: number
}

export interface Answered {
  readonly topic: string
  readonly data: PartitionData
}

export class FetchSession {
  readonly #metadata: Metadata
  readonly #partitionMaxBytes: number
  #sessionId = 0
  #epoch = 0
  #told: Map<string, Told> = new Map()
  readonly #names: Map<string, string> = new Map()

  constructor(metadata: Metadata, partitionMaxBytes: number) {
    this.#metadata = metadata
    this.#partitionMaxBytes = partitionMaxBytes
  }

  /** Whether all of these can be asked for by topic id. */
  hasIds(targets: readonly FetchTarget[]): boolean {
    return targets.every(({ topic }) => (this.#metadata.topic(topic)?.id ?? zeroUuid) !== zeroUuid)
  }

  /** The request for these, in the version that is spoken; what was asked for before and is not wanted now is taken out. */
  ask(targets: readonly FetchTarget[], version: number): SessionFields {
    const wanted = new Map(targets.map((target) => [target.key, this.#tell(target)]))
    const isSame = (key: string, now: Told): boolean => {
      const before = this.#told.get(key)
      return (
        before?.topicId === now.topicId && before.position === now.position && before.leaderEpoch === now.leaderEpoch
      )
    }
    const isFull = this.#sessionId === 0
    const changed = isFull ? wanted : new Map([...wanted].filter(([key, told]) => !isSame(key, told)))
    const forgotten = isFull
      ? []
      : [...this.#told].filter(([key, { topicId }]) => wanted.get(key)?.topicId !== topicId).map(([, told]) => told)
    this.#told = wanted
    return {
      sessionId: this.#sessionId,
      sessionEpoch: this.#epoch,
      topics: [...grouped(changed.values())].map((list) => ({
        ...nameOf(list, version),
        partitions: list.map(({ partition, position, leaderEpoch }) => ({
          partition,
          currentLeaderEpoch: leaderEpoch,
          fetchOffset: BigInt(position),
          partitionMaxBytes: this.#partitionMaxBytes,
        })),
      })),
      forgottenTopicsData: [...grouped(forgotten)].map((list) => ({
        ...nameOf(list, version),
        partitions: list.map(({ partition }) => partition),
      })),
    }
  }

  /** Partitions of an answer, by name. An answer of a session that the broker does not know any more begins a new one. */
  take(response: FetchResponse, version: number): Answered[] {
    if (this.#sessionId !== response.sessionId) this.#epoch = 0
    this.#sessionId = response.sessionId
    this.#epoch = response.sessionId === 0 ? 0 : (this.#epoch + 1) % 2 ** 31 || 1
    const answered: Answered[] = []
    for (const { topic, topicId, partitions } of response.responses) {
      const name = version < topicIdsFrom ? topic : this.#names.get(topicId)
      if (name === undefined) continue
      for (const data of partitions) answered.push({ topic: name, data })
    }
    return answered
  }

  /** The broker does not know the session, or nobody knows what it knows: begin again. */
  reset(): void {
    this.#sessionId = 0
    this.#epoch = 0
    this.#told = new Map()
  }

  #tell({ topic, partition, position, leaderEpoch }: FetchTarget): Told {
    const topicId = this.#metadata.topic(topic)?.id ?? zeroUuid
    this.#names.set(topicId, topic)
    return { topic, topicId, partition, position, leaderEpoch }
  }
}

function grouped(list: Iterable<Told>): Iterable<Told[]> {
  return Map.groupBy(list, ({ topicId, topic }) => (topicId === zeroUuid ? topic : topicId)).values()
}

function nameOf([first]: readonly Told[], version: number): { topic?: string; topicId?: string } {
  if (first === undefined) return {}
  return version < topicIdsFrom ? { topic: first.topic } : { topicId: first.topicId }
}

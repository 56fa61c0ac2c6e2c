/** The topics that are written to: their lanes and partitioners, and looking up those that are not known yet. */
import { answeredWith } from '../cluster/answers.ts'
import { Backoff, type BackoffOptions } from '../cluster/backoff.ts'
import type { Metadata, TopicInfo } from '../cluster/metadata.ts'
import type { Wire } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import { errorCodes } from '../protocol/errors.ts'
import { closedError } from './identity.ts'
import { Lane } from './lane.ts'
import { type Partitioner, TopicPartitioner } from './partitioner.ts'

export interface TopicsOptions {
  readonly partitioner: Partitioner | null
  readonly batchBytes: number
  /** How long a topic that the cluster does not know may take to appear. */
  readonly unknownTopicMs: number
  readonly backoff: BackoffOptions
}

/** Partitions may be added at any time. */
const staleMs = 300_000

const refusals: ReadonlySet<number> = new Set([
  errorCodes.INVALID_TOPIC_EXCEPTION,
  errorCodes.TOPIC_AUTHORIZATION_FAILED,
  errorCodes.CLUSTER_AUTHORIZATION_FAILED,
])

interface Topic {
  readonly lanes: Lane[]
  readonly partitioner: TopicPartitioner
  lookedUpMs: number
}

export class Topics {
  readonly #wire: Wire
  readonly #metadata: Metadata
  readonly #options: TopicsOptions
  readonly #topics: Map<string, Topic> = new Map()
  /** One at a time per topic; the result is for everybody who waits. null: it is known now. */
  readonly #lookups: Map<string, Promise<FanlaneError | null>> = new Map()

  constructor(wire: Wire, metadata: Metadata, options: TopicsOptions) {
    this.#wire = wire
    this.#metadata = metadata
    this.#options = options
  }

  info(name: string): TopicInfo | null {
    const info = this.#metadata.topic(name)
    return info === undefined || info.partitions.length === 0 ? null : info
  }

  /** Only for topics that are known. */
  partitioner(name: string): TopicPartitioner {
    const topic = this.#topic(name)
    if (this.#wire.clock.now() - topic.lookedUpMs > staleMs) {
      topic.lookedUpMs = this.#wire.clock.now()
      // In the background: what we know is good enough for this record.
      this.#metadata.refresh([name]).catch(() => null)
    }
    return topic.partitioner
  }

  lane(name: string, partition: number): Lane {
    const { lanes } = this.#topic(name)
    const known = lanes[partition]
    if (known !== undefined) return known
    const lane = new Lane(name, partition)
    lanes[partition] = lane
    return lane
  }

  *allLanes(): Generator<Lane> {
    for (const { lanes } of this.#topics.values()) for (const lane of lanes) if (lane !== undefined) yield lane
  }

  /** Asks until the cluster knows it; resolves to why it never will. Rejects where the cluster will not have us. */
  lookUp(name: string): Promise<FanlaneError | null> {
    const running = this.#lookups.get(name)
    if (running !== undefined) return running
    const lookup = this.#lookUp(name).finally(() => this.#lookups.delete(name))
    this.#lookups.set(name, lookup)
    return lookup
  }

  async #lookUp(name: string): Promise<FanlaneError | null> {
    const { clock } = this.#wire
    const backoff = new Backoff(clock, this.#options.backoff)
    const giveUpMs = clock.now() + this.#options.unknownTopicMs
    while (this.#wire.isOpen) {
      const answer = (await this.#metadata.refresh([name]))?.get(name)
      if (typeof answer === 'object' && answer.partitions.length > 0) {
        this.#topic(name).lookedUpMs = clock.now()
        return null
      }
      if (typeof answer === 'number') {
        if (refusals.has(answer)) return answeredWith(answer, `Metadata of topic '${name}'`)
        if (clock.now() >= giveUpMs) return unknownTopic(name)
      }
      await backoff.pause()
    }
    return closedError()
  }

  #topic(name: string): Topic {
    const known = this.#topics.get(name)
    if (known !== undefined) return known
    const { partitioner, batchBytes } = this.#options
    const topic: Topic = {
      lanes: [],
      partitioner: new TopicPartitioner(this.#wire.clock, partitioner, batchBytes),
      lookedUpMs: this.#wire.clock.now(),
    }
    this.#topics.set(name, topic)
    return topic
  }
}

function unknownTopic(name: string): FanlaneError {
  const message = `Topic '${name}' is not known to the cluster. Create it, or correct its name.`
  return new FanlaneError('UNKNOWN_TOPIC_OR_PARTITION', message, { retriable: true })
}

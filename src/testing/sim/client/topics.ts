/** What Metadata says: how many partitions a topic has, and the epoch of each partition's leader. */
import { partitionKey } from './ownership.ts'
import type { Wire } from './wire.ts'

/** Leader epochs by partition. */
export type LeaderEpochs = ReadonlyMap<string, number>

export class Topics {
  readonly #wire: Wire
  readonly #counts: Map<string, number> = new Map()

  constructor(wire: Wire) {
    this.#wire = wire
  }

  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }

  /** From memory if it is known; null where the topic does not exist or the client is closed. */
  async partitionCount(topic: string): Promise<number | null> {
    const backoff = this.#wire.backoff()
    while (this.#wire.isOpen) {
      const known = this.#counts.get(topic)
      if (known !== undefined) return known
      if ((await this.refresh([topic])) !== null) return this.#counts.get(topic) ?? null
      await backoff.pause()
    }
    return null
  }

  /** The leader epochs now; null: no answer. */
  async refresh(topics: readonly string[]): Promise<LeaderEpochs | null> {
    const answer = await this.#wire.ask('Metadata', { topics })
    if (answer === null) return null
    const leaderEpochs = new Map<string, number>()
    for (const { topic, errorCode, partitions } of answer.topics) {
      if (errorCode === 'NONE') this.#counts.set(topic, partitions.length)
      for (const { partition, leaderEpoch } of partitions) {
        leaderEpochs.set(partitionKey({ topic, partition }), leaderEpoch)
      }
    }
    return leaderEpochs
  }
}

/**
 * What Kafka's metadata has and the simulated cluster does not: brokers with addresses, a leader for each partition, and
 * topic ids. Every election moves the leader to the next broker.
 */
import { createHash } from 'node:crypto'
import type { NodeAddress } from '../../../cluster/wire.ts'
import type { Uuid } from '../../../protocol/types.ts'

const idBytes = 16

export class ClusterMap {
  readonly nodes: readonly NodeAddress[]
  readonly #ids: Map<string, Uuid> = new Map()
  readonly #names: Map<Uuid, string> = new Map()

  /** Nodes count from 1, as in the cluster. */
  constructor(nodes: number) {
    this.nodes = Array.from({ length: nodes }, (_, index) => addressOf(index + 1))
  }

  leaderOf(partition: number, leaderEpoch: number): number {
    return leaderOf(this.nodes.length, partition, leaderEpoch)
  }

  idOf(topic: string): Uuid {
    const known = this.#ids.get(topic)
    if (known !== undefined) return known
    const id = createHash('sha256').update(topic).digest().subarray(0, idBytes).toString('base64url')
    this.#ids.set(topic, id)
    this.#names.set(id, topic)
    return id
  }

  /** Ids come from Metadata alone: one that was never told was made up. */
  nameOf(id: Uuid): string {
    const name = this.#names.get(id)
    if (name === undefined) throw new Error(`no Metadata answer has ever named the topic id ${id}`)
    return name
  }
}

/** As many as the simulated cluster has where nobody says otherwise. */
export const nodesDefault = 2

export function leaderOf(nodes: number, partition: number, leaderEpoch: number): number {
  return 1 + ((partition + leaderEpoch) % nodes)
}

export function addressOf(nodeId: number): NodeAddress {
  return { nodeId, host: 'sim', port: nodeId }
}

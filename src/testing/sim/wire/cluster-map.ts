/**
 * What Kafka's metadata has and the simulated cluster does not: brokers with addresses, a leader for each partition, and
 * topic ids. Leaders never move here. A request to a broker that does not lead the partition is a mistake of the client.
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

  leaderOf(partition: number): number {
    return 1 + (partition % this.nodes.length)
  }

  checkLeader(api: string, node: number, topic: string, partition: number): void {
    const leader = this.leaderOf(partition)
    if (node !== leader) throw new Error(`${api} of ${topic}-${partition} goes to its leader ${leader}, not to ${node}`)
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

export function addressOf(nodeId: number): NodeAddress {
  return { nodeId, host: 'sim', port: nodeId }
}

/** The simulated cluster as a target of the conformance scripts: its time moves only when the script says so. */
import type { Request, Response } from '../../src/testing/sim/cluster/requests.ts'
import { SimCluster } from '../../src/testing/sim/cluster/sim-cluster.ts'
import type { Control, Script } from './script.ts'
import type { Exchange, ScriptTarget } from './script-runner.ts'

const LOAD_MS = 1_000

export class SimTarget implements ScriptTarget {
  #cluster = new SimCluster({ topics: {} })
  #nowMs = 0
  /** Where an unclean election will cut: what the lost follower had. */
  readonly #followers = new Map<string, number>()

  async open(script: Script): Promise<void> {
    const topics = Object.fromEntries(
      Object.entries(script.topics ?? {}).map(([name, spec]) => [name, typeof spec === 'string' ? 1 : spec.partitions]),
    )
    this.#nowMs = 0
    this.#cluster = new SimCluster({ topics, sessionTimeoutMinMs: 100 })
  }

  async send(_actor: string, request: Request): Promise<Exchange> {
    let answer: Response | null = null
    this.#cluster.request(this.#nowMs, request, (response) => {
      if (answer !== null) throw new Error(`answered twice: ${JSON.stringify([answer, response])}`)
      answer = response
    })
    return {
      get answered() {
        return answer !== null
      },
      answer: async () => {
        if (answer === null) throw new Error('no answer')
        return answer
      },
    }
  }

  async advance(ms: number): Promise<void> {
    const end = this.#nowMs + ms
    while (this.#cluster.nextDeadline() <= end) {
      this.#nowMs = this.#cluster.nextDeadline()
      this.#cluster.tick(this.#nowMs)
    }
    this.#nowMs = end
  }

  async control(control: Control): Promise<void> {
    const cluster = this.#cluster
    switch (control.kind) {
      case 'append': {
        const records = control.records.map((record) => ({ ...record, size: record.value.length + 1 }))
        cluster.append(this.#nowMs, control.topic, control.partition, records)
        return
      }
      case 'compact':
        cluster.removeRecords(control.topic, control.partition, control.offsets)
        return
      case 'deleteRecordsBefore':
        cluster.deleteRecordsBefore(control.topic, control.partition, control.offset)
        return
      case 'loseFollower':
        this.#followers.set(control.topic, cluster.bounds(control.topic, control.partition).end)
        return
      case 'electFollower':
        cluster.truncate(control.topic, control.partition, this.#followers.get(control.topic) ?? 0)
        return
      case 'moveCoordinator':
        cluster.moveCoordinator(this.#nowMs, control.of, control.loading ? LOAD_MS : 0)
        return
      case 'awaitLoaded':
        return this.advance(LOAD_MS)
      case 'holdMarkers':
        cluster.holdMarkers(control.of)
        return
      case 'releaseMarkers':
        cluster.releaseMarkers(this.#nowMs)
        return
      case 'awaitMarkers':
        return
    }
  }

  otherNode(node: number): number {
    return node === 1 ? 2 : 1
  }

  async close(): Promise<void> {}
}

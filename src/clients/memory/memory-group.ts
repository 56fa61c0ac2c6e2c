/** A consumer group of a memory log: who owns which partition, and what is committed. Rebalances are cooperative. */
import type { TopicPartition } from '../../kernel/ids.ts'
import type { LogClientListener } from '../../ports/log-client.ts'

export interface StoredOffset {
  readonly position: number
  readonly metadata: string
}

export interface MemoryMember {
  readonly topics: readonly string[]
  readonly listener: LogClientListener
  readonly owned: Map<string, TopicPartition>
  /** Whether it knows what it has got, be it nothing. */
  informed: boolean
}

interface Partitions {
  partitionsOf(topic: string): number
}

export class MemoryGroup {
  readonly #log: Partitions
  readonly #members: MemoryMember[] = []
  readonly #offsets: Map<string, StoredOffset> = new Map()
  /** Rebalances happen one after the other. */
  #rebalance: Promise<void> = Promise.resolve()

  constructor(log: Partitions) {
    this.#log = log
  }

  committed(topic: string, partition: number): StoredOffset | null {
    return this.#offsets.get(nameOf({ topic, partition })) ?? null
  }

  commit(partition: TopicPartition, offset: StoredOffset): void {
    this.#offsets.set(nameOf(partition), offset)
  }

  join(member: MemoryMember): Promise<void> {
    member.informed = false
    this.#members.push(member)
    return this.rebalance()
  }

  leave(member: MemoryMember): Promise<void> {
    const at = this.#members.indexOf(member)
    if (at >= 0) this.#members.splice(at, 1)
    member.owned.clear()
    return this.rebalance()
  }

  /** Take back what moves, wait until it is given up, then hand it out: kept partitions are not touched. */
  rebalance(): Promise<void> {
    this.#rebalance = this.#rebalance.then(() => this.#run())
    return this.#rebalance
  }

  async #run(): Promise<void> {
    const target = this.#assignment()
    await Promise.all(
      [...target].map(async ([member, partitions]) => {
        const gone = [...member.owned].filter(([name]) => !partitions.has(name))
        if (gone.length === 0) return
        await member.listener.revoked(gone.map(([, partition]) => partition))
        for (const [name] of gone) member.owned.delete(name)
      }),
    )
    for (const [member, partitions] of target) {
      const added = [...partitions].filter(([name]) => !member.owned.has(name))
      if ((added.length === 0 && member.informed) || !this.#members.includes(member)) continue
      member.informed = true
      for (const [name, partition] of added) member.owned.set(name, partition)
      member.listener.assigned(added.map(([, partition]) => partition))
    }
  }

  #assignment(): Map<MemoryMember, Map<string, TopicPartition>> {
    const target = new Map(this.#members.map((member) => [member, new Map<string, TopicPartition>()]))
    const topics = new Set(this.#members.flatMap(({ topics: subscribed }) => subscribed))
    for (const topic of [...topics].sort()) {
      const members = this.#members.filter(({ topics: subscribed }) => subscribed.includes(topic))
      for (let partition = 0; partition < this.#log.partitionsOf(topic); partition++) {
        const member = members[partition % members.length]
        if (member !== undefined) target.get(member)?.set(nameOf({ topic, partition }), { topic, partition })
      }
    }
    return target
  }
}

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`
}

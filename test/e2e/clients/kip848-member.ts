/** Members of consumer-protocol groups over real sockets, and a ledger that sees at once if two of them own one partition. */
import assert from 'node:assert/strict'
import { Committer } from '../../../src/clients/native/commit/committer.ts'
import { ConsumerMembership } from '../../../src/clients/native/group/consumer-protocol/membership.ts'
import { ThreadHeartbeats } from '../../../src/clients/native/group/heartbeat-thread/thread-heartbeats.ts'
import { Holdings } from '../../../src/clients/native/group/holdings.ts'
import { InlineHeartbeats } from '../../../src/clients/native/group/inline-heartbeats.ts'
import { Topics } from '../../../src/clients/native/group/topics.ts'
import { defaultBackoff } from '../../../src/cluster/backoff.ts'
import { Coordinator } from '../../../src/cluster/coordinator.ts'
import { Metadata } from '../../../src/cluster/metadata.ts'
import { Cluster } from '../../../src/cluster/net/cluster.ts'
import { anyNode } from '../../../src/cluster/wire.ts'
import type { CommitOutcome } from '../../../src/kernel/events.ts'
import { asEpoch, asPosition, type TopicPartition } from '../../../src/kernel/ids.ts'
import { createTopicsApi } from '../../../src/protocol/generated/19-create-topics.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { until } from '../../support/wait.ts'

export interface MemberOptions {
  readonly brokers: readonly string[]
  readonly group: string
  readonly topics?: readonly string[]
  readonly topicRegex?: string
  readonly instanceId?: string
  readonly serverAssignor?: string
  readonly heartbeats?: 'inline' | 'thread'
  readonly maxPollIntervalMs?: number
  /** Called before partitions are given up. */
  readonly draining?: (member: Member) => Promise<unknown>
}

/** Who owns what now. */
export class Ledger {
  readonly owners: Map<string, Member> = new Map()
  readonly conflicts: string[] = []

  take(member: Member, partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      const key = keyOf(partition)
      const other = this.owners.get(key)
      if (other !== undefined && other !== member) this.conflicts.push(key)
      this.owners.set(key, member)
    }
  }

  drop(member: Member, partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) {
      if (this.owners.get(keyOf(partition)) === member) this.owners.delete(keyOf(partition))
    }
  }
}

let epochs = 0

export class Member {
  readonly cluster: Cluster
  readonly membership: ConsumerMembership
  readonly events: string[] = []
  readonly errors: unknown[] = []
  readonly troubles: unknown[] = []
  readonly #holdings: Holdings
  readonly #committer: Committer
  readonly #ledger: Ledger
  readonly #epochs: Map<string, number> = new Map()

  constructor(options: MemberOptions, ledger: Ledger = new Ledger()) {
    const { brokers, group, topics = [] } = options
    const network = { brokers, clientId: 'kip848' }
    const cluster = new Cluster({ ...network, clock: new SystemClock() })
    const coordinator = new Coordinator(cluster, 'group', group)
    const metadata = new Metadata(cluster)
    this.cluster = cluster
    this.#ledger = ledger
    this.#holdings = new Holdings({
      assigned: (all) => {
        ledger.take(this, all)
        for (const one of all) this.#epochs.set(keyOf(one), ++epochs)
        this.events.push(`assigned ${listed(all)}`.trim())
      },
      revoked: async (all) => {
        this.events.push(`revoked ${listed(all)}`)
        await options.draining?.(this)
        ledger.drop(this, all)
      },
      lost: (all) => {
        ledger.drop(this, all)
        this.events.push(`lost ${listed(all)}`)
      },
      failed: (error) => this.errors.push(error),
    })
    this.membership = new ConsumerMembership({
      wire: cluster,
      coordinator,
      metadata,
      topics: new Topics(cluster, metadata, { topics: { names: topics, matches: null }, metadataMaxAgeMs: 60_000 }),
      holdings: this.#holdings,
      options: {
        group,
        instanceId: options.instanceId ?? null,
        rackId: null,
        rebalanceTimeoutMs: 30_000,
        serverAssignor: options.serverAssignor ?? null,
        topicRegex: options.topicRegex ?? null,
        heartbeatMs: 200,
        backoff: defaultBackoff,
      },
      makeHeartbeater: (listener) =>
        options.heartbeats === 'thread'
          ? new ThreadHeartbeats(
              cluster,
              { cluster: network, maxPollIntervalMs: options.maxPollIntervalMs ?? 60_000 },
              listener,
            )
          : new InlineHeartbeats(cluster, listener),
      failed: (error) => this.errors.push(error),
      trouble: (error) => this.troubles.push(error),
    })
    const { ownership } = this.#holdings
    this.#committer = new Committer({ wire: cluster, coordinator, membership: this.membership, ownership, group })
    this.membership.start()
  }

  get owned(): string {
    return listed(this.#holdings.ownership.partitions)
  }

  get count(): number {
    return this.#holdings.ownership.size
  }

  get epoch(): number {
    return this.membership.memberName()?.generationId ?? 0
  }

  commit(topic: string, partition: number, position: number): Promise<CommitOutcome | undefined> {
    const epoch = asEpoch(this.#epochs.get(keyOf({ topic, partition })) ?? -1)
    const entry = { topic, partition, epoch, position: asPosition(position), leaderEpoch: -1, metadata: 'map' }
    return this.#committer.commit([entry]).then(([outcome]) => outcome)
  }

  async close(leave = true): Promise<void> {
    this.#ledger.drop(this, this.#holdings.ownership.partitions)
    await this.membership.close(leave)
    await this.cluster.close()
  }
}

export async function createTopic(cluster: Cluster, name: string, partitions: number): Promise<void> {
  await until(`topic ${name}`, async () => {
    const topics = [{ name, numPartitions: partitions, replicationFactor: 1 }]
    const answer = await cluster.ask(anyNode, createTopicsApi, { topics, timeoutMs: 10_000 })
    return answer?.body.topics[0]?.errorCode === 0
  })
}

/** Until everybody's share is as told, in any order, and all of them together own all of it. */
export async function shared(members: readonly Member[], counts: readonly number[]): Promise<void> {
  const wanted = counts.toSorted().join()
  try {
    await until(
      'a balance',
      () =>
        members
          .map(({ count }) => count)
          .toSorted()
          .join() === wanted,
    )
  } catch (error) {
    const now = members.map(({ owned, epoch, events }) => `${owned} (epoch ${epoch}; ${events.join(', ')})`)
    assert.fail(`${String(error)}: ${now.join(' | ')}`)
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}`
}

export function listed(all: readonly TopicPartition[]): string {
  return all.map(keyOf).sort().join(' ')
}

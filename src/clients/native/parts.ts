/** The parts of a native client, put together. */
import { Coordinator } from '../../cluster/coordinator.ts'
import type { Metadata } from '../../cluster/metadata.ts'
import type { Wire } from '../../cluster/wire.ts'
import type { LeaseName } from '../../kernel/events.ts'
import type { LogClientListener } from '../../ports/log-client.ts'
import { Committer } from './commit/committer.ts'
import { FetchTargets } from './fetch/fetch-target.ts'
import { Fetcher } from './fetch/fetcher.ts'
import { Repair } from './fetch/repair.ts'
import { ClassicMembership } from './group/classic/membership.ts'
import { ConsumerMembership } from './group/consumer-protocol/membership.ts'
import { FixedMembership } from './group/fixed-membership.ts'
import type { MakeHeartbeater } from './group/heartbeater.ts'
import { Holdings } from './group/holdings.ts'
import type { Membership } from './group/membership.ts'
import { partitionKey } from './group/ownership.ts'
import { Topics } from './group/topics.ts'
import type { NativeOptions } from './options.ts'
import { Positions } from './positions/positions.ts'
import { Publisher } from './produce/publisher.ts'
import { TopicMaker } from './produce/topic-maker.ts'
import { Transactions } from './produce/transactions.ts'

export interface Parts {
  readonly membership: Membership
  readonly positions: Positions
  readonly fetcher: Fetcher
  /** null: there is no group that keeps offsets. */
  readonly committer: Committer | null
  readonly publisher: Publisher
  readonly topicMaker: TopicMaker
  readonly transactions: Transactions | null
}

export interface PartsAround {
  readonly wire: Wire
  readonly metadata: Metadata
  readonly makeHeartbeater: MakeHeartbeater
  readonly trouble?: (error: unknown) => void
}

interface Shared extends PartsAround {
  readonly options: NativeOptions
  readonly holdings: Holdings
  readonly failed: (error: unknown) => void
}

export function buildParts(options: NativeOptions, around: PartsAround, listener: LogClientListener): Parts {
  const { wire, metadata } = around
  const { group, backoff, partitions } = options
  const failed = (error: unknown): void => listener.failed(error)
  const coordinator = group === null ? null : new Coordinator(wire, 'group', group)
  const holdings = new Holdings(listener)
  const { ownership } = holdings
  const shared = { ...around, options, holdings, failed }
  const membership = membershipOf(shared, coordinator)
  const asker = { wire, metadata, options }
  const wanted = new Map((partitions ?? []).map((each) => [partitionKey(each), each.offset ?? -1]))
  const positions = new Positions({ ...asker, coordinator, ownership, group, wanted, backoff })
  const renew = (lease: LeaseName): void => holdings.renew(lease)
  const replaced = (lease: LeaseName): void => holdings.renew(lease, true)
  const targets = new FetchTargets(ownership, positions.checkedLeaders)
  return {
    membership,
    positions,
    fetcher: new Fetcher({
      ...asker,
      targets,
      repair: new Repair(asker, positions.checkedLeaders, renew),
      replaced,
      failed,
    }),
    committer:
      coordinator === null || group === null
        ? null
        : new Committer({ wire, coordinator, membership, ownership, group }),
    publisher: new Publisher({ wire, metadata, produce: options.produce, onError: failed }),
    topicMaker: new TopicMaker(wire, metadata),
    transactions: transactionsOf(shared, coordinator, membership),
  }
}

function membershipOf(shared: Shared, coordinator: Coordinator | null): Membership {
  const { wire, metadata, holdings, options } = shared
  const { group, partitions } = options
  if (partitions !== null || coordinator === null || group === null) {
    return new FixedMembership(holdings, partitions ?? [])
  }
  const topics = new Topics(wire, metadata, options)
  // Patterns are matched here, by the user's own expressions: the broker would read them by other rules.
  const parts = { ...shared, coordinator, topics, options: { ...options, group, topicRegex: null } }
  return options.protocol === 'consumer' ? new ConsumerMembership(parts) : new ClassicMembership(parts)
}

function transactionsOf(shared: Shared, coordinator: Coordinator | null, membership: Membership): Transactions | null {
  const { wire, metadata, holdings, options } = shared
  const { group, transaction, backoff, produce } = options
  if (transaction === null || coordinator === null || group === null) return null
  return new Transactions({
    wire,
    metadata,
    backoff,
    produce,
    group,
    groupCoordinator: coordinator,
    member: {
      memberName: () => membership.memberName(),
      refused: (name, code) => membership.refused(name, code),
      holds: (lease) => holdings.ownership.holds(lease),
    },
    transactionalId: transaction.transactionalId,
    transactionalIdIsGenerated: transaction.isGenerated,
    transactionTimeoutMs: transaction.timeoutMs,
  })
}

/** One round of the classic group protocol: join, assign if we lead, sync. Each step ends in what to do next. */
import type { FanlaneError } from '../../../errors.ts'
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { JoinGroupResponse } from '../cluster/group-messages.ts'
import { assign, type Subscription } from './assignor.ts'
import type { Coordinator } from './coordinator.ts'
import type { Topics } from './topics.ts'
import { answeredWith, type Wire } from './wire.ts'

/**
 * - `again`: nothing has changed, pause and try again.
 * - `rename`: join again under the id that the coordinator gave us.
 * - `rebalance`: the group is on its way to another generation, join again.
 * - `lost`: we are no longer a member (`unknown`), or no longer of this generation (`stale`).
 * - `failed`: joining again cannot help.
 */
export type JoinTrouble =
  | { readonly kind: 'again' | 'rebalance' }
  | { readonly kind: 'rename'; readonly memberId: string }
  | { readonly kind: 'lost'; readonly why: 'unknown' | 'stale' }
  | { readonly kind: 'failed'; readonly error: FanlaneError }

export type Joined = { readonly kind: 'joined'; readonly response: JoinGroupResponse } | JoinTrouble
export type Synced = { readonly kind: 'synced'; readonly assignment: readonly TopicPartition[] } | JoinTrouble

const PROTOCOL_TYPE = 'consumer'

export class Joiner {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #topics: Topics

  constructor(wire: Wire, coordinator: Coordinator, topics: Topics) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#topics = topics
  }

  async join(memberId: string, owned: readonly TopicPartition[], generationId: number): Promise<Joined> {
    const { options } = this.#wire
    const node = await this.#coordinator.find()
    if (node === null) return { kind: 'again' }
    // Who owns nothing says the same thing every time, so that a repeated request is recognised as one.
    const metadata: Subscription = {
      topics: options.topics,
      owned,
      generationId: owned.length === 0 ? -1 : generationId,
    }
    const response = await this.#wire.ask(
      'JoinGroup',
      {
        node,
        clientId: options.clientId,
        groupId: options.group,
        sessionTimeoutMs: options.sessionTimeoutMs,
        rebalanceTimeoutMs: options.rebalanceTimeoutMs,
        memberId,
        groupInstanceId: options.instanceId,
        protocolType: PROTOCOL_TYPE,
        protocols: [{ name: options.rebalance === 'eager' ? 'roundrobin' : 'cooperative-sticky', metadata }],
      },
      // The coordinator answers when everybody has joined, or when the slowest has run out of time.
      options.rebalanceTimeoutMs + options.requestTimeoutMs,
    )
    this.#coordinator.learn(node, response?.errorCode ?? null)
    if (response === null) return { kind: 'again' }
    if (response.errorCode === 'NONE') return { kind: 'joined', response }
    if (response.errorCode === 'MEMBER_ID_REQUIRED') return { kind: 'rename', memberId: response.memberId }
    return troubleOf(response.errorCode, 'JoinGroup')
  }

  async sync(join: JoinGroupResponse): Promise<Synced> {
    const { group, instanceId } = this.#wire.options
    const assignments = await this.#assignments(join)
    const node = await this.#coordinator.find()
    if (assignments === null || node === null) return { kind: 'again' }
    const response = await this.#wire.ask('SyncGroup', {
      node,
      groupId: group,
      generationId: join.generationId,
      memberId: join.memberId,
      groupInstanceId: instanceId,
      protocolType: join.protocolType,
      protocolName: join.protocolName,
      assignments,
    })
    this.#coordinator.learn(node, response?.errorCode ?? null)
    if (response === null) return { kind: 'again' }
    if (response.errorCode !== 'NONE') return troubleOf(response.errorCode, 'SyncGroup')
    return { kind: 'synced', assignment: (response.assignment as readonly TopicPartition[] | null) ?? [] }
  }

  /** Empty from everybody but the leader; null if the leader does not know the partitions yet. */
  async #assignments(join: JoinGroupResponse): Promise<{ memberId: string; assignment: unknown }[] | null> {
    if (join.leader !== join.memberId || join.skipAssignment) return []
    const members = join.members.map(({ memberId, metadata }) => ({
      memberId,
      subscription: metadata as Subscription,
    }))
    const topics = [...new Set(members.flatMap(({ subscription }) => subscription.topics))]
    if ((await this.#topics.refresh(topics)) === null) return null
    return [...assign(members, this.#topics.counts)].map(([memberId, assignment]) => ({ memberId, assignment }))
  }
}

function troubleOf(code: ErrorCode, request: 'JoinGroup' | 'SyncGroup'): JoinTrouble {
  switch (code) {
    case 'UNKNOWN_MEMBER_ID':
      return { kind: 'lost', why: 'unknown' }
    case 'ILLEGAL_GENERATION':
      return { kind: 'lost', why: 'stale' }
    case 'REBALANCE_IN_PROGRESS':
      return { kind: 'rebalance' }
    case 'FENCED_INSTANCE_ID':
    case 'INCONSISTENT_GROUP_PROTOCOL':
    case 'INVALID_SESSION_TIMEOUT':
      return { kind: 'failed', error: answeredWith(code, request) }
    default:
      return { kind: 'again' }
  }
}

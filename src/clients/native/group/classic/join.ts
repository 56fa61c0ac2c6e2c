/** One round of the classic group protocol: join, assign if we lead, sync. Each step ends in what to do next. */
import { answeredWith } from '../../../../cluster/answers.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Lane, Wire } from '../../../../cluster/wire.ts'
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { errorCodes } from '../../../../protocol/errors.ts'
import { type JoinGroupResponse, joinGroupApi } from '../../../../protocol/generated/11-join-group.ts'
import { type SyncGroupRequestAssignment, syncGroupApi } from '../../../../protocol/generated/14-sync-group.ts'
import type { MemberOptions } from '../../options.ts'
import type { Assignor, MemberSubscription } from '../assignors/assignor.ts'
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../assignors/subscription.ts'
import type { Topics } from '../topics.ts'

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
  | { readonly kind: 'failed'; readonly error: unknown }

export type Joined = { readonly kind: 'joined'; readonly response: JoinGroupResponse } | JoinTrouble
export type Synced = { readonly kind: 'synced'; readonly assignment: readonly TopicPartition[] } | JoinTrouble

/** What we claim when we join. */
export interface Claim {
  readonly memberId: string
  readonly owned: readonly TopicPartition[]
  /** In which generation we came to own it. */
  readonly generationId: number
  /** The connection for this stay: an earlier one may still have a join parked at the broker. */
  readonly lane: Lane
  /** What the last assignment gave us: an assignor that keeps no list of owned partitions remembers it by this. */
  readonly previous: readonly TopicPartition[]
}

const protocolType = 'consumer'

export class Joiner {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #topics: Topics
  readonly #options: MemberOptions

  constructor(wire: Wire, coordinator: Coordinator, topics: Topics, options: MemberOptions) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#topics = topics
    this.#options = options
  }

  async join(claim: Claim): Promise<Joined> {
    const options = this.#options
    const topics = await this.#topics.subscribe()
    const node = topics === null ? null : await this.#coordinator.find()
    if (topics === null || node === null) return { kind: 'again' }
    const answer = await this.#wire.ask(
      node,
      joinGroupApi,
      {
        groupId: options.group,
        sessionTimeoutMs: options.sessionTimeoutMs,
        rebalanceTimeoutMs: options.rebalanceTimeoutMs,
        memberId: claim.memberId,
        groupInstanceId: options.instanceId,
        protocolType,
        protocols: options.assignors.map((assignor) => ({
          name: assignor.name,
          metadata: this.#subscription(assignor, topics, claim),
        })),
      },
      // The coordinator answers when everybody has joined, or when the slowest has run out of time.
      { lane: claim.lane, timeoutMs: options.rebalanceTimeoutMs + options.requestTimeoutMs },
    )
    this.#coordinator.learn(node, answer?.body.errorCode ?? null)
    if (answer === null) return { kind: 'again' }
    const { body } = answer
    if (body.errorCode === errorCodes.NONE) return { kind: 'joined', response: body }
    if (body.errorCode === errorCodes.MEMBER_ID_REQUIRED) return { kind: 'rename', memberId: body.memberId }
    return troubleOf(body.errorCode, 'JoinGroup')
  }

  async sync(join: JoinGroupResponse, lane: Lane): Promise<Synced> {
    const { group, instanceId } = this.#options
    const assignments = await this.#assignments(join)
    if (assignments !== null && 'kind' in assignments) return assignments
    const node = await this.#coordinator.find()
    if (assignments === null || node === null) return { kind: 'again' }
    const answer = await this.#wire.ask(
      node,
      syncGroupApi,
      {
        groupId: group,
        generationId: join.generationId,
        memberId: join.memberId,
        groupInstanceId: instanceId,
        protocolType: join.protocolType ?? protocolType,
        protocolName: join.protocolName,
        assignments,
      },
      { lane, timeoutMs: this.#options.rebalanceTimeoutMs + this.#options.requestTimeoutMs },
    )
    this.#coordinator.learn(node, answer?.body.errorCode ?? null)
    if (answer === null) return { kind: 'again' }
    const { errorCode, assignment } = answer.body
    if (errorCode !== errorCodes.NONE) return troubleOf(errorCode, 'SyncGroup')
    try {
      // A leader of another make may give us topics that we do not read.
      const ours = decodeAssignment(assignment).filter(({ topic }) => this.#topics.isSubscribed(topic))
      return { kind: 'synced', assignment: ours }
    } catch (error) {
      return { kind: 'failed', error }
    }
  }

  #subscription(assignor: Assignor, topics: readonly string[], claim: Claim): Buffer {
    // Who owns nothing says the same thing every time, so that a repeated request is recognised as one.
    const generationId = claim.owned.length === 0 ? -1 : claim.generationId
    const userData = assignor.userData?.(claim.previous, claim.generationId) ?? null
    const { rackId } = this.#options
    return encodeSubscription({ topics, owned: claim.owned, generationId, userData, rackId }, assignor.version)
  }

  /** Empty from everybody but the leader; null if the leader does not know the partitions yet. */
  async #assignments(join: JoinGroupResponse): Promise<readonly SyncGroupRequestAssignment[] | null | JoinTrouble> {
    if (join.leader !== join.memberId) this.#topics.forget()
    if (join.leader !== join.memberId || join.skipAssignment) return []
    const assignor = this.#options.assignors.find(({ name }) => name === join.protocolName)
    if (assignor === undefined) {
      return { kind: 'failed', error: answeredWith(errorCodes.INCONSISTENT_GROUP_PROTOCOL, 'JoinGroup') }
    }
    let members: MemberSubscription[]
    try {
      members = join.members.map(({ memberId, groupInstanceId, metadata }) => ({
        memberId,
        groupInstanceId,
        ...decodeSubscription(metadata, memberId),
      }))
    } catch (error) {
      return { kind: 'failed', error }
    }
    const counts = await this.#topics.counts([...new Set(members.flatMap(({ topics }) => topics))].sort())
    if (counts === null) return null
    const plan = assignor.assign(members, (topic) => counts.get(topic) ?? 0)
    return [...plan].map(([memberId, partitions]) => ({
      memberId,
      assignment: encodeAssignment(partitions, assignor.version),
    }))
  }
}

const fatal: ReadonlySet<number> = new Set([
  errorCodes.FENCED_INSTANCE_ID,
  errorCodes.INCONSISTENT_GROUP_PROTOCOL,
  errorCodes.INVALID_SESSION_TIMEOUT,
  errorCodes.INVALID_GROUP_ID,
  errorCodes.GROUP_AUTHORIZATION_FAILED,
  errorCodes.GROUP_MAX_SIZE_REACHED,
  errorCodes.UNSUPPORTED_VERSION,
])

function troubleOf(code: number, request: 'JoinGroup' | 'SyncGroup'): JoinTrouble {
  if (code === errorCodes.UNKNOWN_MEMBER_ID) return { kind: 'lost', why: 'unknown' }
  if (code === errorCodes.ILLEGAL_GENERATION) return { kind: 'lost', why: 'stale' }
  if (code === errorCodes.REBALANCE_IN_PROGRESS) return { kind: 'rebalance' }
  if (fatal.has(code)) return { kind: 'failed', error: answeredWith(code, request) }
  return { kind: 'again' }
}

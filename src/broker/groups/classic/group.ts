/**
 * A group of the classic protocol, as data. Always holds: the leader is a member, or there is none; an instance id belongs to
 * one member; the counts (who waits to join, who speaks a protocol, bytes of metadata) are those of the members.
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type { JoinGroupResponse, JoinGroupResponseMember } from '../../../protocol/generated/11-join-group.ts'
import type { Input } from '../../../protocol/types.ts'
import { type AnswerJoin, type ClassicMember, type MemberProtocol, metadataFor, protocolBytes } from './member.ts'
import { type GroupEvent, type GroupState, nextState } from './states.ts'
import { consumerProtocolType, subscribedTopics } from './subscribed-topics.ts'

/** A first rebalance waits for whoever may come, and on as long as members are added. */
export interface FirstWait {
  readonly kind: 'first'
  remainingMs: number
  memberAdded: boolean
  cancel: () => void
}

/** Why the group waits for joins, and how the wait is ended. */
export type JoinWait = FirstWait | { readonly kind: 'again'; readonly cancel: () => void }

export interface StoredHead {
  readonly generationId: number
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly leader: string | null
  readonly stateSinceMs: number | null
}

export class ClassicGroup {
  readonly id: string
  generationId: number
  protocolType: string | null
  protocolName: string | null
  leader: string | null
  /** null: stored by a version that did not say. */
  stateSinceMs: number | null
  joinWait: JoinWait | null = null
  cancelSyncWait: (() => void) | null = null
  /** Ids that were given out and not used yet, with what ends their session. */
  readonly pendingJoins: Map<string, () => void> = new Map()
  /** Members of this generation that have not asked for their assignment yet. */
  readonly pendingSyncs: Set<string> = new Set()
  subscribedTopics: ReadonlySet<string> | null = null
  #state: GroupState
  #awaitingJoin = 0
  #metadataBytes = 0
  readonly #members = new Map<string, ClassicMember>()
  readonly #instances = new Map<string, string>()
  readonly #speakers = new Map<string, number>()

  constructor(id: string, head: StoredHead, state: 'Empty' | 'Stable' = 'Empty') {
    this.id = id
    this.#state = state
    this.generationId = head.generationId
    this.protocolType = head.protocolType
    this.protocolName = head.protocolName
    this.leader = head.leader
    this.stateSinceMs = head.stateSinceMs
  }

  get state(): GroupState {
    return this.#state
  }

  get members(): ReadonlyMap<string, ClassicMember> {
    return this.#members
  }

  get awaitingJoin(): number {
    return this.#awaitingJoin
  }

  get metadataBytes(): number {
    return this.#metadataBytes
  }

  /** Holds the offsets of somebody who uses no group: nothing of it is stored but those. */
  get isSimple(): boolean {
    return this.protocolType === null && this.#state === 'Empty' && this.pendingJoins.size === 0
  }

  move(event: GroupEvent, nowMs: number): void {
    this.#state = nextState(this.#state, event)
    this.stateSinceMs = nowMs
  }

  add(member: ClassicMember, protocolType: string): void {
    if (this.#members.size === 0) this.protocolType = protocolType
    this.#members.set(member.id, member)
    if (member.groupInstanceId !== null) this.#instances.set(member.groupInstanceId, member.id)
    if (member.awaitingJoin !== null) this.#awaitingJoin++
    this.#count(member.protocols, 1)
    this.leader ??= member.id
  }

  remove(member: ClassicMember): void {
    if (!this.#members.delete(member.id)) return
    if (member.groupInstanceId !== null) this.#instances.delete(member.groupInstanceId)
    if (member.awaitingJoin !== null) this.#awaitingJoin--
    this.#count(member.protocols, -1)
    this.pendingSyncs.delete(member.id)
    if (this.leader === member.id) this.leader = this.#members.keys().next().value ?? null
  }

  /** The same member under a new id: a static member has come back. */
  rename(older: ClassicMember, id: string): ClassicMember {
    const member: ClassicMember = { ...older, id, isNew: false, cancelSession: null }
    const leads = this.leader === older.id
    this.remove(older)
    this.add(member, this.protocolType ?? '')
    if (leads) this.leader = id
    return member
  }

  /** The newest request of a member is the one that is answered; an older one that still waits never is, as in Kafka. */
  setAwaitingJoin(member: ClassicMember, answer: AnswerJoin): void {
    if (member.awaitingJoin === null) this.#awaitingJoin++
    member.awaitingJoin = answer
  }

  /** Answers and forgets, so that nobody is answered twice. */
  answerJoin(member: ClassicMember, response: Input<JoinGroupResponse>): void {
    const answer = member.awaitingJoin
    if (answer === null) return
    member.awaitingJoin = null
    this.#awaitingJoin--
    answer(response)
  }

  setProtocols(member: ClassicMember, protocols: readonly MemberProtocol[]): void {
    this.#count(member.protocols, -1)
    member.protocols = protocols
    this.#count(protocols, 1)
  }

  staticMember(groupInstanceId: string): ClassicMember | undefined {
    const id = this.#instances.get(groupInstanceId)
    return id === undefined ? undefined : this.#members.get(id)
  }

  /** Why this is not a member; NONE if it is. An instance id is checked first: who was replaced is told so. */
  checkMember(memberId: string, groupInstanceId: string | null): number {
    if (groupInstanceId !== null) {
      const holder = this.#instances.get(groupInstanceId)
      if (holder === undefined) return errorCodes.UNKNOWN_MEMBER_ID
      if (holder !== memberId) return errorCodes.FENCED_INSTANCE_ID
    }
    return this.#members.has(memberId) ? errorCodes.NONE : errorCodes.UNKNOWN_MEMBER_ID
  }

  allJoined(): boolean {
    return this.#members.size === this.#awaitingJoin && this.pendingJoins.size === 0
  }

  rebalanceTimeoutMs(): number {
    let longest = 0
    for (const { rebalanceTimeoutMs } of this.#members.values()) longest = Math.max(longest, rebalanceTimeoutMs)
    return longest
  }

  /** An empty group takes any protocol; otherwise one of them must be spoken by everybody. */
  supports(protocolType: string, names: readonly string[]): boolean {
    if (this.#state === 'Empty') return protocolType !== '' && names.length > 0
    return protocolType === this.protocolType && names.some((name) => this.#spokenByAll(name))
  }

  /** Each member votes for the first of its protocols that everybody speaks; the most votes win. */
  selectProtocol(): string | null {
    const votes = new Map<string, number>()
    for (const member of this.#members.values()) {
      const vote = member.protocols.find(({ name }) => this.#spokenByAll(name))?.name
      if (vote !== undefined) votes.set(vote, (votes.get(vote) ?? 0) + 1)
    }
    let best: string | null = null
    for (const [name, count] of votes) if (best === null || count > (votes.get(best) ?? 0)) best = name
    return best
  }

  refreshSubscribedTopics(): void {
    const { protocolName } = this
    if (this.protocolType !== consumerProtocolType) this.subscribedTopics = null
    else this.subscribedTopics = subscribedTopics([...this.#members.values()].map((m) => metadataFor(m, protocolName)))
  }

  /** Where the coordinator does not know what the members read, it takes them to read everything. */
  isSubscribedTo(topic: string): boolean {
    return this.subscribedTopics?.has(topic) ?? this.protocolType === consumerProtocolType
  }

  membersForLeader(): Input<JoinGroupResponseMember>[] {
    return [...this.#members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      metadata: metadataFor(member, this.protocolName),
    }))
  }

  #spokenByAll(name: string): boolean {
    return (this.#speakers.get(name) ?? 0) === this.#members.size
  }

  #count(protocols: readonly MemberProtocol[], sign: 1 | -1): void {
    this.#metadataBytes += sign * protocolBytes(protocols)
    for (const { name } of protocols) {
      const speakers = (this.#speakers.get(name) ?? 0) + sign
      if (speakers === 0) this.#speakers.delete(name)
      else this.#speakers.set(name, speakers)
    }
  }
}

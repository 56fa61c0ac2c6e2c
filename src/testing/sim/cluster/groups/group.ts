/**
 * A group of the classic protocol, as data. Its life: Empty → PreparingRebalance (members join) → CompletingRebalance
 * (the leader assigns) → Stable, and back to PreparingRebalance whenever the membership changes.
 */
import type { ErrorCode } from '../errors.ts'
import type { JoinGroupRequest, JoinGroupResponse, SyncGroupResponse } from '../group-messages.ts'
import type { Timer } from '../timers.ts'

export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable'
export type Protocols = JoinGroupRequest['protocols']

export interface Member {
  readonly id: string
  readonly groupInstanceId: string | null
  sessionTimeoutMs: number
  rebalanceTimeoutMs: number
  protocols: Protocols
  assignment: unknown
  /** Has never been in a generation: it may be put out while it waits to join. */
  isNew: boolean
  answerJoin: ((response: JoinGroupResponse) => void) | null
  answerSync: ((response: SyncGroupResponse) => void) | null
  session: Timer | null
}

/** What the coordinator's log holds of a group, and all that a new coordinator will know. */
export interface StoredGroup {
  readonly generationId: number
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly leader: string | null
  readonly members: readonly Pick<
    Member,
    'id' | 'groupInstanceId' | 'sessionTimeoutMs' | 'rebalanceTimeoutMs' | 'protocols' | 'assignment'
  >[]
}

const NEVER_STORED: StoredGroup = {
  generationId: 0,
  protocolType: null,
  protocolName: null,
  leader: null,
  members: [],
}

export class Group {
  readonly id: string
  state: GroupState = 'Empty'
  generationId = 0
  protocolType: string | null = null
  protocolName: string | null = null
  leader: string | null = null
  readonly members: Map<string, Member> = new Map()
  /** Ids that were given out and not used yet, with the end of their session. */
  readonly pendingJoin: Map<string, Timer> = new Map()
  /** Members of this generation that have not asked for their assignment yet. */
  readonly pendingSync: Set<string> = new Set()
  joinTimer: Timer | null = null
  syncTimer: Timer | null = null
  stored: StoredGroup = NEVER_STORED

  constructor(id: string) {
    this.id = id
  }

  staticMember(groupInstanceId: string): Member | undefined {
    for (const member of this.members.values()) if (member.groupInstanceId === groupInstanceId) return member
    return undefined
  }

  /** Why this is not a member; NONE if it is. An instance id is checked first: who was replaced is told so. */
  checkMember(memberId: string, groupInstanceId: string | null): ErrorCode {
    if (groupInstanceId !== null) {
      const holder = this.staticMember(groupInstanceId)
      if (holder === undefined) return 'UNKNOWN_MEMBER_ID'
      if (holder.id !== memberId) return 'FENCED_INSTANCE_ID'
    }
    return this.members.has(memberId) ? 'NONE' : 'UNKNOWN_MEMBER_ID'
  }

  allJoined(): boolean {
    if (this.pendingJoin.size > 0) return false
    for (const member of this.members.values()) if (member.answerJoin === null) return false
    return true
  }

  rebalanceTimeoutMs(): number {
    let longest = 0
    for (const { rebalanceTimeoutMs } of this.members.values()) longest = Math.max(longest, rebalanceTimeoutMs)
    return longest
  }

  /** An empty group takes any protocol; otherwise one of them must be spoken by everybody. */
  supports(protocolType: string, protocols: Protocols): boolean {
    if (this.state === 'Empty') return protocolType !== '' && protocols.length > 0
    return protocolType === this.protocolType && protocols.some(({ name }) => this.#spokenByAll(name))
  }

  /** Each member votes for the first of its protocols that everybody speaks; the most votes win. */
  selectProtocol(): string | null {
    const votes = new Map<string, number>()
    for (const member of this.members.values()) {
      const vote = member.protocols.find(({ name }) => this.#spokenByAll(name))?.name
      if (vote !== undefined) votes.set(vote, (votes.get(vote) ?? 0) + 1)
    }
    let best: string | null = null
    for (const [name, count] of votes) if (best === null || count > (votes.get(best) ?? 0)) best = name
    return best
  }

  describeMembers(): JoinGroupResponse['members'] {
    return [...this.members.values()].map(({ id, groupInstanceId, protocols }) => ({
      memberId: id,
      groupInstanceId,
      metadata: protocols.find(({ name }) => name === this.protocolName)?.metadata ?? null,
    }))
  }

  #spokenByAll(name: string): boolean {
    for (const member of this.members.values()) if (!member.protocols.some((own) => own.name === name)) return false
    return true
  }
}

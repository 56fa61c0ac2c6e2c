/** The group coordinator: finds the group, asks the rules, answers. One for all groups, on one node at a time. */
import { Coordinator } from '../coordinators.ts'
import type { ErrorCode } from '../errors.ts'
import type {
  HeartbeatRequest,
  JoinGroupRequest,
  JoinGroupResponse,
  LeaveGroupRequest,
  LeaveGroupResponse,
  OffsetCommitRequest,
  OffsetCommitResponse,
  OffsetFetchRequest,
  OffsetFetchResponse,
  SyncGroupRequest,
  SyncGroupResponse,
} from '../group-messages.ts'
import type { Settings } from '../options.ts'
import type { Timers } from '../timers.ts'
import type { TxnOffsetCommitRequest, TxnOffsetCommitResponse } from '../txn-messages.ts'
import { type CommitRules, checkCommitter, commitEach, fetchOffsets } from './committing.ts'
import { Group } from './group.ts'
import { Joining } from './joining.ts'
import { Membership } from './membership.ts'
import { OffsetStore } from './offset-store.ts'
import { Rebalance } from './rebalance.ts'
import { notJoined, notSynced } from './replies.ts'

/** Asks the transaction coordinator whether this producer's transaction has the groups' offsets. */
export type VerifyOffsets = (transactionalId: string, producerId: number, producerEpoch: number) => ErrorCode

export class GroupCoordinator {
  readonly offsets: OffsetStore = new OffsetStore()
  readonly place: Coordinator
  readonly #settings: Settings
  readonly #rules: CommitRules
  readonly #verify: VerifyOffsets
  readonly #rebalance: Rebalance
  readonly #joining: Joining
  readonly #membership: Membership
  readonly #groups = new Map<string, Group>()

  constructor(timers: Timers, settings: Settings, exists: CommitRules['exists'], verify: VerifyOffsets) {
    this.place = new Coordinator(timers, settings.nodes)
    this.#settings = settings
    this.#rules = { metadataMaxChars: settings.metadataMaxChars, exists }
    this.#verify = verify
    this.#rebalance = new Rebalance(timers)
    this.#joining = new Joining(timers, this.#rebalance)
    this.#membership = new Membership(this.#rebalance)
  }

  group(groupId: string): Group | undefined {
    return this.#groups.get(groupId)
  }

  /** null: answered through `respond`, now or later. */
  join(
    nowMs: number,
    request: JoinGroupRequest,
    respond: (response: JoinGroupResponse) => void,
  ): JoinGroupResponse | null {
    const { memberId, sessionTimeoutMs } = request
    const { sessionTimeoutMinMs, sessionTimeoutMaxMs } = this.#settings
    if (sessionTimeoutMs < sessionTimeoutMinMs || sessionTimeoutMs > sessionTimeoutMaxMs) {
      return notJoined('INVALID_SESSION_TIMEOUT', memberId)
    }
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return notJoined(refusal, '')
    const group = this.#groups.get(request.groupId) ?? (memberId === '' ? this.#create(request.groupId) : undefined)
    if (group === undefined) return notJoined('UNKNOWN_MEMBER_ID', memberId)
    return this.#joining.join(nowMs, group, request, respond)
  }

  sync(
    nowMs: number,
    request: SyncGroupRequest,
    respond: (response: SyncGroupResponse) => void,
  ): SyncGroupResponse | null {
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return notSynced(refusal)
    const group = this.#groups.get(request.groupId)
    if (group === undefined) return notSynced('UNKNOWN_MEMBER_ID')
    return this.#membership.sync(nowMs, group, request, respond)
  }

  heartbeat(nowMs: number, request: HeartbeatRequest): ErrorCode {
    const refusal = this.place.refusal(request.node)
    // Nothing is known yet, and a member must not be alarmed for that: any heartbeat is good.
    if (refusal === 'COORDINATOR_LOAD_IN_PROGRESS') return 'NONE'
    if (refusal !== null) return refusal
    const group = this.#groups.get(request.groupId)
    return group === undefined ? 'UNKNOWN_MEMBER_ID' : this.#membership.heartbeat(nowMs, group, request)
  }

  leave(nowMs: number, request: LeaveGroupRequest): LeaveGroupResponse {
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return { kind: 'LeaveGroup', errorCode: refusal, members: [] }
    const group = this.#groups.get(request.groupId)
    const members =
      group === undefined
        ? request.members.map((member) => ({ ...member, errorCode: 'UNKNOWN_MEMBER_ID' as const }))
        : this.#membership.leave(nowMs, group, request)
    return { kind: 'LeaveGroup', errorCode: 'NONE', members }
  }

  commit(nowMs: number, request: OffsetCommitRequest): OffsetCommitResponse {
    const refusal = this.place.refusal(request.node) ?? this.#checkCommit(nowMs, request)
    const partitions = commitEach(request.partitions, refusal, this.#rules, (partition) =>
      this.offsets.commit(nowMs, request.groupId, partition),
    )
    return { kind: 'OffsetCommit', partitions }
  }

  fetchOffsets(request: OffsetFetchRequest): OffsetFetchResponse {
    const refusal = this.place.refusal(request.node)
    if (refusal !== null) return { kind: 'OffsetFetch', errorCode: refusal, partitions: [] }
    return fetchOffsets(this.offsets, request)
  }

  commitInTransaction(request: TxnOffsetCommitRequest): TxnOffsetCommitResponse {
    const { producerId, producerEpoch, groupId } = request
    const partitions = commitEach(request.partitions, this.#checkTxnCommit(request), this.#rules, (partition) =>
      this.offsets.commitInTransaction(producerId, producerEpoch, groupId, partition),
    )
    return { kind: 'TxnOffsetCommit', partitions }
  }

  /** To another node, which knows only what was stored, and takes `loadMs` to read it. */
  move(nowMs: number, loadMs: number): void {
    for (const group of this.#groups.values()) this.#rebalance.unload(group)
    this.place.move(nowMs, loadMs, (at) => {
      for (const group of [...this.#groups.values()]) this.#groups.set(group.id, this.#restored(at, group))
    })
  }

  expireSession(nowMs: number, groupId: string, memberId: string): void {
    const group = this.place.loading ? undefined : this.#groups.get(groupId)
    const member = group?.members.get(memberId)
    if (group !== undefined && member !== undefined) this.#rebalance.putOut(nowMs, group, member)
  }

  #create(groupId: string): Group {
    const group = new Group(groupId)
    this.#groups.set(groupId, group)
    return group
  }

  #checkCommit(nowMs: number, request: OffsetCommitRequest): ErrorCode {
    let group = this.#groups.get(request.groupId)
    if (group === undefined) {
      if (request.generationId >= 0) return 'GROUP_ID_NOT_FOUND'
      group = this.#create(request.groupId)
    }
    const refusal = checkCommitter(group, request, false)
    const member = group.members.get(request.memberId)
    if (refusal === 'NONE' && member !== undefined) this.#rebalance.keepAlive(nowMs, group, member)
    return refusal
  }

  #checkTxnCommit(request: TxnOffsetCommitRequest): ErrorCode {
    const { transactionalId, producerId, producerEpoch } = request
    const refusal = this.place.refusal(request.node)
    if (refusal === 'NOT_COORDINATOR') return refusal
    if (!this.offsets.hasOpenTransaction(producerId, producerEpoch)) {
      const verified = this.#verify(transactionalId, producerId, producerEpoch)
      if (verified !== 'NONE') return verified
    }
    if (refusal !== null) return refusal
    let group = this.#groups.get(request.groupId)
    if (group === undefined) {
      if (request.generationId >= 0) return 'ILLEGAL_GENERATION'
      group = this.#create(request.groupId)
    }
    return checkCommitter(group, request, true)
  }

  #restored(nowMs: number, old: Group): Group {
    const group = new Group(old.id)
    const { generationId, protocolType, protocolName, leader, members } = old.stored
    Object.assign(group, { generationId, protocolType, protocolName, leader, stored: old.stored })
    if (members.length > 0) group.state = 'Stable'
    for (const stored of members) {
      const member = { ...stored, isNew: false, answerJoin: null, answerSync: null, session: null }
      group.members.set(member.id, member)
      this.#rebalance.keepAlive(nowMs, group, member)
    }
    return group
  }
}

/** The classic protocol as requests see it: finds the group, asks the rules, answers when the state log has it all. */
import { errorCodes } from '../../../protocol/errors.ts'
import type { JoinGroupRequest, JoinGroupResponse } from '../../../protocol/generated/11-join-group.ts'
import type { HeartbeatRequest } from '../../../protocol/generated/12-heartbeat.ts'
import type { MemberIdentity, MemberResponse } from '../../../protocol/generated/13-leave-group.ts'
import type { SyncGroupRequest, SyncGroupResponse } from '../../../protocol/generated/14-sync-group.ts'
import type { Input } from '../../../protocol/types.ts'
import type { ConsumerGroup } from '../consumer/consumer-group.ts'
import { createClassic, type GroupCore, hasRoomForGroup } from '../core.ts'
import type { StateRecord } from '../ports.ts'
import type { RequestContext } from '../request-context.ts'
import { joinAnswerFor, notJoined, notSynced } from './answers.ts'
import { ClassicGroup } from './group.ts'
import { Joining } from './joining.ts'
import { Membership } from './membership.ts'
import { Rebalance } from './rebalance.ts'
import { storedRecord } from './stored.ts'

/** What these become part of must fit into strings of records, whose length has 16 bits; and 37 characters are added. */
const nameBytesMax = 32_000

export class ClassicProtocol {
  readonly rebalance: Rebalance
  readonly #core: GroupCore
  readonly #joining: Joining
  readonly #membership: Membership

  constructor(core: GroupCore, newUuid: () => string) {
    const store = (group: ClassicGroup): boolean => this.#store(group)
    this.#core = core
    this.rebalance = new Rebalance(core.clock, core.options, store)
    this.#joining = new Joining(core.options, this.rebalance, store, newUuid)
    this.#membership = new Membership(this.rebalance)
  }

  /** Never answered if the member repeats its request while it waits: then only the newest one is, as in Kafka. */
  join(request: JoinGroupRequest, context: RequestContext): Promise<Input<JoinGroupResponse>> {
    const { groupId, memberId } = request
    return new Promise((resolve) => {
      const answer = (response: Input<JoinGroupResponse>): void =>
        resolve(this.#core.writer.whenDurable(groupId, joinAnswerFor(context.version, response)))
      if (!areNamesShort(request, context)) answer(notJoined(errorCodes.INVALID_REQUEST, memberId))
      else {
        const group = this.#groupToJoin(groupId, memberId)
        if (typeof group === 'number') answer(notJoined(group, memberId))
        else if (group instanceof ClassicGroup) this.#joining.join(group, request, context, answer)
        else answer(group.classicMembers.join(request, context))
      }
    })
  }

  /** Never answered if the member leaves while it waits, as in Kafka. */
  sync(request: SyncGroupRequest): Promise<Input<SyncGroupResponse>> {
    return new Promise((resolve) => {
      const answer = (response: Input<SyncGroupResponse>): void =>
        resolve(this.#core.writer.whenDurable(request.groupId, response))
      const group = this.#core.groups.get(request.groupId)
      if (group === undefined) answer(notSynced(errorCodes.UNKNOWN_MEMBER_ID))
      else if (group.kind === 'classic') this.#membership.sync(group.classic, request, answer)
      else answer(group.consumer.classicMembers.sync(request))
    })
  }

  heartbeat(request: HeartbeatRequest): number {
    const group = this.#core.groups.get(request.groupId)
    if (group === undefined) return errorCodes.UNKNOWN_MEMBER_ID
    if (group.kind === 'classic') return this.#membership.heartbeat(group.classic, request)
    return group.consumer.classicMembers.heartbeat(request)
  }

  async leave(groupId: string, members: readonly MemberIdentity[]): Promise<readonly Input<MemberResponse>[]> {
    const group = this.#core.groups.get(groupId)
    if (group?.kind === 'classic') {
      return this.#core.writer.whenDurable(groupId, this.#membership.leave(group.classic, members))
    }
    const none = members.map(() => errorCodes.UNKNOWN_MEMBER_ID)
    const codes: readonly number[] = group === undefined ? none : await group.consumer.remove(members)
    return members.map(({ memberId, groupInstanceId }, i) => ({
      memberId,
      groupInstanceId,
      errorCode: codes[i] ?? errorCodes.UNKNOWN_MEMBER_ID,
    }))
  }

  /** Puts a member out as if its session had ended; without an id, all of them. Whether there was anybody. */
  expireSession(group: ClassicGroup, memberId?: string): boolean {
    const expired = [...group.members.values()].filter(({ id }) => memberId === undefined || id === memberId)
    for (const member of expired) {
      // The end of one session can put others out too.
      if (group.members.has(member.id)) this.rebalance.putOut(group, member)
    }
    return expired.length > 0
  }

  forceRebalance(group: ClassicGroup): boolean {
    if (group.state !== 'Stable' && group.state !== 'CompletingRebalance') return false
    this.rebalance.prepare(group)
    return true
  }

  /** The group to join, made if it must be; or why there is none. */
  #groupToJoin(groupId: string, memberId: string): ClassicGroup | ConsumerGroup | number {
    const found = this.#core.groups.get(groupId)
    if (found?.kind === 'classic') return found.classic
    if (found !== undefined && !found.consumer.isEmpty) return found.consumer
    if (memberId !== '') return errorCodes.UNKNOWN_MEMBER_ID
    if (found === undefined && !hasRoomForGroup(this.#core)) return errorCodes.POLICY_VIOLATION
    const before = found?.consumer.tombstones() ?? []
    found?.consumer.close()
    const group = createClassic(this.#core, groupId)
    this.#write(groupId, [...before, storedRecord(group)])
    return group
  }

  #store(group: ClassicGroup): boolean {
    const record = storedRecord(group)
    if (!this.#core.writer.fits([record])) return false
    this.#write(group.id, [record])
    return true
  }

  /** Whoever is answered waits for this, and hears of a failure; nobody else needs to. */
  #write(groupId: string, records: readonly StateRecord[]): void {
    void this.#core.writer.write(groupId, records)
  }
}

function areNamesShort(
  { groupInstanceId, protocolType, protocols }: JoinGroupRequest,
  context: RequestContext,
): boolean {
  const names = [groupInstanceId ?? '', protocolType, context.clientId ?? '', ...protocols.map(({ name }) => name)]
  return names.every((name) => Buffer.byteLength(name) <= nameBytesMax)
}

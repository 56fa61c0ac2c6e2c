/**
 * The rebalance itself: who waits for whom, and what happens to those who do not come.
 *
 * Every change is made to memory and handed to the state log in one step. The answers that it sets free leave when the log
 * has it (whoever gave the answer functions sees to that).
 */
import { errorCodes } from '../../../protocol/errors.ts'
import type { BrokerClock } from '../../clock.ts'
import type { GroupOptions } from '../options.ts'
import { answerSync, joined, notJoined, notSynced, synced } from './answers.ts'
import type { ClassicGroup, FirstWait } from './group.ts'
import { type ClassicMember, isExcused, noAssignment } from './member.ts'

/** Hands the group to the state log. False: it is too large for that. */
export type StoreGroup = (group: ClassicGroup) => boolean

export class Rebalance {
  readonly #clock: BrokerClock
  readonly #options: GroupOptions
  readonly #store: StoreGroup

  constructor(clock: BrokerClock, options: GroupOptions, store: StoreGroup) {
    this.#clock = clock
    this.#options = options
    this.#store = store
  }

  /** The session begins anew. */
  keepAlive(group: ClassicGroup, member: ClassicMember, forMs: number = member.sessionTimeoutMs): void {
    member.cancelSession?.()
    member.cancelSession = this.#clock.timer(forMs, () => {
      member.cancelSession = null
      if (!isExcused(member)) this.putOut(group, member)
    })
  }

  /** A silent member: the group goes on without it, and a first rebalance does not wait any longer if all others came. */
  putOut(group: ClassicGroup, member: ClassicMember): void {
    this.remove(group, member)
    if (group.state === 'PreparingRebalance') this.#completeIfAllJoined(group)
    else this.prepare(group)
  }

  /** Takes the member out and tells its waiting join so. Its waiting sync, as in Kafka, is never answered. */
  remove(group: ClassicGroup, member: ClassicMember): void {
    group.answerJoin(member, notJoined(errorCodes.UNKNOWN_MEMBER_ID, ''))
    this.#drop(group, member)
  }

  giveOut(group: ClassicGroup, memberId: string, forMs: number): void {
    const expire = (): void => {
      group.pendingJoins.delete(memberId)
      if (group.state === 'PreparingRebalance') this.#completeIfAllJoined(group)
    }
    group.pendingJoins.set(memberId, this.#clock.timer(forMs, expire))
  }

  forgetGivenOut(group: ClassicGroup, memberId: string): void {
    group.pendingJoins.get(memberId)?.()
    group.pendingJoins.delete(memberId)
  }

  /** Somebody joined, left or changed: start a rebalance, or see whether the one that runs can complete. */
  membershipChanged(group: ClassicGroup): void {
    if (group.state !== 'PreparingRebalance') this.prepare(group)
    else if (group.joinWait?.kind !== 'first') this.#completeIfAllJoined(group)
  }

  prepare(group: ClassicGroup): void {
    if (group.state === 'CompletingRebalance') this.#takeBack(group, errorCodes.REBALANCE_IN_PROGRESS)
    this.#endSyncWait(group)
    const first = group.state === 'Empty'
    group.move('rebalance', this.#clock.now())
    if (first) this.#awaitFirst(group)
    else if (group.allJoined()) this.#completeJoin(group)
    else this.#awaitJoins(group)
  }

  /** The leader has assigned; who is not named gets nothing. */
  assign(group: ClassicGroup, assignments: ReadonlyMap<string, Buffer>): void {
    for (const member of group.members.values()) {
      const assignment = assignments.get(member.id)
      member.assignment = assignment === undefined ? noAssignment : Buffer.from(assignment)
    }
    if (!this.#store(group)) {
      this.#takeBack(group, errorCodes.UNKNOWN_SERVER_ERROR)
      this.prepare(group)
      return
    }
    group.move('assigned', this.#clock.now())
    for (const member of group.members.values()) {
      if (member.awaitingSync === null) continue
      // While it waited its session may have run out unheeded.
      this.keepAlive(group, member)
      answerSync(member, synced(group, member))
    }
  }

  gotSync(group: ClassicGroup, member: ClassicMember): void {
    group.pendingSyncs.delete(member.id)
    if (group.pendingSyncs.size === 0) this.#endSyncWait(group)
  }

  /** A group that was just read from the log. Everybody gets a whole session. */
  loaded(group: ClassicGroup): void {
    for (const member of group.members.values()) this.keepAlive(group, member)
    // The limit was lowered: those who join first may stay.
    if (group.members.size > this.#options.groupMaxSize) this.prepare(group)
  }

  /** Everybody who waits is sent back to join again. */
  interrupt(group: ClassicGroup): void {
    for (const member of group.members.values()) {
      group.answerJoin(member, notJoined(errorCodes.REBALANCE_IN_PROGRESS, member.id))
      answerSync(member, notSynced(errorCodes.REBALANCE_IN_PROGRESS))
    }
  }

  /** The group is gone from here: everybody who waits is told why, and no timer of it is left. */
  unload(group: ClassicGroup, errorCode: number): void {
    for (const member of group.members.values()) {
      member.cancelSession?.()
      group.answerJoin(member, notJoined(errorCode, member.id))
      answerSync(member, notSynced(errorCode))
    }
    for (const memberId of [...group.pendingJoins.keys()]) this.forgetGivenOut(group, memberId)
    this.#endJoinWait(group)
    this.#endSyncWait(group)
    group.move('removed', this.#clock.now())
  }

  #drop(group: ClassicGroup, member: ClassicMember): void {
    member.cancelSession?.()
    group.remove(member)
  }

  /** What the leader has assigned, or was about to, no longer counts. */
  #takeBack(group: ClassicGroup, errorCode: number): void {
    for (const member of group.members.values()) {
      member.assignment = noAssignment
      if (member.awaitingSync !== null) this.keepAlive(group, member)
      answerSync(member, notSynced(errorCode))
    }
  }

  #awaitFirst(group: ClassicGroup): void {
    const delayMs = this.#options.groupInitialRebalanceDelayMs
    if (delayMs <= 0) {
      // Without a delay the first member does not wait for ids that were given out to others.
      this.#completeJoin(group)
      return
    }
    const wait: FirstWait = {
      kind: 'first',
      remainingMs: Math.max(group.rebalanceTimeoutMs() - delayMs, 0),
      memberAdded: false,
      cancel: this.#clock.timer(delayMs, () => this.#firstWaitOver(group, wait, delayMs)),
    }
    group.joinWait = wait
  }

  /** As long as members keep coming the first rebalance waits on, but no longer than the rebalance timeout in all. */
  #firstWaitOver(group: ClassicGroup, wait: FirstWait, delayMs: number): void {
    if (!wait.memberAdded || wait.remainingMs === 0) {
      this.#completeJoin(group)
      return
    }
    const nextMs = Math.min(this.#options.groupInitialRebalanceDelayMs, wait.remainingMs)
    wait.memberAdded = false
    wait.remainingMs = Math.max(wait.remainingMs - delayMs, 0)
    wait.cancel = this.#clock.timer(nextMs, () => this.#firstWaitOver(group, wait, nextMs))
  }

  #awaitJoins(group: ClassicGroup): void {
    this.#endJoinWait(group)
    const cancel = this.#clock.timer(group.rebalanceTimeoutMs(), () => this.#completeJoin(group))
    group.joinWait = { kind: 'again', cancel }
  }

  #endJoinWait(group: ClassicGroup): void {
    group.joinWait?.cancel()
    group.joinWait = null
  }

  #endSyncWait(group: ClassicGroup): void {
    group.pendingSyncs.clear()
    group.cancelSyncWait?.()
    group.cancelSyncWait = null
  }

  #completeIfAllJoined(group: ClassicGroup): void {
    if (group.allJoined()) this.#completeJoin(group)
  }

  /** Static members that did not come may stay; dynamic ones are out. */
  #completeJoin(group: ClassicGroup): void {
    this.#endJoinWait(group)
    for (const member of [...group.members.values()]) {
      if (member.awaitingJoin === null && member.groupInstanceId === null) this.#drop(group, member)
    }
    const present = [...group.members.values()].filter(({ awaitingJoin }) => awaitingJoin !== null)
    if (group.members.size > 0 && present.length === 0) {
      // Only static members are left, and none of them came: wait for one, or for the end of their sessions.
      this.#awaitJoins(group)
      return
    }
    if (!present.some(({ id }) => id === group.leader)) group.leader = present[0]?.id ?? null
    group.generationId++
    group.pendingSyncs.clear()
    if (group.members.size === 0) this.#becomeEmpty(group)
    else this.#beginGeneration(group)
  }

  #becomeEmpty(group: ClassicGroup): void {
    group.protocolName = null
    group.refreshSubscribedTopics()
    group.move('emptied', this.#clock.now())
    this.#store(group)
  }

  #beginGeneration(group: ClassicGroup): void {
    group.protocolName = group.selectProtocol()
    group.refreshSubscribedTopics()
    group.move('joined', this.#clock.now())
    for (const member of group.members.values()) {
      member.isNew = false
      group.pendingSyncs.add(member.id)
      this.keepAlive(group, member)
    }
    group.cancelSyncWait = this.#clock.timer(group.rebalanceTimeoutMs(), () => this.#putOutUnsynced(group))
    for (const member of group.members.values()) group.answerJoin(member, joined(group, member))
  }

  #putOutUnsynced(group: ClassicGroup): void {
    group.cancelSyncWait = null
    if (group.pendingSyncs.size === 0) return
    for (const memberId of [...group.pendingSyncs]) {
      const member = group.members.get(memberId)
      if (member !== undefined) this.#drop(group, member)
    }
    this.prepare(group)
  }
}

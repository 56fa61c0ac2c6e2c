/** The rebalance itself: who waits for whom, and what happens to those who do not come. */
import type { Timers } from '../timers.ts'
import type { Group, Member, StoredGroup } from './group.ts'
import { answerJoin, answerSync, joined, notJoined, notSynced, synced } from './replies.ts'

export class Rebalance {
  readonly #timers: Timers

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** The session begins anew. A member that waits for others to join or assign is alive, whatever the clock says. */
  keepAlive(nowMs: number, group: Group, member: Member, forMs: number = member.sessionTimeoutMs): void {
    this.#timers.cancel(member.session)
    member.session = this.#timers.set(nowMs + forMs, (at) => {
      member.session = null
      if (!member.isNew && (member.answerJoin !== null || member.answerSync !== null)) return
      this.putOut(at, group, member)
    })
  }

  putOut(nowMs: number, group: Group, member: Member): void {
    this.remove(group, member)
    this.membershipChanged(nowMs, group)
  }

  /** Takes the member out and tells its waiting join so. Its waiting sync, as in Kafka, is never answered. */
  remove(group: Group, member: Member): void {
    answerJoin(member, notJoined('UNKNOWN_MEMBER_ID', ''))
    this.#drop(group, member)
  }

  forgetPending(group: Group, memberId: string): void {
    this.#timers.cancel(group.pendingJoin.get(memberId) ?? null)
    group.pendingJoin.delete(memberId)
  }

  expirePending(nowMs: number, group: Group, memberId: string): void {
    this.forgetPending(group, memberId)
    if (group.state === 'PreparingRebalance' && group.allJoined()) this.#completeJoin(nowMs, group)
  }

  /** Somebody joined, left or changed: start a rebalance, or see whether the one that runs can complete. */
  membershipChanged(nowMs: number, group: Group): void {
    if (group.state !== 'PreparingRebalance') this.prepare(nowMs, group)
    else if (group.allJoined()) this.#completeJoin(nowMs, group)
  }

  prepare(nowMs: number, group: Group): void {
    const first = group.state === 'Empty'
    if (group.state === 'CompletingRebalance') {
      for (const member of group.members.values()) {
        member.assignment = null
        if (member.answerSync !== null) this.keepAlive(nowMs, group, member)
        answerSync(member, notSynced('REBALANCE_IN_PROGRESS'))
      }
    }
    group.pendingSync.clear()
    this.#cancelSync(group)
    group.state = 'PreparingRebalance'
    // With no initial delay the first member does not wait for ids that were given out to others.
    if (first || group.allJoined()) this.#completeJoin(nowMs, group)
    else this.#awaitJoins(nowMs, group)
  }

  /** The leader has assigned. */
  stabilize(nowMs: number, group: Group, assignments: ReadonlyMap<string, unknown>): void {
    for (const member of group.members.values()) member.assignment = assignments.get(member.id) ?? null
    group.state = 'Stable'
    group.stored = storedForm(group)
    for (const member of group.members.values()) {
      if (member.answerSync === null) continue
      this.keepAlive(nowMs, group, member)
      answerSync(member, synced(group, member))
    }
  }

  gotSync(group: Group, member: Member): void {
    group.pendingSync.delete(member.id)
    if (group.pendingSync.size === 0) this.#cancelSync(group)
  }

  /** The coordinator goes: everybody who waits is told, and only what was stored remains. */
  unload(group: Group): void {
    for (const member of group.members.values()) {
      this.#timers.cancel(member.session)
      if (group.state === 'PreparingRebalance') answerJoin(member, notJoined('NOT_COORDINATOR', member.id))
      answerSync(member, notSynced('NOT_COORDINATOR'))
    }
    for (const timer of group.pendingJoin.values()) this.#timers.cancel(timer)
    this.#timers.cancel(group.joinTimer)
    this.#cancelSync(group)
  }

  #drop(group: Group, member: Member): void {
    this.#timers.cancel(member.session)
    group.members.delete(member.id)
    group.pendingSync.delete(member.id)
    if (group.leader === member.id) group.leader = group.members.keys().next().value ?? null
  }

  #awaitJoins(nowMs: number, group: Group): void {
    this.#timers.cancel(group.joinTimer)
    group.joinTimer = this.#timers.set(nowMs + group.rebalanceTimeoutMs(), (at) => this.#completeJoin(at, group))
  }

  #cancelSync(group: Group): void {
    this.#timers.cancel(group.syncTimer)
    group.syncTimer = null
  }

  /** Static members that did not come may stay; dynamic ones are out. */
  #completeJoin(nowMs: number, group: Group): void {
    this.#timers.cancel(group.joinTimer)
    group.joinTimer = null
    for (const member of [...group.members.values()]) {
      if (member.answerJoin === null && member.groupInstanceId === null) this.#drop(group, member)
    }
    const present = [...group.members.values()].filter(({ answerJoin }) => answerJoin !== null)
    if (group.members.size > 0 && present.length === 0) {
      this.#awaitJoins(nowMs, group)
      return
    }
    if (!present.some(({ id }) => id === group.leader)) group.leader = present[0]?.id ?? null
    group.generationId++
    group.pendingSync.clear()
    if (group.members.size === 0) {
      group.state = 'Empty'
      group.protocolName = null
      group.stored = storedForm(group)
      return
    }
    group.state = 'CompletingRebalance'
    group.protocolName = group.selectProtocol()
    for (const member of group.members.values()) {
      member.isNew = false
      group.pendingSync.add(member.id)
      this.keepAlive(nowMs, group, member)
    }
    group.syncTimer = this.#timers.set(nowMs + group.rebalanceTimeoutMs(), (at) => this.#putOutUnsynced(at, group))
    for (const member of group.members.values()) answerJoin(member, joined(group, member))
  }

  #putOutUnsynced(nowMs: number, group: Group): void {
    group.syncTimer = null
    for (const memberId of [...group.pendingSync]) {
      const member = group.members.get(memberId)
      if (member !== undefined) this.#drop(group, member)
    }
    this.prepare(nowMs, group)
  }
}

export function storedForm(group: Group): StoredGroup {
  const { generationId, protocolType, protocolName, leader } = group
  const members = [...group.members.values()].map((member) => ({
    id: member.id,
    groupInstanceId: member.groupInstanceId,
    sessionTimeoutMs: member.sessionTimeoutMs,
    rebalanceTimeoutMs: member.rebalanceTimeoutMs,
    protocols: member.protocols.filter(({ name }) => name === protocolName),
    assignment: member.assignment,
  }))
  return { generationId, protocolType, protocolName, leader, members }
}

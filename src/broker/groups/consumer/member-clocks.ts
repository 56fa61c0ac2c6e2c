/**
 * How long members of a group may take for what they have to do. Who is late is put out of the group.
 *
 * Members of both protocols have a session. One of the consumer protocol also has a time for giving up partitions; one of the
 * classic protocol a time for joining again when it is told to, and then one for asking for its assignment.
 */
import type { BrokerClock } from '../../clock.ts'
import type { GroupState } from './group-state.ts'
import type { Member } from './member.ts'
import type { ConsumerGroupOptions } from './options.ts'
import { MemberTimers } from './timers.ts'

export class MemberClocks {
  readonly #state: GroupState
  readonly #options: ConsumerGroupOptions
  readonly #putOut: (memberId: string) => void
  readonly #sessions: MemberTimers
  readonly #revocations: MemberTimers
  readonly #joins: MemberTimers
  readonly #syncs: MemberTimers

  constructor(
    state: GroupState,
    { clock, options }: { readonly clock: BrokerClock; readonly options: ConsumerGroupOptions },
    putOut: (memberId: string) => void,
  ) {
    this.#state = state
    this.#options = options
    this.#putOut = putOut
    this.#sessions = new MemberTimers(clock)
    this.#revocations = new MemberTimers(clock)
    this.#joins = new MemberTimers(clock)
    this.#syncs = new MemberTimers(clock)
  }

  /** It was heard of. */
  startSession({ memberId, classic }: Member): void {
    const sessionTimeoutMs = classic?.sessionTimeoutMs ?? this.#options.sessionTimeoutMs
    this.#sessions.set(memberId, sessionTimeoutMs, () => this.#putOut(memberId))
  }

  /**
   * After a step towards its target: a member that was asked to give up partitions has its rebalance time-out for it, from
   * the moment it was asked.
   */
  stepped({ memberId, epoch, state, rebalanceTimeoutMs }: Member): void {
    if (state !== 'unrevoked') return this.#revocations.cancel(memberId)
    this.#revocations.set(memberId, positive(rebalanceTimeoutMs), () => {
      if (this.#state.members.get(memberId)?.epoch === epoch) this.#putOut(memberId)
    })
  }

  /** It was told to join again, now or before. */
  expectJoin({ memberId, rebalanceTimeoutMs }: Member): void {
    this.#joins.setIfAbsent(memberId, positive(rebalanceTimeoutMs), () => this.#putOut(memberId))
  }

  /** It has joined: next it must ask for its assignment. */
  joined(member: Member): void {
    const { memberId, rebalanceTimeoutMs } = member
    this.#joins.cancel(memberId)
    this.#syncs.set(memberId, positive(rebalanceTimeoutMs), () => this.#putOut(memberId))
    this.startSession(member)
  }

  synced(member: Member): void {
    this.#syncs.cancel(member.memberId)
    this.startSession(member)
  }

  stop(memberId: string): void {
    for (const timers of this.#all) timers.cancel(memberId)
  }

  stopAll(): void {
    for (const timers of this.#all) timers.cancelAll()
  }

  get #all(): readonly MemberTimers[] {
    return [this.#sessions, this.#revocations, this.#joins, this.#syncs]
  }
}

/** Clients may say anything. */
function positive(ms: number): number {
  return Math.max(0, ms)
}

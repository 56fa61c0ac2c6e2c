/**
 * What moves a consumer group forward: members come, change and go, the epoch of the group rises, a new target is computed,
 * and a member takes its next step towards it. Everything here writes to the journal and nothing waits.
 */
import type { BrokerClock } from '../../clock.ts'
import type { TopicsView } from '../ports.ts'
import { type Change, memberTombstones, type ResolvedRegex } from './changes.ts'
import type { Founders } from './founders.ts'
import type { GroupState } from './group-state.ts'
import type { Journal } from './journal.ts'
import {
  type Member,
  type Progress,
  progressOf,
  sameNames,
  sameProgress,
  sameSubscription,
  subscriptionOf,
} from './member.ts'
import type { ConsumerGroupOptions } from './options.ts'
import { samePartitions, type TopicPartitions } from './partitions.ts'
import { reconcile } from './reconcile.ts'
import { computeTargets, metadataHash, preferredAssignor } from './subscriptions.ts'

/** The topics are looked at again after this time even if nobody said that they changed. */
const metadataMaxAgeMs = 2 ** 31 - 1

export class Rebalancing {
  readonly #state: GroupState
  readonly #journal: Journal
  readonly #topics: TopicsView
  readonly #clock: BrokerClock
  readonly #options: ConsumerGroupOptions
  #metadataExpiresMs = 0

  constructor(
    state: GroupState,
    journal: Journal,
    { topics, clock, options }: { topics: TopicsView; clock: BrokerClock; options: ConsumerGroupOptions },
  ) {
    this.#state = state
    this.#journal = journal
    this.#topics = topics
    this.#clock = clock
    this.#options = options
  }

  topicsChanged(): void {
    this.#metadataExpiresMs = 0
  }

  /** The group begins with members that it had as a classic group: their assignment is its first target. */
  found({ epoch, members }: Founders): void {
    const each = (change: (member: Member) => Change): void => this.#journal.write(...members.map(change))
    each((member) => ({ kind: 'member', memberId: member.memberId, value: subscriptionOf(member) }))
    const hash = metadataHash(this.#state, this.#topics)
    this.#journal.write({ kind: 'group', value: { epoch, metadataHash: hash } })
    each(({ memberId, assigned }) => ({ kind: 'target-member', memberId, value: assigned }))
    this.#journal.write({ kind: 'target-epoch', value: epoch })
    each((member) => ({ kind: 'progress', memberId: member.memberId, value: progressOf(member) }))
  }

  /** A static member is back, under a new member id or its old one: it takes over everything, so no partition moves. */
  replace(old: Member, member: Member): void {
    const { memberId } = member
    const target = this.#state.target(old.memberId)
    this.#journal.write(
      ...memberTombstones(old.memberId),
      { kind: 'member', memberId, value: subscriptionOf(member) },
      { kind: 'target-member', memberId, value: target },
      { kind: 'progress', memberId, value: progressOf(member) },
    )
  }

  /** Whether the subscription that the member has now asks for a new target. */
  subscribe(member: Member, updated: Member): boolean {
    const { memberId, topicRegex } = updated
    let needsTarget = this.#state.epoch === 0
    if (!sameSubscription(member, updated)) {
      this.#journal.write({ kind: 'member', memberId, value: subscriptionOf(updated) })
      if (!sameNames(member.topicNames, updated.topicNames)) needsTarget = true
    }
    if (member.topicRegex !== topicRegex) {
      this.#forgetRegexes([member.topicRegex])
      // An expression that is new to the group raises the epoch once its topics have been looked up.
      if (this.#state.resolvedRegexes.has(topicRegex)) needsTarget = true
    }
    return needsTarget
  }

  /** The topics of the regular expressions have been looked up. */
  resolve(resolved: ReadonlyMap<string, ResolvedRegex>): void {
    let needsTarget = false
    for (const [regex, value] of resolved) {
      if (!this.#state.regexSubscribers.has(regex)) continue
      const before = this.#state.resolvedRegexes.get(regex)?.topics ?? new Set()
      if (!sameNames(before, value.topics)) needsTarget = true
      this.#journal.write({ kind: 'regex', regex, value })
    }
    this.topicsChanged()
    this.raiseEpoch(needsTarget)
  }

  putOut(members: ReadonlySet<Member>): void {
    if (members.size === 0) return
    for (const { memberId } of members) this.#journal.write(...memberTombstones(memberId))
    this.#forgetRegexes([...members].map((member) => member.topicRegex))
    this.raiseEpoch(true)
  }

  /** A new epoch of the group, if one is needed or if its topics are not what they were. */
  raiseEpoch(needsTarget: boolean): void {
    const nowMs = this.#clock.now()
    if (!needsTarget && nowMs < this.#metadataExpiresMs) return
    const hash = metadataHash(this.#state, this.#topics)
    this.#metadataExpiresMs = nowMs + metadataMaxAgeMs
    if (!needsTarget && hash === this.#state.metadataHash) return
    this.#journal.write({ kind: 'group', value: { epoch: this.#state.epoch + 1, metadataHash: hash } })
  }

  /** A new target, if the epoch of the group has risen since the last one. */
  assign(): void {
    const { epoch, assignmentEpoch, targets } = this.#state
    if (epoch <= assignmentEpoch) return
    const assignor = preferredAssignor(this.#state, this.#options.assignors)
    for (const [memberId, value] of computeTargets(this.#state, this.#topics, assignor)) {
      const before = targets.get(memberId)
      if (before !== undefined && samePartitions(before, value)) continue
      this.#journal.write({ kind: 'target-member', memberId, value })
    }
    this.#journal.write({ kind: 'target-epoch', value: epoch })
  }

  /** The member after its next step; the same object if there was none. */
  reconcile(member: Member, owned: readonly TopicPartitions[] | null): Member {
    const { memberId } = member
    const value = this.nextStep(member, memberId, owned)
    if (sameProgress(member, value)) return member
    this.#journal.write({ kind: 'progress', memberId, value })
    return { ...member, ...value }
  }

  /** What that step would be, towards the target of `targetOf`. Writes nothing. */
  nextStep(member: Member, targetOf: string, owned: readonly TopicPartitions[] | null): Progress {
    const target = { epoch: this.#state.assignmentEpoch, partitions: this.#state.target(targetOf) }
    return reconcile(progressOf(member), target, owned, (topicId, partition) => this.#state.isOwned(topicId, partition))
  }

  #forgetRegexes(regexes: readonly string[]): void {
    for (const regex of regexes) {
      if (this.#state.regexSubscribers.has(regex) || !this.#state.resolvedRegexes.has(regex)) continue
      this.#journal.write({ kind: 'regex', regex, value: null })
    }
  }
}

/**
 * The state of one consumer group in memory. Everything durable changes through `apply`, whether a heartbeat, a timer or a
 * replayed record asks for it.
 *
 * Always holds: `owners` names the member that holds a partition, be it assigned or still to be let go; `staticMembers`
 * names the one member of an instance id; `regexSubscribers` counts the members of each regular expression.
 */
import type { Uuid } from '../../../protocol/types.ts'
import type { Change, ResolvedRegex } from './changes.ts'
import { isReconciledTo, leftProgress, type Member, newMember } from './member.ts'
import { noPartitions, type Partitions } from './partitions.ts'

/** As ConsumerGroupDescribe and ListGroups spell them. */
export type ConsumerGroupStateName = 'Empty' | 'Assigning' | 'Reconciling' | 'Stable'

export class GroupState {
  epoch = 0
  assignmentEpoch = 0
  metadataHash = 0n
  readonly members: Map<string, Member> = new Map()
  readonly staticMembers: Map<string, string> = new Map()
  readonly targets: Map<string, Partitions> = new Map()
  readonly resolvedRegexes: Map<string, ResolvedRegex> = new Map()
  readonly regexSubscribers: Map<string, number> = new Map()
  readonly #owners: Map<Uuid, Map<number, string>> = new Map()

  apply(change: Change): void {
    switch (change.kind) {
      case 'group':
        this.epoch = change.value?.epoch ?? 0
        this.metadataHash = change.value?.metadataHash ?? 0n
        return
      case 'target-epoch':
        this.assignmentEpoch = change.value ?? 0
        return
      case 'target-member':
        if (change.value === null) this.targets.delete(change.memberId)
        else this.targets.set(change.memberId, change.value)
        return
      case 'regex':
        if (change.value === null) this.resolvedRegexes.delete(change.regex)
        else this.resolvedRegexes.set(change.regex, change.value)
        return
      case 'member':
        this.#put(change.memberId, (member) => (change.value === null ? undefined : { ...member, ...change.value }))
        return
      case 'progress':
        if (change.value === null && !this.members.has(change.memberId)) return
        this.#put(change.memberId, (member) => ({ ...member, ...(change.value ?? leftProgress) }))
        return
    }
  }

  get name(): ConsumerGroupStateName {
    if (this.members.size === 0) return 'Empty'
    if (this.epoch > this.assignmentEpoch) return 'Assigning'
    for (const member of this.members.values()) {
      if (!isReconciledTo(member, this.assignmentEpoch)) return 'Reconciling'
    }
    return 'Stable'
  }

  /** Whether anything of the group was written and not taken back. In a compacted log any record may be the first. */
  get exists(): boolean {
    const { epoch, assignmentEpoch, members, targets, resolvedRegexes } = this
    return epoch > 0 || assignmentEpoch > 0 || members.size + targets.size + resolvedRegexes.size > 0
  }

  staticMember(instanceId: string): Member | undefined {
    const memberId = this.staticMembers.get(instanceId)
    return memberId === undefined ? undefined : this.members.get(memberId)
  }

  target(memberId: string): Partitions {
    return this.targets.get(memberId) ?? noPartitions
  }

  isOwned(topicId: Uuid, partition: number): boolean {
    return this.#owners.get(topicId)?.has(partition) ?? false
  }

  #put(memberId: string, change: (member: Member) => Member | undefined): void {
    const before = this.members.get(memberId)
    const after = change(before ?? newMember(memberId))
    if (before !== undefined) this.#forget(before)
    if (after === undefined) {
      this.members.delete(memberId)
      return
    }
    this.members.set(memberId, after)
    if (after.instanceId !== null) this.staticMembers.set(after.instanceId, memberId)
    if (after.topicRegex !== '') this.#countRegex(after.topicRegex, 1)
    for (const set of [after.assigned, after.pendingRevocation]) this.#own(set, memberId)
  }

  #forget(member: Member): void {
    const { instanceId, memberId, topicRegex } = member
    if (instanceId !== null && this.staticMembers.get(instanceId) === memberId) this.staticMembers.delete(instanceId)
    if (topicRegex !== '') this.#countRegex(topicRegex, -1)
    for (const set of [member.assigned, member.pendingRevocation]) this.#disown(set, memberId)
  }

  #countRegex(regex: string, by: number): void {
    const count = (this.regexSubscribers.get(regex) ?? 0) + by
    if (count > 0) this.regexSubscribers.set(regex, count)
    else this.regexSubscribers.delete(regex)
  }

  #own(set: Partitions, memberId: string): void {
    for (const [topicId, partitions] of set) {
      let owners = this.#owners.get(topicId)
      if (owners === undefined) {
        owners = new Map()
        this.#owners.set(topicId, owners)
      }
      for (const partition of partitions) owners.set(partition, memberId)
    }
  }

  #disown(set: Partitions, memberId: string): void {
    for (const [topicId, partitions] of set) {
      const owners = this.#owners.get(topicId)
      if (owners === undefined) continue
      for (const partition of partitions) if (owners.get(partition) === memberId) owners.delete(partition)
      if (owners.size === 0) this.#owners.delete(topicId)
    }
  }
}

/**
 * Our place in the group, by the consumer protocol (KIP-848): the broker assigns, and tells with the answers to heartbeats what
 * to give up and what to take. There are no rounds that everybody waits for.
 *
 * Always holds:
 * - A partition is given up (drained, committed) before a heartbeat leaves it out: only then the broker gives it to others.
 * - A partition is taken only after a heartbeat that lists it was answered. Without this: the broker assigns P, a heartbeat
 *   without P is under way, the broker changes its mind and reads in it that we do not have P, gives P to another member, and
 *   we take P nevertheless.
 * - A stay is one membership, from its join to its loss. When it ends, everything that was ours is lost at once, and nothing
 *   of it is committed any more, whatever answers still come in.
 */
import { Backoff, type BackoffOptions } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Metadata } from '../../../../cluster/metadata.ts'
import { Signal } from '../../../../cluster/signal.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import { errorCodes } from '../../../../protocol/errors.ts'
import type { ConsumerGroupHeartbeatResponse } from '../../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { MakeHeartbeater } from '../heartbeater.ts'
import type { Holdings } from '../holdings.ts'
import type { MemberName, Membership } from '../membership.ts'
import type { Topics } from '../topics.ts'
import { Beats, type BeatsListener, type Saying } from './beats.ts'
import { Door } from './door.ts'
import { type ConsumerOptions, joinEpoch } from './requests.ts'
import { type AssignedPartition, Listing, nameOnly, Target, TopicIds } from './target.ts'
import { errorOf, verdictOn } from './verdict.ts'

export interface ConsumerParts {
  readonly wire: Wire
  readonly coordinator: Coordinator
  readonly metadata: Metadata
  readonly topics: Topics
  readonly holdings: Holdings
  readonly options: ConsumerOptions & { readonly heartbeatMs: number; readonly backoff: BackoffOptions }
  readonly makeHeartbeater: MakeHeartbeater
  readonly failed: (error: unknown) => void
  /** It goes on, but somebody should know why it does not get further. Once per try. */
  readonly trouble?: (error: unknown) => void
}

interface Stay {
  readonly memberId: string
  epoch: number
  everyMs: number
  /** Counts what the broker has changed: more may follow, as others give up what we are to have. */
  round: number
  topics: readonly string[]
  target: Target | null
  /** The target that we have come to. */
  reached: Target | null
  listing: Listing
  readonly ids: TopicIds
  readonly ended: PromiseWithResolvers<void>
}

interface StaySaying extends Saying {
  readonly stay: Stay
}

export class ConsumerMembership implements Membership, BeatsListener<StaySaying> {
  readonly #parts: ConsumerParts
  readonly #door: Door
  readonly #beats: Beats<StaySaying>
  readonly #backoff: Backoff
  readonly #changed: Signal = new Signal()
  /** Counts what the loop has to look at: a signal that nobody waits for is not remembered. */
  #changes = 0
  #stay: Stay
  #isOver = false
  #rounds = 0
  /** Not the first try to join: with a pause before it. */
  #isAgain = false
  #leaving: Promise<void> = Promise.resolve()

  constructor(parts: ConsumerParts) {
    const { wire, coordinator, options, makeHeartbeater } = parts
    this.#parts = parts
    this.#door = new Door(wire, coordinator, options)
    this.#beats = new Beats(wire, coordinator, options, this, makeHeartbeater)
    this.#backoff = new Backoff(wire.clock, options.backoff)
    this.#stay = this.#newStay(this.#door.newMemberId())
  }

  start(): void {
    const onError = (error: unknown): void => this.failed(error)
    const subscribeAgain = (): void => {
      this.#subscribeAgain().catch(onError)
    }
    this.#parts.topics.watch(subscribeAgain, onError)
    this.#run().catch(onError)
  }

  memberName(): MemberName | null {
    const { memberId, epoch } = this.#stay
    if (this.#isOver || epoch <= joinEpoch) return null
    return { memberId, generationId: epoch, groupInstanceId: this.#parts.options.instanceId }
  }

  refused(name: MemberName, code: number): void {
    const { memberId, epoch } = this.#stay
    if (this.#isOver || name.memberId !== memberId || name.generationId !== epoch) return
    const verdict = verdictOn(code, false)
    if (verdict === 'fenced' || verdict === 'unknown') this.#lose(verdict)
    else if (code === errorCodes.FENCED_INSTANCE_ID) this.failed(errorOf(code, this.#parts.options.group, null))
    // There is a new epoch: the sooner we hear of it, the sooner the commit can be sent again.
    else if (code === errorCodes.STALE_MEMBER_EPOCH || code === errorCodes.ILLEGAL_GENERATION) this.#beats.ask()
  }

  rejoin(): void {
    if (this.#isOver) return
    this.#leave(this.#stay.memberId)
    // Under a new name, so that nothing that was sent under the old one can count.
    this.#end(this.#newStay(this.#door.newMemberId()))
  }

  async close(leave: boolean): Promise<void> {
    const { memberId } = this.#stay
    const isStatic = this.#parts.options.instanceId !== null
    this.#stop()
    try {
      if (leave || isStatic) await this.#door.leave(memberId, leave)
    } catch (error) {
      // Without a goodbye the group notices when the session ends.
      this.#parts.trouble?.(error)
    }
    await this.#beats.close()
  }

  heard({ stay, listing, memberEpoch }: StaySaying, answer: ConsumerGroupHeartbeatResponse): void {
    if (!this.#isCurrent(stay)) return
    const { errorCode, errorMessage } = answer
    const verdict = verdictOn(errorCode, false)
    // Said in an epoch before the one that we have by now: the next heartbeat tells whether we are out.
    if (verdict === 'fenced' && memberEpoch < stay.epoch) return
    if (verdict === 'fenced' || verdict === 'unknown') this.#lose(verdict)
    else if (verdict === 'failed') this.failed(errorOf(errorCode, this.#parts.options.group, errorMessage))
    else if (verdict === 'fine' && answer.memberEpoch >= stay.epoch) {
      listing.isConfirmed = true
      this.#backoff.reset()
      this.#learn(stay, answer)
    }
  }

  /** The event loop stood still so long that the heartbeats have left the group in our name. */
  overdue({ stay }: StaySaying): void {
    if (this.#isCurrent(stay)) this.#lose('fenced')
  }

  failed(error: unknown): void {
    if (this.#isOver) return
    this.#parts.holdings.loseAll()
    this.#stop()
    this.#parts.failed(error)
  }

  async #run(): Promise<void> {
    while (!this.#isOver && this.#parts.wire.isOpen) {
      const seen = this.#changes
      const stay = this.#stay
      const isIdle = stay.epoch === joinEpoch ? await this.#join(stay) : await this.#reconcile(stay)
      if (isIdle && seen === this.#changes && !this.#isOver) await this.#changed.wait()
    }
  }

  /** Says whether there is nothing to do now. */
  async #join(stay: Stay): Promise<boolean> {
    await this.#leaving
    if (this.#isAgain) await this.#backoff.pause()
    const topics = await this.#parts.topics.subscribe()
    if (!this.#isCurrent(stay)) return false
    const joining = topics === null ? null : this.#door.join(stay.memberId, topics)
    const answer = (await Promise.race([joining, stay.ended.promise])) ?? null
    if (!this.#isCurrent(stay)) return false
    this.#isAgain = true
    if (topics === null || answer === null) return false
    if (answer.errorCode === errorCodes.NONE) {
      stay.topics = topics
      stay.listing.isConfirmed = true
      this.#learn(stay, answer)
    } else this.#inTrouble(stay, answer)
    return false
  }

  #inTrouble({ memberId }: Stay, { errorCode, errorMessage }: ConsumerGroupHeartbeatResponse): void {
    const error = errorOf(errorCode, this.#parts.options.group, errorMessage)
    const verdict = verdictOn(errorCode, true)
    if (verdict === 'failed') return this.failed(error)
    if (verdict === 'taken') this.#parts.trouble?.(error)
    // An earlier join of ours, whose answer was lost, may be what is in the way: we can take that back. It is in our name
    // alone, so nobody else is put out by this.
    if (verdict === 'taken' || verdict === 'fenced') this.#leave(memberId)
  }

  /** Newer than what we knew. */
  #learn(stay: Stay, { memberEpoch, heartbeatIntervalMs, assignment }: ConsumerGroupHeartbeatResponse): void {
    const everyMs = heartbeatIntervalMs > 0 ? heartbeatIntervalMs : this.#parts.options.heartbeatMs
    if (memberEpoch !== stay.epoch || assignment !== null) stay.round = ++this.#rounds
    const isNews = memberEpoch !== stay.epoch || everyMs !== stay.everyMs
    stay.epoch = memberEpoch
    stay.everyMs = everyMs
    if (assignment !== null) stay.target = new Target(assignment.topicPartitions)
    if (isNews) this.#say(stay, { now: false, isWhole: false })
    this.#look()
  }

  #say(stay: Stay, how: { readonly now: boolean; readonly isWhole: boolean }): void {
    const { memberId, epoch: memberEpoch, topics, listing, everyMs, round } = stay
    this.#beats.say({ stay, memberId, memberEpoch, topics, listing, everyMs, round }, how)
  }

  /** One step towards the target. Says whether there is nothing to do now. */
  async #reconcile(stay: Stay): Promise<boolean> {
    const { holdings } = this.#parts
    const { target } = stay
    if (target === null) return true
    const isNamed = await this.#name(target)
    if (!this.#isCurrent(stay) || stay.target !== target) return false
    const { taken, added } = target.compare(holdings.ownership.partitions, stay.ids, this.#nameOf)
    if (taken.length > 0) {
      await holdings.giveUp(taken, stay.ended.promise)
      if (this.#isCurrent(stay)) this.#list(stay, new Listing(holdings.ownership.partitions, [], stay.ids))
      return false
    }
    this.#list(stay, new Listing(holdings.ownership.partitions, added, stay.ids))
    const isOurs = stay.listing.isConfirmed
    if (isOurs && (added.length > 0 || stay.reached !== target)) {
      stay.reached = target
      this.#take(stay, added)
    }
    if (isNamed) return true
    await Promise.race([this.#backoff.pause(), this.#changed.wait()])
    return false
  }

  #take({ ids }: Stay, added: readonly AssignedPartition[]): void {
    const { holdings } = this.#parts
    // Of a topic that was deleted and created again, what was committed for the old one counts no more.
    const anew = added.filter((each) => ids.hasOther(each))
    const others = added.filter((each) => !ids.hasOther(each))
    ids.note(added)
    if (anew.length > 0) holdings.take(anew.map(nameOnly), true)
    if (others.length > 0 || anew.length === 0) holdings.take(others.map(nameOnly))
  }

  #list(stay: Stay, listing: Listing): void {
    if (listing.equals(stay.listing)) return
    stay.listing = listing
    this.#say(stay, { now: true, isWhole: false })
  }

  readonly #nameOf = (id: string): string | undefined => this.#parts.metadata.nameOf(id)

  /** Whether all topics of the target have names. Those of new topics may be news to us. */
  async #name(target: Target): Promise<boolean> {
    if (target.isNamed(this.#nameOf)) return true
    const { metadata, options } = this.#parts
    if (options.topicRegex === null) await metadata.refresh(this.#stay.topics)
    else await metadata.refreshAll()
    return target.isNamed(this.#nameOf)
  }

  async #subscribeAgain(): Promise<void> {
    const stay = this.#stay
    const topics = await this.#parts.topics.subscribe()
    if (topics === null || !this.#isCurrent(stay) || stay.epoch === joinEpoch) return
    stay.topics = topics
    this.#say(stay, { now: true, isWhole: true })
  }

  /** For now: a static member may come back. */
  #leave(memberId: string): void {
    this.#leaving = this.#door.leave(memberId, false).catch((error) => this.failed(error))
  }

  #lose(why: 'fenced' | 'unknown'): void {
    const { memberId } = this.#stay
    // Who comes as new while the group still counts it in is refused until its session ends.
    if (why === 'fenced') this.#leave(memberId)
    this.#end(this.#newStay(memberId))
  }

  #end(next: Stay): void {
    const { ended } = this.#stay
    this.#stay = next
    this.#beats.silence()
    ended.resolve()
    this.#parts.holdings.loseAll()
    this.#look()
  }

  #stop(): void {
    this.#isOver = true
    this.#beats.silence()
    this.#parts.topics.stop()
    this.#parts.holdings.clear()
    this.#stay.ended.resolve()
    this.#look()
  }

  #look(): void {
    this.#changes++
    this.#changed.fire()
  }

  #isCurrent(stay: Stay): boolean {
    return this.#stay === stay && !this.#isOver
  }

  #newStay(memberId: string): Stay {
    const ids = new TopicIds()
    return {
      memberId,
      epoch: joinEpoch,
      everyMs: 0,
      round: 0,
      topics: [],
      target: null,
      reached: null,
      listing: new Listing([], [], ids),
      ids,
      ended: Promise.withResolvers<void>(),
    }
  }
}

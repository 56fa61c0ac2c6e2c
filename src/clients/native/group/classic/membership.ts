/**
 * Our place in the group, by the classic protocol: join, sync, give up what is taken, notice when we are out.
 *
 * One loop joins; whoever learns something about the membership (a heartbeat, a refused commit) only changes the phase.
 *   joining  a join request is under way
 *   joined   we have a generation; nothing to do until somebody says otherwise
 *   rejoin   the group is rebalancing, or our stay has ended: join as soon as what is taken has been given up
 *   over     closed or failed
 *
 * A stay is one membership, from its first join to its loss. When it ends, everything that was ours is lost at once,
 * and nothing of it is committed any more, whatever answers still come in.
 */
import { answeredWith } from '../../../../cluster/answers.ts'
import { Backoff } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import { Signal } from '../../../../cluster/signal.ts'
import type { Lane, Wire } from '../../../../cluster/wire.ts'
import type { TopicPartition } from '../../../../kernel/ids.ts'
import { errorCodes } from '../../../../protocol/errors.ts'
import type { MemberOptions } from '../../options.ts'
import type { MakeHeartbeater } from '../heartbeater.ts'
import type { Holdings } from '../holdings.ts'
import type { MemberName, Membership } from '../membership.ts'
import { partitionKey } from '../ownership.ts'
import type { Topics } from '../topics.ts'
import { Beats, type BeatsListener } from './beats.ts'
import { type Joined, Joiner, type JoinTrouble, type Synced } from './join.ts'
import { leaveGroup } from './leaving.ts'

/** Stays that may follow one another while the join of the first is still parked at the broker. */
const groupLanes = 8

type Phase = 'joining' | 'joined' | 'rejoin' | 'over'

interface Stay {
  memberId: string
  generationId: number
  /** The generation whose assignment we took last. */
  ownedGeneration: number
  /** That assignment. */
  previous: readonly TopicPartition[]
  readonly lane: Lane
  readonly ended: PromiseWithResolvers<void>
}

export interface ClassicParts {
  readonly wire: Wire
  readonly coordinator: Coordinator
  readonly topics: Topics
  readonly holdings: Holdings
  readonly options: MemberOptions
  readonly makeHeartbeater: MakeHeartbeater
  readonly failed: (error: unknown) => void
}

export class ClassicMembership implements Membership, BeatsListener {
  readonly #parts: ClassicParts
  readonly #joiner: Joiner
  readonly #beats: Beats
  readonly #backoff: Backoff
  readonly #changed: Signal = new Signal()
  readonly #isEager: boolean
  #phase: Phase = 'rejoin'
  #stay: Stay = newStay('', 0)
  #stays = 0
  #leaving: Promise<void> = Promise.resolve()

  constructor(parts: ClassicParts) {
    const { wire, coordinator, topics, options } = parts
    this.#parts = parts
    this.#joiner = new Joiner(wire, coordinator, topics, options)
    this.#beats = new Beats(wire, coordinator, options, this, parts.makeHeartbeater)
    this.#backoff = new Backoff(wire.clock, options.backoff)
    this.#isEager = options.assignors.some(({ kind }) => kind === 'eager')
  }

  start(): void {
    const onError = (error: unknown): void => this.failed(error)
    this.#parts.topics.watch(() => this.#regroup(), onError)
    this.#run().catch(onError)
  }

  memberName(): MemberName | null {
    const { memberId, generationId } = this.#stay
    if (this.#is('over') || generationId < 0) return null
    return { memberId, generationId, groupInstanceId: this.#parts.options.instanceId }
  }

  beatAnswered(name: MemberName, code: number): void {
    this.refused(name, code)
    const isOurs = name.memberId === this.#stay.memberId && name.generationId === this.#stay.generationId
    if (code === errorCodes.REBALANCE_IN_PROGRESS && isOurs) this.#regroup()
  }

  /** The event loop stood still so long that the heartbeats have left the group in our name. */
  overdue(name: MemberName): void {
    if (!this.#is('over') && name.memberId === this.#stay.memberId) this.#lose('unknown')
  }

  refused(name: MemberName, code: number): void {
    if (this.#is('over') || name.memberId !== this.#stay.memberId) return
    if (isNoMember(code)) this.#lose('unknown')
    if (code === errorCodes.FENCED_INSTANCE_ID) this.failed(answeredWith(code, 'Heartbeat'))
    // While a join is under way the next generation may be there already, and what we own is claimed in it.
    const isStale = name.generationId === this.#stay.generationId && !this.#is('joining')
    if (code === errorCodes.ILLEGAL_GENERATION && isStale) this.#lose('stale')
  }

  rejoin(): void {
    if (this.#is('over')) return
    const { memberId } = this.#stay
    this.#leaving = this.#leave(memberId)
    this.#lose('unknown')
  }

  async close(leave: boolean): Promise<void> {
    const { memberId } = this.#stay
    this.#end()
    if (leave) await this.#leave(memberId)
    await this.#beats.close()
  }

  failed(error: unknown): void {
    if (this.#is('over')) return
    this.#phase = 'over'
    this.#parts.holdings.loseAll()
    this.#end()
    this.#parts.failed(error)
  }

  #is(phase: Phase): boolean {
    return this.#phase === phase
  }

  /** The group has to come together again, and we keep our place in it. */
  #regroup(): void {
    if (!this.#is('joined')) return
    this.#phase = 'rejoin'
    this.#changed.fire()
  }

  async #run(): Promise<void> {
    while (!this.#is('over')) {
      if (this.#is('joined')) await this.#changed.wait()
      else await this.#rebalance(this.#stay)
    }
  }

  async #rebalance(stay: Stay): Promise<void> {
    const { holdings } = this.#parts
    const { ownership } = holdings
    await this.#leaving
    if (this.#isEager) await holdings.giveUp(ownership.partitions, stay.ended.promise)
    if (!this.#isCurrent(stay)) return
    this.#phase = 'joining'
    const joining = this.#joiner.join({
      memberId: stay.memberId,
      owned: ownership.partitions,
      generationId: stay.ownedGeneration,
      previous: stay.previous,
      lane: stay.lane,
    })
    const joined = await Promise.race([joining, stay.ended.promise])
    if (joined === undefined || !this.#isCurrent(stay)) {
      joining.then((late) => this.#leaveLate(late)).catch((error) => this.failed(error))
      return
    }
    if (joined.kind !== 'joined') return this.#inTrouble(stay, joined)
    const { memberId, generationId } = joined.response
    // A generation passed by without us, through a request of ours that we had given up waiting for. It claimed what we
    // owned when it was sent; what we took since then may have been given away.
    const isGap = stay.generationId >= 0 && generationId > stay.generationId + 1
    if (isGap) holdings.loseAll()
    stay.memberId = memberId
    stay.generationId = generationId
    this.#phase = 'joined'
    this.#beats.speakAs(this.memberName())
    const synced = await this.#sync(stay, () => this.#joiner.sync(joined.response, stay.lane))
    if (!this.#isCurrent(stay)) return
    if (synced.kind !== 'synced') return this.#inTrouble(stay, synced)
    this.#backoff.reset()
    // From now on others may give up what we are to have.
    this.#beats.speakAs(this.memberName())
    await this.#take(stay, synced.assignment)
  }

  /** Without an answer, ask again: the coordinator keeps the assignment of a generation as long as it lasts. */
  async #sync(stay: Stay, sync: () => Promise<Synced>): Promise<Synced> {
    for (;;) {
      const synced = await sync()
      if (synced.kind !== 'again' || !this.#isCurrent(stay) || !this.#is('joined')) return synced
      await this.#backoff.pause()
    }
  }

  async #inTrouble(stay: Stay, trouble: JoinTrouble): Promise<void> {
    if (trouble.kind === 'failed') return this.failed(trouble.error)
    if (trouble.kind === 'lost') return this.#lose(trouble.why)
    this.#phase = 'rejoin'
    if (trouble.kind === 'rename') stay.memberId = trouble.memberId
    if (trouble.kind === 'again') await this.#backoff.pause()
  }

  async #take(stay: Stay, assignment: readonly TopicPartition[]): Promise<void> {
    const { holdings } = this.#parts
    const { ownership } = holdings
    const assigned = new Set(assignment.map(partitionKey))
    const taken = ownership.partitions.filter((partition) => !assigned.has(partitionKey(partition)))
    const added = assignment.filter((partition) => !ownership.has(partition))
    if (taken.length > 0) {
      // Given up, they are free for others, in the next generation.
      this.#phase = 'rejoin'
      await holdings.giveUp(taken, stay.ended.promise)
      if (!this.#isCurrent(stay)) return
    }
    stay.ownedGeneration = stay.generationId
    stay.previous = assignment
    holdings.take(added)
  }

  #lose(why: 'unknown' | 'stale'): void {
    const { memberId, ended } = this.#stay
    // A stale generation does not mean that the coordinator has forgotten us: under a new name, our old one would
    // hold up the group until its session ends.
    this.#stay = newStay(why === 'stale' ? memberId : '', ++this.#stays % groupLanes)
    this.#phase = 'rejoin'
    this.#beats.speakAs(null)
    ended.resolve()
    this.#parts.holdings.loseAll()
    this.#changed.fire()
  }

  #end(): void {
    this.#phase = 'over'
    this.#beats.speakAs(null)
    this.#parts.topics.stop()
    this.#parts.holdings.clear()
    this.#stay.ended.resolve()
    this.#changed.fire()
  }

  /** Nobody will speak for that member: without this it would hold up the group until its session ends. */
  async #leaveLate(late: Joined): Promise<void> {
    if (late.kind === 'joined' && this.#parts.options.instanceId === null) await this.#leave(late.response.memberId)
  }

  #leave(memberId: string): Promise<void> {
    return leaveGroup(this.#parts, memberId)
  }

  #isCurrent(stay: Stay): boolean {
    return this.#stay === stay && !this.#is('over')
  }
}

/** A group that is not found has no members, us included. */
function isNoMember(code: number): boolean {
  return code === errorCodes.UNKNOWN_MEMBER_ID || code === errorCodes.GROUP_ID_NOT_FOUND
}

function newStay(memberId: string, number: number): Stay {
  return {
    memberId,
    generationId: -1,
    ownedGeneration: -1,
    previous: [],
    lane: `group-${number}`,
    ended: Promise.withResolvers<void>(),
  }
}

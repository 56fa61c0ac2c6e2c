/**
 * Our place in the group: join, sync, give up what is taken, notice when we are out.
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
import type { TopicPartition } from '../../../kernel/ids.ts'
import type { ErrorCode } from '../cluster/errors.ts'
import type { Coordinator } from './coordinator.ts'
import { type HeartbeatListener, Heartbeats, type MemberName } from './heartbeats.ts'
import type { Holdings } from './holdings.ts'
import { type Joined, Joiner, type JoinTrouble, type Synced } from './join.ts'
import { partitionKey } from './ownership.ts'
import { Signal } from './signal.ts'
import type { Topics } from './topics.ts'
import { answeredWith, type Backoff, type Wire } from './wire.ts'

type Phase = 'joining' | 'joined' | 'rejoin' | 'over'

interface Stay {
  memberId: string
  generationId: number
  /** The generation whose assignment we took last. */
  ownedGeneration: number
  readonly ended: PromiseWithResolvers<void>
}

export class Membership implements HeartbeatListener {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #joiner: Joiner
  readonly #heartbeats: Heartbeats
  readonly #backoff: Backoff
  readonly #changed: Signal = new Signal()
  readonly #holdings: Holdings
  readonly #failed: (error: unknown) => void
  #phase: Phase = 'rejoin'
  #stay: Stay = newStay('')
  #leaving: Promise<void> = Promise.resolve()

  constructor(
    wire: Wire,
    coordinator: Coordinator,
    topics: Topics,
    holdings: Holdings,
    failed: (error: unknown) => void,
  ) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#joiner = new Joiner(wire, coordinator, topics)
    this.#heartbeats = new Heartbeats(wire, coordinator, this)
    this.#backoff = wire.backoff()
    this.#holdings = holdings
    this.#failed = failed
  }

  start(): void {
    const onError = (error: unknown): void => this.#fail(error)
    this.#heartbeats.start(onError)
    this.#run().catch(onError)
  }

  memberName(): MemberName | null {
    const { memberId, generationId } = this.#stay
    return this.#is('over') || generationId < 0 ? null : { memberId, generationId }
  }

  heartbeatAnswered(name: MemberName, code: ErrorCode): void {
    this.refused(name, code)
    const isOurs = name.memberId === this.#stay.memberId && name.generationId === this.#stay.generationId
    if (code !== 'REBALANCE_IN_PROGRESS' || !isOurs || !this.#is('joined')) return
    this.#phase = 'rejoin'
    this.#changed.fire()
  }

  /** A request of this member, in this generation, was answered with this. */
  refused(name: MemberName, code: ErrorCode): void {
    if (this.#is('over') || name.memberId !== this.#stay.memberId) return
    if (isNoMember(code)) this.#lose('unknown')
    if (code === 'FENCED_INSTANCE_ID') this.#fail(answeredWith(code, 'Heartbeat'))
    // While a join is under way the next generation may be there already, and what we own is claimed in it.
    const isStale = name.generationId === this.#stay.generationId && !this.#is('joining')
    if (code === 'ILLEGAL_GENERATION' && isStale) this.#lose('stale')
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
  }

  #is(phase: Phase): boolean {
    return this.#phase === phase
  }

  async #run(): Promise<void> {
    while (!this.#is('over')) {
      if (this.#is('joined')) await this.#changed.wait()
      else await this.#rebalance(this.#stay)
    }
  }

  async #rebalance(stay: Stay): Promise<void> {
    const { ownership } = this.#holdings
    await this.#leaving
    if (this.#isEager) await this.#holdings.giveUp(ownership.partitions, stay.ended.promise)
    if (!this.#isCurrent(stay)) return
    this.#phase = 'joining'
    const joining = this.#joiner.join(stay.memberId, ownership.partitions, stay.ownedGeneration)
    const joined = await Promise.race([joining, stay.ended.promise])
    if (joined === undefined || !this.#isCurrent(stay)) {
      joining.then((late) => this.#leaveLate(late)).catch((error) => this.#fail(error))
      return
    }
    if (joined.kind !== 'joined') return this.#inTrouble(stay, joined)
    const { memberId, generationId } = joined.response
    // A generation passed by without us, through a request of ours that we had given up waiting for. It claimed what we
    // owned when it was sent; what we took since then may have been given away.
    const isGap = stay.generationId >= 0 && generationId > stay.generationId + 1
    if (isGap) this.#holdings.loseAll()
    stay.memberId = memberId
    stay.generationId = generationId
    this.#phase = 'joined'
    const synced = await this.#sync(stay, () => this.#joiner.sync(joined.response))
    if (!this.#isCurrent(stay)) return
    if (synced.kind !== 'synced') return this.#inTrouble(stay, synced)
    this.#backoff.reset()
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
    if (trouble.kind === 'failed') return this.#fail(trouble.error)
    if (trouble.kind === 'lost') return this.#lose(trouble.why)
    this.#phase = 'rejoin'
    if (trouble.kind === 'rename') stay.memberId = trouble.memberId
    if (trouble.kind === 'again') await this.#backoff.pause()
  }

  async #take(stay: Stay, assignment: readonly TopicPartition[]): Promise<void> {
    const { ownership } = this.#holdings
    const assigned = new Set(assignment.map(partitionKey))
    const taken = ownership.partitions.filter((partition) => !assigned.has(partitionKey(partition)))
    const added = assignment.filter((partition) => !ownership.has(partition))
    if (taken.length > 0) {
      // Given up, they are free for others, in the next generation.
      this.#phase = 'rejoin'
      await this.#holdings.giveUp(taken, stay.ended.promise)
      if (!this.#isCurrent(stay)) return
    }
    stay.ownedGeneration = stay.generationId
    this.#holdings.take(added)
  }

  #lose(why: 'unknown' | 'stale'): void {
    const { memberId, ended } = this.#stay
    // A stale generation does not mean that the coordinator has forgotten us: under a new name, our old one would
    // hold up the group until its session ends.
    this.#stay = newStay(why === 'stale' ? memberId : '')
    this.#phase = 'rejoin'
    ended.resolve()
    this.#holdings.loseAll()
    this.#changed.fire()
  }

  #fail(error: unknown): void {
    if (this.#is('over')) return
    this.#phase = 'over'
    this.#holdings.loseAll()
    this.#end()
    this.#failed(error)
  }

  #end(): void {
    this.#phase = 'over'
    this.#heartbeats.stop()
    this.#holdings.clear()
    this.#stay.ended.resolve()
    this.#changed.fire()
  }

  /** Nobody will speak for that member: without this it would hold up the group until its session ends. */
  async #leaveLate(late: Joined): Promise<void> {
    if (late.kind === 'joined' && this.#wire.options.instanceId === null) await this.#leave(late.response.memberId)
  }

  async #leave(memberId: string): Promise<void> {
    const node = memberId === '' ? null : await this.#coordinator.find()
    if (node === null) return
    const { group, instanceId } = this.#wire.options
    await this.#wire.ask('LeaveGroup', { node, groupId: group, members: [{ memberId, groupInstanceId: instanceId }] })
  }

  #isCurrent(stay: Stay): boolean {
    return this.#stay === stay && !this.#is('over')
  }

  get #isEager(): boolean {
    return this.#wire.options.rebalance === 'eager'
  }
}

/** A group that is not found has no members, us included. */
function isNoMember(code: ErrorCode): boolean {
  return code === 'UNKNOWN_MEMBER_ID' || code === 'GROUP_ID_NOT_FOUND'
}

function newStay(memberId: string): Stay {
  return { memberId, generationId: -1, ownedGeneration: -1, ended: Promise.withResolvers<void>() }
}

/**
 * Speaks for one member, from the thread. As long as the main side stands still nobody tells it anything, so what a member
 * must know to stay one it finds out itself: where the coordinator has gone, and the member epoch that it was last given.
 */
import { hasCoordinatorMoved } from '../../../../cluster/answers.ts'
import { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import { errorCodes } from '../../../../protocol/errors.ts'
import { leaveGroupApi } from '../../../../protocol/generated/13-leave-group.ts'
import {
  type ConsumerGroupHeartbeatResponse,
  consumerGroupHeartbeatApi,
} from '../../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { ClassicPulse, ConsumerPulse, HeartbeatListener, Pulse, PulseAnswer } from '../heartbeater.ts'
import { InlineHeartbeats } from '../inline-heartbeats.ts'
import type { LoopWatch } from './loop-watch.ts'
import type { NumberedPulse } from './messages.ts'

export interface SpeakerListener {
  answered(pulse: number, answer: PulseAnswer): void
  overdue(pulse: number): void
  failed(error: unknown): void
}

/** LeaveGroup names several members from this version on. */
const severalFrom = 3
const reasonFrom = 5

export class Speaker implements HeartbeatListener {
  readonly #wire: Wire
  readonly #watch: LoopWatch
  readonly #maxPollIntervalMs: number
  readonly #listener: SpeakerListener
  readonly #beats: InlineHeartbeats
  /** What is said may be put in other words than the main side's; it is still the same pulse to it. */
  readonly #numbers: WeakMap<Pulse, number> = new WeakMap()
  #pulse: Pulse | null = null
  #coordinator: Coordinator | null = null
  #endWatch: (() => void) | null = null

  constructor(wire: Wire, watch: LoopWatch, maxPollIntervalMs: number, listener: SpeakerListener) {
    this.#wire = wire
    this.#watch = watch
    this.#maxPollIntervalMs = maxPollIntervalMs
    this.#listener = listener
    this.#beats = new InlineHeartbeats(wire, this)
  }

  set(numbered: NumberedPulse | null): void {
    this.#endWatch?.()
    this.#endWatch = null
    if (numbered === null) {
      this.#say(null)
      return
    }
    const { number, pulse } = numbered
    this.#numbers.set(pulse, number)
    this.#coordinator = null
    this.#say(pulse)
    this.#endWatch = this.#watch.watch({ maxMs: this.#maxPollIntervalMs, overdue: () => this.#leave() })
  }

  beatNow(): void {
    this.#beats.beatNow()
  }

  close(): Promise<void> {
    this.set(null)
    return this.#beats.close()
  }

  answered(pulse: Pulse, answer: PulseAnswer): void {
    const number = this.#numbers.get(pulse)
    if (number === undefined) return
    this.#listener.answered(number, answer)
    if (pulse !== this.#pulse) return
    if (answer === null || hasCoordinatorMoved(answer.errorCode)) {
      this.#follow(pulse).catch((error) => this.#listener.failed(error))
    } else if (pulse.kind === 'consumer') this.#adopt(pulse, answer as ConsumerGroupHeartbeatResponse)
  }

  overdue(): void {
    // Beats of this very thread: nobody but `#watch` tells that.
  }

  failed(error: unknown): void {
    this.#listener.failed(error)
  }

  #say(pulse: Pulse | null): void {
    this.#pulse = pulse
    if (pulse !== null) this.#wire.learnNodes([pulse.node], false)
    this.#beats.set(pulse)
  }

  /** The same pulse in other words. */
  #reword(before: Pulse, after: Pulse): void {
    const number = this.#numbers.get(before)
    if (number === undefined || before !== this.#pulse) return
    this.#numbers.set(after, number)
    this.#say(after)
  }

  async #follow(pulse: Pulse): Promise<void> {
    this.#coordinator ??= new Coordinator(this.#wire, 'group', pulse.body.groupId)
    this.#coordinator.learn(pulse.node.nodeId, null)
    const node = await this.#coordinator.address()
    if (node === null || node.nodeId === pulse.node.nodeId) return
    this.#reword(pulse, { ...pulse, node })
  }

  /** Whoever goes on with an older epoch than the one it was given is fenced. */
  #adopt(pulse: ConsumerPulse, { errorCode, memberEpoch }: ConsumerGroupHeartbeatResponse): void {
    if (errorCode !== errorCodes.NONE || memberEpoch <= pulse.body.memberEpoch) return
    this.#reword(pulse, { ...pulse, body: { ...pulse.body, memberEpoch } })
  }

  /** The main side has stood still for too long: others should have its partitions. */
  #leave(): void {
    const pulse = this.#pulse
    const number = pulse === null ? undefined : this.#numbers.get(pulse)
    if (pulse === null || number === undefined) return
    this.#endWatch = null
    this.#say(null)
    this.#listener.overdue(number)
    const left = pulse.kind === 'classic' ? this.#leaveClassic(pulse) : this.#leaveConsumer(pulse)
    left.catch((error) => this.#listener.failed(error))
  }

  async #leaveClassic({ node, body }: ClassicPulse): Promise<void> {
    const { groupId, memberId, groupInstanceId } = body
    // A static member is expected back: its partitions wait for it until its session ends.
    if (groupInstanceId !== null) return
    const reason = `the event loop stood still for more than ${this.#maxPollIntervalMs} ms`
    await this.#wire.ask(node.nodeId, leaveGroupApi, (version) => {
      if (version < severalFrom) return { groupId, memberId }
      return { groupId, members: [version < reasonFrom ? { memberId } : { memberId, reason }] }
    })
  }

  async #leaveConsumer({ node, body }: ConsumerPulse): Promise<void> {
    const { groupId, memberId, instanceId } = body
    const memberEpoch = instanceId === null ? leaving : leavingForNow
    await this.#wire.ask(node.nodeId, consumerGroupHeartbeatApi, {
      ...unchanged,
      groupId,
      memberId,
      instanceId,
      memberEpoch,
    })
  }
}

/** Member epochs that say goodbye: for good, and until the static member is back. */
const leaving = -1
const leavingForNow = -2

const unchanged = {
  rackId: null,
  rebalanceTimeoutMs: -1,
  subscribedTopicNames: null,
  serverAssignor: null,
  topicPartitions: null,
}

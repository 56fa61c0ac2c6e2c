/** Keeps the heartbeats pointed at the coordinator, wherever it is, and in the name that we have now. */
import { Backoff, type BackoffOptions } from '../../../../cluster/backoff.ts'
import type { Coordinator } from '../../../../cluster/coordinator.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import type { HeartbeatResponse } from '../../../../protocol/generated/12-heartbeat.ts'
import type {
  ClassicPulse,
  Heartbeater,
  HeartbeatListener,
  MakeHeartbeater,
  Pulse,
  PulseAnswer,
} from '../heartbeater.ts'
import type { MemberName } from '../membership.ts'

export interface BeatsOptions {
  readonly group: string
  readonly heartbeatMs: number
  readonly backoff: BackoffOptions
}

export interface BeatsListener {
  beatAnswered(name: MemberName, code: number): void
  overdue(name: MemberName): void
  failed(error: unknown): void
}

export class Beats implements HeartbeatListener {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #options: BeatsOptions
  readonly #listener: BeatsListener
  readonly #heartbeater: Heartbeater
  readonly #names: WeakMap<Pulse, MemberName> = new WeakMap()
  #name: MemberName | null = null
  #pulse: Pulse | null = null
  #round = 0

  constructor(
    wire: Wire,
    coordinator: Coordinator,
    options: BeatsOptions,
    listener: BeatsListener,
    make: MakeHeartbeater,
  ) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#options = options
    this.#listener = listener
    this.#heartbeater = make(this)
  }

  /** We are this member now, or still: the group has changed. null: none. */
  speakAs(name: MemberName | null): void {
    this.#name = name
    this.#round++
    this.#pulse = null
    this.#heartbeater.set(null)
    if (name !== null) this.#point(name).catch((error) => this.#listener.failed(error))
  }

  answered(pulse: Pulse, answer: PulseAnswer): void {
    const name = this.#names.get(pulse)
    if (name === undefined) return
    const code = answer === null ? null : (answer as HeartbeatResponse).errorCode
    this.#coordinator.learn(pulse.node.nodeId, code)
    if (code !== null) this.#listener.beatAnswered(name, code)
    // Said at the wrong door, or nobody answered: look for the coordinator again. Until then, go on.
    if (pulse === this.#pulse && this.#name === name) this.#point(name).catch((error) => this.#listener.failed(error))
  }

  overdue(pulse: Pulse): void {
    const name = this.#names.get(pulse)
    if (name !== undefined) this.#listener.overdue(name)
  }

  failed(error: unknown): void {
    this.#listener.failed(error)
  }

  close(): Promise<void> {
    this.speakAs(null)
    return this.#heartbeater.close()
  }

  async #point(name: MemberName): Promise<void> {
    const backoff = new Backoff(this.#wire.clock, this.#options.backoff)
    for (let node = await this.#coordinator.address(); ; node = await this.#coordinator.address()) {
      if (this.#name !== name || !this.#wire.isOpen) return
      if (node !== null) {
        const before = this.#pulse
        if (before !== null && before.node.nodeId === node.nodeId && this.#names.get(before) === name) return
        const { memberId, generationId, groupInstanceId } = name
        const body = { groupId: this.#options.group, generationId, memberId, groupInstanceId }
        const pulse: ClassicPulse = {
          kind: 'classic',
          node,
          everyMs: this.#options.heartbeatMs,
          round: this.#round,
          body,
        }
        this.#pulse = pulse
        this.#names.set(pulse, name)
        this.#heartbeater.set(pulse)
        return
      }
      await backoff.pause()
    }
  }
}

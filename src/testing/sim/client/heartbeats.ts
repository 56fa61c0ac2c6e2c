/**
 * Heartbeats on a timer of their own: neither handlers nor a drain that takes long can hold them up. One that is not
 * answered does not stop the next.
 */
import type { ErrorCode } from '../cluster/errors.ts'
import type { Coordinator } from './coordinator.ts'
import type { Wire } from './wire.ts'

/** Who we are to the group, at one moment. */
export interface MemberName {
  readonly memberId: string
  readonly generationId: number
}

export interface HeartbeatListener {
  /** null: not a member now. */
  memberName(): MemberName | null
  heartbeatAnswered(name: MemberName, code: ErrorCode): void
}

export class Heartbeats {
  readonly #wire: Wire
  readonly #coordinator: Coordinator
  readonly #listener: HeartbeatListener
  #cancel: (() => void) | null = null

  constructor(wire: Wire, coordinator: Coordinator, listener: HeartbeatListener) {
    this.#wire = wire
    this.#coordinator = coordinator
    this.#listener = listener
  }

  start(onError: (error: unknown) => void): void {
    const { clock, options } = this.#wire
    this.#cancel = clock.at(clock.now() + options.heartbeatMs, () => {
      this.start(onError)
      this.#beat().catch(onError)
    })
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  async #beat(): Promise<void> {
    const node = await this.#coordinator.find()
    const name = this.#listener.memberName()
    if (node === null || name === null) return
    const { group, instanceId } = this.#wire.options
    const answer = await this.#wire.ask('Heartbeat', { node, groupId: group, groupInstanceId: instanceId, ...name })
    this.#coordinator.learn(node, answer?.errorCode ?? null)
    if (answer !== null) this.#listener.heartbeatAnswered(name, answer.errorCode)
  }
}

/** Heartbeats on the same loop as everything else. One that is not answered does not stop the next. */
import type { Wire } from '../../../cluster/wire.ts'
import { heartbeatApi } from '../../../protocol/generated/12-heartbeat.ts'
import { consumerGroupHeartbeatApi } from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Heartbeater, HeartbeatListener, Pulse, PulseAnswer } from './heartbeater.ts'

export class InlineHeartbeats implements Heartbeater {
  readonly #wire: Wire
  readonly #listener: HeartbeatListener
  #pulse: Pulse | null = null
  #cancel: (() => void) | null = null

  constructor(wire: Wire, listener: HeartbeatListener) {
    this.#wire = wire
    this.#listener = listener
  }

  set(pulse: Pulse | null): void {
    this.#pulse = pulse
    this.#plan()
  }

  beatNow(): void {
    if (this.#pulse !== null) this.#beat(this.#pulse)
  }

  async close(): Promise<void> {
    this.set(null)
  }

  #plan(): void {
    this.#cancel?.()
    this.#cancel = null
    const pulse = this.#pulse
    if (pulse === null) return
    const { clock } = this.#wire
    this.#cancel = clock.at(clock.now() + pulse.everyMs, () => this.#beat(pulse))
  }

  #beat(pulse: Pulse): void {
    this.#plan()
    this.#ask(pulse).then(
      (answer) => this.#listener.answered(pulse, answer),
      (error) => this.#listener.failed(error),
    )
  }

  async #ask(pulse: Pulse): Promise<PulseAnswer> {
    const { nodeId } = pulse.node
    const answer =
      pulse.kind === 'classic'
        ? await this.#wire.ask(nodeId, heartbeatApi, pulse.body)
        : await this.#wire.ask(nodeId, consumerGroupHeartbeatApi, pulse.body)
    return answer?.body ?? null
  }
}

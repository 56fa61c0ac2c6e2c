/**
 * Heartbeats on the same loop as everything else. One that is not answered does not stop the next.
 *
 * At the beginning of a round they come faster. Who gives partitions up does so in one round, and who gets them hears of it in
 * the next one, by a heartbeat: until then they stand still. It takes as long as what runs there takes to end, which nobody
 * knows; so a pause is as long as half of the time that has passed, and what stands still waits half as long again at most.
 */
import type { Wire } from '../../../cluster/wire.ts'
import { heartbeatApi } from '../../../protocol/generated/12-heartbeat.ts'
import { consumerGroupHeartbeatApi } from '../../../protocol/generated/68-consumer-group-heartbeat.ts'
import type { Heartbeater, HeartbeatListener, Pulse, PulseAnswer } from './heartbeater.ts'

/** The first pauses of a round. */
const hasteMs = 100
const hasteShare = 0.5

export class InlineHeartbeats implements Heartbeater {
  readonly #wire: Wire
  readonly #listener: HeartbeatListener
  #pulse: Pulse | null = null
  #cancel: (() => void) | null = null
  #round: number | undefined = undefined
  #roundSinceMs: number = Number.NEGATIVE_INFINITY

  constructor(wire: Wire, listener: HeartbeatListener) {
    this.#wire = wire
    this.#listener = listener
  }

  set(pulse: Pulse | null): void {
    this.#pulse = pulse
    if (pulse !== null && pulse.round !== this.#round) {
      this.#round = pulse.round
      this.#roundSinceMs = this.#wire.clock.now()
    }
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
    const nowMs = clock.now()
    const pauseMs = Math.max(hasteMs, (nowMs - this.#roundSinceMs) * hasteShare)
    this.#cancel = clock.at(nowMs + Math.min(pauseMs, pulse.everyMs), () => this.#beat(pulse))
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

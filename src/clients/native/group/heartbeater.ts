/**
 * Saying that we are alive, again and again, whatever the rest of the process is doing. The membership says what is to be
 * said; a heartbeater only repeats it, on the same loop or from a thread of its own.
 */
import type { NodeAddress } from '../../../cluster/wire.ts'
import type { HeartbeatResponse } from '../../../protocol/generated/12-heartbeat.ts'
import type {
  ConsumerGroupHeartbeatRequest,
  ConsumerGroupHeartbeatResponse,
} from '../../../protocol/generated/68-consumer-group-heartbeat.ts'

interface Rhythm {
  readonly everyMs: number
  /** Changes when the group has: more may follow soon, and is heard of by heartbeats alone. Without: nothing will. */
  readonly round?: number
}

export interface ClassicPulse extends Rhythm {
  readonly kind: 'classic'
  readonly node: NodeAddress
  readonly body: {
    readonly groupId: string
    readonly generationId: number
    readonly memberId: string
    readonly groupInstanceId: string | null
  }
}

export interface ConsumerPulse extends Rhythm {
  readonly kind: 'consumer'
  readonly node: NodeAddress
  readonly body: ConsumerGroupHeartbeatRequest
}

export type Pulse = ClassicPulse | ConsumerPulse

/** null: silence. */
export type PulseAnswer = HeartbeatResponse | ConsumerGroupHeartbeatResponse | null

export interface HeartbeatListener {
  /** Pulses are told apart by identity: an answer to an older one comes with that one. */
  answered(pulse: Pulse, answer: PulseAnswer): void
  /** The event loop stood still for longer than the poll interval: the group was told that this member is gone. */
  overdue(pulse: Pulse): void
  failed(error: unknown): void
}

export interface Heartbeater {
  /** From now on this is said, at its interval and sooner at the beginning of a round. null: nothing. */
  set(pulse: Pulse | null): void
  beatNow(): void
  close(): Promise<void>
}

export type MakeHeartbeater = (listener: HeartbeatListener) => Heartbeater

/**
 * Heartbeats from a thread with connections of its own: whatever the event loop is doing, the group hears of us. The thread
 * also watches the event loop and leaves the group when it has stood still for longer than the poll interval.
 * Where there can be no thread, or it is lost, heartbeats come from the event loop, as with everybody else.
 */
import type { ClusterOptions, SaslOptions } from '../../../../cluster/net/options.ts'
import type { Wire } from '../../../../cluster/wire.ts'
import type { Heartbeater, HeartbeatListener, Pulse } from '../heartbeater.ts'
import { InlineHeartbeats } from '../inline-heartbeats.ts'
import { type FromThread, type PortableOptions, portable, unpack } from './messages.ts'
import { type OpenClient, SharedThread, type ThreadClient } from './shared-thread.ts'

export interface ThreadHeartbeatSettings {
  /** How the thread reaches the cluster. */
  readonly cluster: Omit<ClusterOptions, 'clock' | 'onState'>
  /** For how long the event loop may stand still. */
  readonly maxPollIntervalMs: number
  /** Told once, if the heartbeats have to come from the event loop after all. */
  readonly onFallback?: (reason: unknown) => void
}

/** Answers to older pulses than so many are dropped. */
const pulsesMax = 64

type Voice =
  | { readonly kind: 'thread'; readonly client: OpenClient }
  | { readonly kind: 'inline'; readonly beats: InlineHeartbeats }
  | { readonly kind: 'closed' }

export class ThreadHeartbeats implements Heartbeater, ThreadClient {
  readonly #wire: Wire
  readonly #listener: HeartbeatListener
  readonly #settings: ThreadHeartbeatSettings
  readonly #pulses: Map<number, Pulse> = new Map()
  #numbers = 0
  #pulse: Pulse | null = null
  #voice: Voice

  /** `wire`: for heartbeats from here, should it come to that. */
  constructor(wire: Wire, settings: ThreadHeartbeatSettings, listener: HeartbeatListener) {
    this.#wire = wire
    this.#settings = settings
    this.#listener = listener
    this.#voice = this.#open()
  }

  set(pulse: Pulse | null): void {
    this.#pulse = pulse
    if (this.#voice.kind === 'inline') this.#voice.beats.set(pulse)
    else if (this.#voice.kind === 'thread') {
      const { thread, number } = this.#voice.client
      thread.post({ kind: 'set', client: number, pulse: pulse === null ? null : this.#number(pulse) })
    }
  }

  beatNow(): void {
    if (this.#voice.kind === 'inline') this.#voice.beats.beatNow()
    else if (this.#voice.kind === 'thread') {
      const { thread, number } = this.#voice.client
      thread.post({ kind: 'beat', client: number })
    }
  }

  async close(): Promise<void> {
    const voice = this.#voice
    this.#voice = { kind: 'closed' }
    if (voice.kind === 'inline') await voice.beats.close()
    else if (voice.kind === 'thread') await voice.client.thread.close(voice.client.number)
  }

  heard(message: Exclude<FromThread, { kind: 'turn?' }>): void {
    if (this.#voice.kind !== 'thread') return
    switch (message.kind) {
      case 'answered': {
        const pulse = this.#pulses.get(message.pulse)
        if (pulse !== undefined) this.#listener.answered(pulse, message.answer)
        break
      }
      case 'overdue': {
        const pulse = this.#pulses.get(message.pulse)
        if (pulse !== undefined) this.#listener.overdue(pulse)
        break
      }
      case 'failed':
        this.#listener.failed(unpack(message.error))
        break
      case 'token?':
        void this.#giveToken(this.#voice.client)
        break
    }
  }

  lost(error: unknown): void {
    if (this.#voice.kind !== 'thread') return
    this.#voice = this.#fallBack(error)
    if (this.#pulse !== null) this.#voice.beats.set(this.#pulse)
  }

  #open(): Voice {
    try {
      const { cluster, maxPollIntervalMs } = this.#settings
      return { kind: 'thread', client: SharedThread.open(this, toPortable(cluster), maxPollIntervalMs) }
    } catch (error) {
      return this.#fallBack(error)
    }
  }

  #fallBack(reason: unknown): Extract<Voice, { kind: 'inline' }> {
    this.#settings.onFallback?.(reason)
    return { kind: 'inline', beats: new InlineHeartbeats(this.#wire, this.#listener) }
  }

  #number(pulse: Pulse): { readonly number: number; readonly pulse: Pulse } {
    const number = ++this.#numbers
    this.#pulses.set(number, pulse)
    this.#pulses.delete(number - pulsesMax)
    return { number, pulse }
  }

  async #giveToken({ thread, number }: OpenClient): Promise<void> {
    const { sasl } = this.#settings.cluster
    if (sasl?.mechanism !== 'oauthbearer') return
    const token = await tokenOf(sasl)
    if (this.#voice.kind === 'thread') thread.post({ kind: 'token', client: number, token })
  }
}

async function tokenOf(
  sasl: Extract<SaslOptions, { mechanism: 'oauthbearer' }>,
): Promise<Extract<Parameters<SharedThread['post']>[0], { kind: 'token' }>['token']> {
  try {
    const { value, extensions } = await sasl.token()
    return extensions === undefined ? { value } : { value, extensions: { ...extensions } }
  } catch (error) {
    return { ...portable(error), retriable: true }
  }
}

function toPortable({ sasl, ...rest }: ThreadHeartbeatSettings['cluster']): PortableOptions {
  if (sasl === undefined) return rest
  return { ...rest, sasl: sasl.mechanism === 'oauthbearer' ? { mechanism: 'oauthbearer' } : { ...sasl } }
}

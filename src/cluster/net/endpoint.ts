/**
 * One address of the cluster, and how it fares. Connections of all lanes share the back-off: a broker that is down is tried
 * once per pause, not once per lane.
 */
import type { FanlaneError } from '../../errors.ts'
import { Backoff } from '../backoff.ts'
import { anyNode } from '../wire.ts'
import type { Address } from './brokers.ts'
import type { ClusterState, Settings } from './options.ts'

/** A broker that came back is found within about a second. */
const pauses = { backoffMs: 50, backoffMaxMs: 1_000 }

export class Endpoint {
  readonly address: Address
  /** Which node listens here, as far as anybody told us. */
  nodeId: number = anyNode
  readonly #settings: Settings
  readonly #backoff: Backoff
  /** null: nothing is known yet. */
  #state: ClusterState | null = null

  constructor(settings: Settings, address: Address) {
    this.#settings = settings
    this.address = address
    this.#backoff = new Backoff(settings.clock, pauses)
  }

  /** null: nobody has tried. */
  get state(): ClusterState | null {
    return this.#state
  }

  /** When it may be dialled; the past: at once. */
  get nextTryMs(): number {
    return this.#state?.kind === 'unreachable' ? this.#state.nextTryMs : 0
  }

  /** What the last try came to; null: it works, or nobody has tried. */
  get error(): FanlaneError | null {
    return this.#state?.kind === 'unreachable' ? this.#state.error : null
  }

  /** What trying again does not help against, for as long as nobody may try again. */
  get refusal(): FanlaneError | null {
    const { error } = this
    return error !== null && !error.retriable && this.nextTryMs > this.#settings.clock.now() ? error : null
  }

  /** It has answered a request. */
  proved(): void {
    if (this.#state?.kind === 'connected') return
    this.#state = { kind: 'connected', address: this.address.text }
    this.#backoff.reset()
    this.#settings.onState(this.#state)
  }

  failed(error: FanlaneError): void {
    const nowMs = this.#settings.clock.now()
    const before = this.#state?.kind === 'unreachable' ? this.#state : null
    // Lanes that were dialled together fail together: that is one try.
    if (before !== null && before.nextTryMs > nowMs) return
    this.#state = {
      kind: 'unreachable',
      address: this.address.text,
      sinceMs: before?.sinceMs ?? nowMs,
      tries: (before?.tries ?? 0) + 1,
      nextTryMs: nowMs + this.#backoff.next(),
      error,
    }
    if (before?.error.message !== error.message) this.#settings.onState(this.#state)
  }
}

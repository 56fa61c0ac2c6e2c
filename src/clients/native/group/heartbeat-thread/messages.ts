/**
 * What the two sides of the heartbeat thread say to each other. Clients and pulses go by number. That the event loop turns is
 * told through shared memory, so that nothing piles up while it does not: the thread asks by `turn?`, and asks again only
 * when it was answered.
 */
import type { ClusterOptions, OAuthToken, SaslOptions } from '../../../../cluster/net/options.ts'
import { FanlaneError } from '../../../../errors.ts'
import type { Pulse, PulseAnswer } from '../heartbeater.ts'

/** How to reach the cluster, as far as it can be copied into another thread. */
export type PortableOptions = Omit<ClusterOptions, 'clock' | 'onState' | 'sasl'> & {
  /** Tokens are asked for: the function that gives them stays where it is. */
  readonly sasl?: Exclude<SaslOptions, { mechanism: 'oauthbearer' }> | { readonly mechanism: 'oauthbearer' }
}

export interface ThreadData {
  /** Index 0: the number of the last `turn?` that was answered. */
  readonly turns: SharedArrayBuffer
}

export interface PortableError {
  readonly code: string
  readonly message: string
  readonly retriable: boolean
}

export interface OpenMessage {
  readonly kind: 'open'
  readonly client: number
  readonly options: PortableOptions
  readonly maxPollIntervalMs: number
}

export interface NumberedPulse {
  readonly number: number
  readonly pulse: Pulse
}

export type ToThread =
  | OpenMessage
  | { readonly kind: 'set'; readonly client: number; readonly pulse: NumberedPulse | null }
  | { readonly kind: 'beat'; readonly client: number }
  | { readonly kind: 'token'; readonly client: number; readonly token: OAuthToken | PortableError }
  | { readonly kind: 'close'; readonly client: number }

export type FromThread =
  | { readonly kind: 'answered'; readonly client: number; readonly pulse: number; readonly answer: PulseAnswer }
  | { readonly kind: 'overdue'; readonly client: number; readonly pulse: number }
  | { readonly kind: 'failed'; readonly client: number; readonly error: PortableError }
  | { readonly kind: 'token?'; readonly client: number }
  | { readonly kind: 'turn?'; readonly number: number }

export function portable(error: unknown): PortableError {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof FanlaneError)) return { code: 'HEARTBEAT_FAILED', message, retriable: false }
  return { code: error.code, message, retriable: error.retriable }
}

export function unpack({ code, message, retriable }: PortableError): FanlaneError {
  return new FanlaneError(code, message, { retriable })
}

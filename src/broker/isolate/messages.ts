/**
 * What the two sides of an isolated broker say to each other. Faults are called synchronously from the outside: a test that
 * plants a fault and then sends a request must find the fault in place, and the two take different ways into the thread.
 * So the caller blocks on a shared counter until the thread has answered.
 */
import type { BrokerOptions } from '../options.ts'

/** Options that can be copied into another thread. */
export type PortableOptions = Omit<BrokerOptions, 'clock' | 'logger' | 'isolate'>

export interface ThreadData {
  readonly options: PortableOptions
  /** Index 0: the number of fault calls that have been answered. */
  readonly answered: SharedArrayBuffer
}

export type FaultName =
  | 'inject'
  | 'disk'
  | 'rebalance'
  | 'expireSession'
  | 'moveCoordinator'
  | 'clear'
  | 'hits'
  | 'remove'

export type ToThread =
  | { readonly kind: 'fault'; readonly name: FaultName; readonly arguments: readonly unknown[] }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'started'; readonly brokers: string[]; readonly host: string; readonly port: number }
  | { readonly kind: 'refused'; readonly error: unknown; readonly code: string; readonly message: string }
  | { readonly kind: 'closed' }
  /** It is closed, but not in good order. */
  | { readonly kind: 'close-failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'log'; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string }

export type FaultAnswer = { readonly value: unknown } | { readonly code: string; readonly message: string }

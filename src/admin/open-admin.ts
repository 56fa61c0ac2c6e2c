/** An admin on sockets of its own. */
import type { ConnectionOptions } from 'node:tls'
import { Cluster } from '../cluster/net/cluster.ts'
import type { SaslOptions } from '../cluster/net/options.ts'
import type { FanlaneError } from '../errors.ts'
import type { Clock } from '../ports/clock.ts'
import { Admin } from './admin.ts'

export interface AdminClientOptions {
  /** How brokers call us in their logs and quotas. Default `fanlane-admin`. */
  readonly clientId?: string
  readonly tls?: boolean | ConnectionOptions
  readonly sasl?: SaslOptions
  /** For one request. Default 30,000, and never more than a third of the call's `timeoutMs`. */
  readonly requestTimeoutMs?: number
  /** Default 10,000. */
  readonly connectTimeoutMs?: number
}

export interface OpenAdminOptions {
  readonly brokers: readonly string[]
  readonly clock: Clock
  /** For a whole call, all its tries included. Default 30,000. */
  readonly timeoutMs?: number
  readonly client?: AdminClientOptions
}

/** Nothing is connected before something is asked. */
export function openAdmin({ brokers, clock, timeoutMs, client = {} }: OpenAdminOptions): Admin {
  const { clientId = 'fanlane-admin', tls, sasl, requestTimeoutMs, connectTimeoutMs } = client
  const cluster = new Cluster({
    brokers,
    clientId,
    clock,
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  })
  return new Admin({
    wire: cluster,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    trouble: () => troubleOf(cluster),
    onClose: () => cluster.close(),
  })
}

const shownMax = 3

function troubleOf(cluster: Cluster): readonly FanlaneError[] {
  return cluster.states.flatMap((state) => (state.kind === 'unreachable' ? [state.error] : [])).slice(0, shownMax)
}

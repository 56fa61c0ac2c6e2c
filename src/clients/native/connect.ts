/** A native client on real sockets, from what the user said. */
import { Cluster } from '../../cluster/net/cluster.ts'
import type { ClusterState } from '../../cluster/net/options.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import { type ReaderSettings, toNativeOptions } from './client-options.ts'
import { InlineHeartbeats } from './group/inline-heartbeats.ts'
import { NativeClient } from './native-client.ts'

export interface ConnectSettings extends ReaderSettings {
  readonly brokers: readonly string[]
  readonly clock: Clock
  readonly logger: Logger
  /** undefined: no transactions; null: one is generated. */
  readonly transactionalId: string | null | undefined
}

export function connect(settings: ConnectSettings): NativeClient {
  const { brokers, clock, logger, client } = settings
  const { clientId = 'fanlane', tls, sasl, requestTimeoutMs, connectTimeoutMs } = client
  const wire = new Cluster({
    brokers,
    clientId,
    clock,
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    onState: (state) => tell(logger, state),
  })
  return new NativeClient(toNativeOptions(settings), {
    wire,
    makeHeartbeater: (listener) => new InlineHeartbeats(wire, listener),
  })
}

/** Not reaching a broker is no end: it is tried again and again, and said once. */
function tell(logger: Logger, state: ClusterState): void {
  if (state.kind === 'connected') return logger.debug({ broker: state.address }, 'connected to a broker')
  const { address, error, tries } = state
  logger.warn({ broker: address, error, tries }, 'cannot reach a broker; it is tried again')
}

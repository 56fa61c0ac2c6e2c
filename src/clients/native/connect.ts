/** A native client on real sockets, from what the user said. */
import { Cluster } from '../../cluster/net/cluster.ts'
import type { ClusterState } from '../../cluster/net/options.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import { type ReaderSettings, toNativeOptions } from './client-options.ts'
import { type ThreadHeartbeatSettings, ThreadHeartbeats } from './group/heartbeat-thread/thread-heartbeats.ts'
import { InlineHeartbeats } from './group/inline-heartbeats.ts'
import { NativeClient } from './native-client.ts'

export interface ConnectSettings extends ReaderSettings {
  readonly brokers: readonly string[]
  readonly clock: Clock
  readonly logger: Logger
}

export function connect(settings: ConnectSettings): NativeClient {
  const { brokers, clock, logger, client } = settings
  const { clientId = 'fanlane', tls, sasl, requestTimeoutMs, connectTimeoutMs } = client
  const cluster = {
    brokers,
    clientId,
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl }),
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  }
  const options = toNativeOptions(settings)
  const wire = new Cluster({ ...cluster, clock, onState: (state) => tell(logger, state) })
  return new NativeClient(options, {
    wire,
    makeHeartbeater: (listener) =>
      client.heartbeats === 'inline'
        ? new InlineHeartbeats(wire, listener)
        : new ThreadHeartbeats(wire, threadSettings(cluster, options.maxPollIntervalMs, logger), listener),
    trouble: (error) => logger.warn({ error }, 'the group does not take us yet; it is tried again'),
  })
}

function threadSettings(
  cluster: ThreadHeartbeatSettings['cluster'],
  maxPollIntervalMs: number,
  logger: Logger,
): ThreadHeartbeatSettings {
  const onFallback = (error: unknown): void =>
    logger.warn({ error }, 'heartbeats have no thread of their own: a handler that blocks the event loop stops them')
  return { cluster, maxPollIntervalMs, onFallback }
}

/** Not reaching a broker is no end: it is tried again and again, and said once. */
function tell(logger: Logger, state: ClusterState): void {
  if (state.kind === 'connected') return logger.debug({ broker: state.address }, 'connected to a broker')
  const { address, error, tries } = state
  logger.warn({ broker: address, error, tries }, 'cannot reach a broker; it is tried again')
}

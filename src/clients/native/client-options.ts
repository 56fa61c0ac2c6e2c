/** What a user may say about the Kafka client (`consume({ client })`), and what is made of it. */
import { randomUUID } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import { defaultBackoff } from '../../cluster/backoff.ts'
import type { SaslOptions } from '../../cluster/net/options.ts'
import { OptionError } from '../../errors.ts'
import type { CoreOptions } from '../../producer/core.ts'
import { coreOptions } from '../../producer/options.ts'
import { type Assignor, type AssignorName, resolveAssignors } from './group/assignors/index.ts'
import type { FixedPartition, NativeOptions, StartFrom, TopicChoice } from './options.ts'

export interface ClientOptions {
  /** How brokers call us in their logs and quotas. Default `fanlane`. */
  readonly clientId?: string
  readonly tls?: boolean | ConnectionOptions
  readonly sasl?: SaslOptions
  /** How long the group waits for a sign of life before it gives our partitions to others. Default 45,000. */
  readonly sessionTimeoutMs?: number
  /** The same, under the name that other clients have for it. */
  readonly sessionTimeout?: number
  /** Default 3,000, at most a third of the session. */
  readonly heartbeatMs?: number
  /** How long the group waits for us in a rebalance. Default 60,000, or what draining needs. */
  readonly rebalanceTimeoutMs?: number
  /** How long the event loop may stand still before we leave the group. Default 300,000. */
  readonly maxPollIntervalMs?: number
  /** Where heartbeats come from. Default `thread`: an event loop that is blocked does not lose the membership. */
  readonly heartbeats?: 'thread' | 'inline'
  /** Static membership: a name that stays over restarts, one for every process. */
  readonly instanceId?: string
  readonly rack?: string
  /** Classic protocol, in the order of preference. Default `['cooperative-sticky']`. */
  readonly assignors?: readonly (AssignorName | Assignor)[]
  /** `consumer`: the newer protocol, where the broker assigns (KIP-848). Default `classic`. */
  readonly protocol?: 'classic' | 'consumer'
  /** Consumer protocol: `uniform` or `range`. Default: what the broker prefers. */
  readonly serverAssignor?: string
  readonly requestTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /** How often topics are looked at again for new partitions. Default 60,000. */
  readonly metadataMaxAgeMs?: number
  readonly fetchMaxWaitMs?: number
  readonly fetchMinBytes?: number
  readonly fetchMaxBytes?: number
  readonly partitionMaxBytes?: number
  /** Exactly-once: how long a transaction may stay open before the broker ends it. Default 10,000. */
  readonly transactionTimeoutMs?: number
}

export type Tune = 'latency' | 'throughput'

export interface ReaderSettings {
  readonly group: string | null
  readonly topics: TopicChoice
  readonly partitions: readonly FixedPartition[] | null
  readonly startFrom: StartFrom
  readonly isolation: 'read_committed' | 'read_uncommitted'
  readonly tune: Tune
  readonly drainMs: number
  readonly client: ClientOptions
  /** undefined: no transactions; null: an id is generated. */
  readonly transactionalId: string | null | undefined
}

/** What the one knob between latency and throughput means for reading; the producer knows what it means for writing. */
const tuned: Readonly<Record<Tune, { readonly fetchMinBytes: number; readonly fetchMaxWaitMs: number }>> = {
  latency: { fetchMinBytes: 1, fetchMaxWaitMs: 500 },
  throughput: { fetchMinBytes: 64 * 1024, fetchMaxWaitMs: 100 },
}

/** How long the topic of an output may take to appear, where the broker creates it. */
const unknownTopicMs = 30_000

/** The final commit and the join itself, after the drain. */
const afterDrainMs = 20_000

export function toNativeOptions(settings: ReaderSettings): NativeOptions {
  const { client, tune, drainMs, transactionalId, ...reader } = settings
  if (client.sessionTimeout !== undefined && client.sessionTimeoutMs !== undefined) {
    const message = 'client.sessionTimeout and client.sessionTimeoutMs are the same: give one of them.'
    throw new OptionError('OPTION_CONTRADICTION', 'client', message)
  }
  const sessionTimeoutMs = client.sessionTimeoutMs ?? client.sessionTimeout ?? 45_000
  const heartbeatMs = client.heartbeatMs ?? Math.min(3_000, Math.floor(sessionTimeoutMs / 3))
  if (heartbeatMs >= sessionTimeoutMs) {
    const message = `client.heartbeatMs (${heartbeatMs}) is not below the session time-out (${sessionTimeoutMs}): the group would lose us between two of them.`
    throw new OptionError('OPTION_CONTRADICTION', 'client', message)
  }
  return {
    ...reader,
    assignors: resolveAssignors(client.assignors ?? ['cooperative-sticky']),
    sessionTimeoutMs,
    heartbeatMs,
    rebalanceTimeoutMs: client.rebalanceTimeoutMs ?? Math.max(60_000, drainMs + afterDrainMs),
    maxPollIntervalMs: client.maxPollIntervalMs ?? 300_000,
    protocol: client.protocol ?? 'classic',
    serverAssignor: client.serverAssignor ?? null,
    instanceId: client.instanceId ?? null,
    rackId: client.rack ?? null,
    metadataMaxAgeMs: client.metadataMaxAgeMs ?? 60_000,
    fetchMaxWaitMs: client.fetchMaxWaitMs ?? tuned[tune].fetchMaxWaitMs,
    fetchMinBytes: client.fetchMinBytes ?? tuned[tune].fetchMinBytes,
    fetchMaxBytes: client.fetchMaxBytes ?? 16 * 2 ** 20,
    partitionMaxBytes: client.partitionMaxBytes ?? 2 ** 20,
    requestTimeoutMs: client.requestTimeoutMs ?? 30_000,
    backoff: defaultBackoff,
    produce: outputOptions(tune),
    transaction:
      transactionalId === undefined
        ? null
        : {
            transactionalId: transactionalId ?? `fanlane-${reader.group}-${randomUUID()}`,
            isGenerated: transactionalId === null,
            timeoutMs: client.transactionTimeoutMs ?? 10_000,
          },
  }
}

/** Outputs wait as long as it takes: what has not been written is not finished. Their bytes count in the consumer's limits. */
function outputOptions(tune: Tune): CoreOptions {
  return {
    ...coreOptions({ tune }),
    maxBufferBytes: Number.POSITIVE_INFINITY,
    deliveryTimeoutMs: Number.POSITIVE_INFINITY,
    unknownTopicMs,
  }
}

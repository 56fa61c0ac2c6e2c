/** What a simulated client is built from. All time and all chance come from its clock. */
import type { Clock } from '../../../ports/clock.ts'
import type { IsolationLevel } from '../cluster/log-messages.ts'
import type { SimTransport } from '../wire/transport.ts'

export interface SimClientOptions {
  readonly clock: Clock
  readonly transport: SimTransport
  readonly group: string
  readonly clientId: string
  readonly topics: readonly string[]
  readonly rebalance: 'eager' | 'cooperative'
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly heartbeatMs: number
  readonly requestTimeoutMs: number
  /** Static membership. */
  readonly instanceId: string | null
  /** Needed for `transact`. */
  readonly transactionalId: string | null
  /** A generated id is nobody else's: when it is fenced, it was by ourselves or by a time-out. */
  readonly transactionalIdIsGenerated: boolean
  readonly transactionTimeoutMs: number
  readonly isolation: IsolationLevel
  readonly startFrom: 'earliest' | 'latest'
  /** How long the broker may hold a fetch that finds nothing. */
  readonly fetchMaxWaitMs: number
  readonly fetchMaxBytes: number
  readonly partitionMaxBytes: number
  /** Records of one Produce batch; more are sent in the next one. */
  readonly batchMaxRecords: number
  /** The first pause after an error; it doubles up to the last, with jitter. */
  readonly backoffMs: number
  readonly backoffMaxMs: number
  /** Where a record without a partition of its own goes. */
  readonly partitionOf: (topic: string, key: Buffer | null, partitions: number) => number
}

/** Everything that has a sensible value in most runs. */
export const simClientDefaults: Omit<SimClientOptions, 'clock' | 'transport' | 'group' | 'clientId' | 'topics'> = {
  rebalance: 'cooperative',
  sessionTimeoutMs: 10_000,
  rebalanceTimeoutMs: 20_000,
  heartbeatMs: 1_000,
  requestTimeoutMs: 3_000,
  instanceId: null,
  transactionalId: null,
  transactionalIdIsGenerated: true,
  transactionTimeoutMs: 15_000,
  isolation: 'read_committed',
  startFrom: 'earliest',
  fetchMaxWaitMs: 500,
  fetchMaxBytes: 1_000_000,
  partitionMaxBytes: 200_000,
  batchMaxRecords: 500,
  backoffMs: 20,
  backoffMaxMs: 500,
  partitionOf: (_topic, key, partitions) => {
    let hash = 0
    for (const byte of key ?? []) hash = (Math.imul(hash, 31) + byte) >>> 0
    return hash % partitions
  },
}

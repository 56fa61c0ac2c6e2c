/**
 * The parts of a running broker, as its handlers see them. Composed in start.ts.
 */
import type { BrokerLog } from './broker-log.ts'
import type { BrokerClock } from './clock.ts'
import type { BrokerConfig } from './configs/broker-configs.ts'
import type { FetchSessions } from './fetch/sessions.ts'
import type { GroupCoordinator } from './groups/coordinator.ts'
import { CutConnection } from './server/connection.ts'
import type { Route } from './server/route.ts'
import type { Users } from './server/sasl.ts'
import type { MetadataStore } from './state/metadata-store.ts'
import type { TopicRegistry } from './topics/registry.ts'
import type { TransactionCoordinator } from './transactions/coordinator.ts'
import type { MarkerWriter } from './transactions/markers.ts'

/** The one node of this cluster. */
export const nodeId = 1

export interface BrokerParts {
  readonly clock: BrokerClock
  readonly log: BrokerLog
  readonly config: BrokerConfig
  readonly metadata: MetadataStore
  readonly topics: TopicRegistry
  readonly groups: GroupCoordinator
  readonly transactions: TransactionCoordinator
  readonly markers: MarkerWriter
  readonly fetchSessions: FetchSessions
  readonly users: Users | undefined
  readonly clusterId: string
  readonly dataDir: string | undefined
  /** undefined: the disk keeps up with what is written. Else what producers wait for. */
  readonly whenRoom: () => Promise<void> | undefined
}

export interface Broker extends BrokerParts {
  readonly routes: ReadonlyMap<number, Route>
  /** Where clients find this broker. */
  readonly advertised: { readonly host: string; readonly port: number }
}

/** Ends the connection of the request that is being handled, without an answer. */
export function cut(reason: string): never {
  throw new CutConnection(reason)
}

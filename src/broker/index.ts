/**
 * `fanlane/broker`: a Kafka in a process, for tests and for machines without one.
 */
export type { BrokerLog } from './broker-log.ts'
export { type BrokerClock, ManualClock } from './clock.ts'
export type { BrokerFaults } from './faults/faults.ts'
export type { DiskFault } from './faults/faulty-disk.ts'
export type { PlantedFault } from './faults/planted.ts'
export type { FaultEffect, FaultMatch, RequestFault } from './faults/request-faults.ts'
export type { BrokerLimits, BrokerOptions, SyncPolicy } from './options.ts'
export { type RunningBroker, startBroker } from './start-broker.ts'

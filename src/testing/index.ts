/** For users' tests: a log in memory, and the simulator. */
export { type AppendRecord, MemoryLog } from '../clients/memory/memory-log.ts'
export type { SimulatedTime, UserHandler } from './sim/world/handlers.ts'
export type { Faults } from './sim/world/scenario.ts'
export { type SimulateOptions, type SimulateReport, simulate } from './simulate.ts'

/** For users' tests: a log in memory, the simulator, and what engines of their own have to keep. */
export { type AppendRecord, MemoryLog } from '../clients/memory/memory-log.ts'
export {
  type DedupStoreCheck,
  type DedupStoreChecksOptions,
  dedupStoreChecks,
} from './dedup-checks.ts'
export {
  conformanceBatchHandler,
  conformanceHandler,
  type EngineCheck,
  type EngineSubject,
  engineConformance,
  type Instruction,
  instructionOf,
} from './engine-conformance/index.ts'
export type { SimulatedTime, UserHandler } from './sim/world/handlers.ts'
export type { Faults } from './sim/world/scenario.ts'
export { type SimulateOptions, type SimulateReport, simulate } from './simulate.ts'

/** For users' tests: a log in memory, and the simulator. */
export { type AppendRecord, MemoryLog } from '../clients/memory/memory-log.ts'

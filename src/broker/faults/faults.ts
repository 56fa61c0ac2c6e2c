/**
 * `broker.faults`: everything that a test can make go wrong.
 */
import type { DiskFault } from './faulty-disk.ts'
import type { PlantedFault } from './planted.ts'
import type { RequestFault } from './request-faults.ts'

export interface BrokerFaults {
  /** An error code, a cut connection or a delay in the way of requests. */
  inject(fault: RequestFault): PlantedFault
  /** Errors and delays of the disk, or a crash in the middle of a write. */
  disk(fault: DiskFault): PlantedFault
  /** Starts a rebalance of a group as if something had changed; false: there is no such group, or it is empty. */
  rebalance(group: string): boolean
  /** Ends the session of one member, or of all, as if no heartbeat had come in time; false: there was nobody. */
  expireSession(group: string, memberId?: string): boolean
  /**
   * The coordinator of groups moves away: every request to it is answered NOT_COORDINATOR until a client looks for it again
   * (FindCoordinator); then it has read its state from the log, as after a real move.
   */
  moveCoordinator(): void
  /** Removes all planted faults. */
  clear(): void
}

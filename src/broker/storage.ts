/**
 * Opens what a broker keeps its logs on: memory, or a data directory that no other process may use at the same time.
 */
import { resolve } from 'node:path'
import type { FanlaneError } from '../errors.ts'
import type { BrokerLog } from './broker-log.ts'
import type { BrokerClock } from './clock.ts'
import { type DiskFaults, faultyDisk } from './faults/faulty-disk.ts'
import { defaultLogConfig } from './log/config.ts'
import { lockDirectory } from './log/lock.ts'
import { MemoryDisk } from './log/memory-disk.ts'
import { NodeDisk } from './log/node-disk.ts'
import { PartitionLog } from './log/partition-log.ts'
import { LogStorage } from './log/storage.ts'
import type { BrokerOptions } from './options.ts'
import { StateLog } from './state/state-log.ts'

export interface BrokerStorage {
  /** The data directory; empty in memory. */
  readonly root: string
  readonly logs: LogStorage
  readonly metadataLog: StateLog
  close(): Promise<void>
  /** Lets go of everything without a last write, as a crash would. */
  abandon(): Promise<void>
}

const metadataFolder = 'metadata'

export async function openStorage(
  options: BrokerOptions,
  clock: BrokerClock,
  log: BrokerLog,
  faults: DiskFaults,
  onFatal: (error: FanlaneError) => void,
): Promise<BrokerStorage> {
  const root = options.dataDir === undefined ? '' : resolve(options.dataDir)
  const disk = faultyDisk(root === '' ? new MemoryDisk() : new NodeDisk(), faults)
  if (root !== '') await disk.makeDirectory(root)
  const lock = root === '' ? undefined : await lockDirectory(root, { onLost: onFatal })
  try {
    const logs = new LogStorage({
      disk,
      ...(root === '' ? {} : { root }),
      clock,
      syncPolicy: options.sync ?? 'always',
      ...(options.syncIntervalMs === undefined ? {} : { syncIntervalMs: options.syncIntervalMs }),
      onFatal: (error) => {
        log.error('the disk has failed: nothing is acknowledged any more', error)
        onFatal(error)
      },
      onWarning: (warning) => log.warn(warning.message, warning),
    })
    const directory = root === '' ? metadataFolder : `${root}/${metadataFolder}`
    const metadataLog = await PartitionLog.open({
      storage: logs,
      directory,
      config: { ...defaultLogConfig, deletes: false, compacts: true },
      leaderEpoch: 0,
    })
    return {
      root,
      logs,
      metadataLog: new StateLog(metadataLog, clock),
      async close() {
        await metadataLog.close()
        logs.close()
        await lock?.release()
      },
      async abandon() {
        await metadataLog.abandon()
        logs.close()
        await lock?.release()
      },
    }
  } catch (error) {
    await lock?.release()
    throw error
  }
}

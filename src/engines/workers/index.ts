/** Engines whose handlers run elsewhere: in threads of this process, or in processes of their own. */
import { availableParallelism } from 'node:os'
import type { LinkListener, LinkOptions, WorkerLink } from './link.ts'
import { PoolEngine, type PoolEngineOptions } from './pool/pool-engine.ts'
import { ProcessLink } from './process-link.ts'
import { ThreadLink } from './thread-link.ts'

export interface WorkersOptions
  extends Omit<PoolEngineOptions, 'open' | 'workers' | 'maxRecordsPerWorker' | 'affinity'>,
    Pick<LinkOptions, 'entry'> {
  readonly kind: 'threads' | 'processes'
  readonly workers?: number
  readonly maxRecordsPerWorker?: number
  readonly memoryMb?: number
  readonly affinity?: boolean
  readonly execArgv?: readonly string[]
}

export function workersEngine(options: WorkersOptions): PoolEngine {
  const { kind, entry, workers, maxRecordsPerWorker, memoryMb, affinity, execArgv, ...rest } = options
  const link: LinkOptions = { entry, memoryMb: memoryMb ?? null, execArgv: execArgv ?? null }
  const open = (listener: LinkListener): WorkerLink =>
    kind === 'threads' ? new ThreadLink(link, listener) : new ProcessLink(link, listener)
  return new PoolEngine({
    ...rest,
    open,
    // The control plane needs little of a core while handlers burn theirs: one worker for each.
    workers: workers ?? availableParallelism(),
    maxRecordsPerWorker: maxRecordsPerWorker ?? null,
    affinity: affinity ?? false,
  })
}

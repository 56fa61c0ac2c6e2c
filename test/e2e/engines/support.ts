/** Engines with workers, made by hand or by `consume()`, for the tests beside this file. */
import { join } from 'node:path'
import { type WorkersOptions, workersEngine } from '../../../src/engines/workers/index.ts'
import type { PoolEngine } from '../../../src/engines/workers/pool/pool-engine.ts'
import { SystemClock } from '../../../src/system-clock.ts'
import { notebook } from '../support.ts'

export const KINDS = ['threads', 'processes'] as const
export type Kind = (typeof KINDS)[number]

const entry = new URL('../../../src/consume-worker.ts', import.meta.url)

export function handlerFile(name: string): string {
  return join(import.meta.dirname, 'handlers', `${name}.ts`)
}

export function poolOf(
  kind: Kind,
  handler: string,
  more: Partial<WorkersOptions> & { readonly isBatch?: boolean } = {},
): PoolEngine {
  const { isBatch = false, ...options } = more
  return workersEngine({
    kind,
    entry,
    setup: { handler: new URL(`handlers/${handler}.ts`, import.meta.url).href, isBatch, decode: {} },
    clock: new SystemClock(),
    logger: notebook(),
    laneOf: ({ batch, index }) => batch.keys[index] ?? null,
    capacity: () => 100,
    handlerTimeoutMs: null,
    attempts: 5,
    mayRunAgain: true,
    workers: 2,
    ...options,
  })
}

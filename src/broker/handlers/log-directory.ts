/**
 * The one log directory, as clients see it. Without a data directory there is none, but tools expect a path.
 */
import { resolve } from 'node:path'
import type { Broker } from '../broker.ts'

const inMemory = '/memory'

export function logDirectory({ dataDir }: Pick<Broker, 'dataDir'>): string {
  return dataDir === undefined ? inMemory : resolve(dataDir)
}

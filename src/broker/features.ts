/**
 * What the cluster as a whole can do, in the versions that Kafka counts. The levels are fixed: this broker speaks one
 * generation of everything.
 */
export interface Feature {
  readonly name: string
  readonly minVersion: number
  readonly maxVersion: number
  /** The version that counts. */
  readonly level: number
}

export const features: readonly Feature[] = [
  { name: 'eligible.leader.replicas.version', minVersion: 0, maxVersion: 1, level: 1 },
  { name: 'group.version', minVersion: 0, maxVersion: 1, level: 1 },
  { name: 'metadata.version', minVersion: 7, maxVersion: 27, level: 27 },
  { name: 'transaction.version', minVersion: 0, maxVersion: 2, level: 2 },
]

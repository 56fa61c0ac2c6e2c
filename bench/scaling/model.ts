/**
 * From what a record costs to how many instances, partitions and bytes a stream needs. Arithmetic only: everything that was measured
 * comes in from outside, and everything that is assumed has a name.
 */

export interface Costs {
  /** CPU of fanlane itself for a record, in microseconds. */
  readonly ownUs: number
  /** CPU of the handler for a record, in microseconds. */
  readonly handlerUs: number
  /** How long a handler takes with its waiting, in milliseconds. */
  readonly handlerMs: number
  /** How many handlers an instance runs at once. */
  readonly concurrency: number
  readonly recordBytes: number
  /** What a partition adds to a commit. */
  readonly commitBytes: number
  readonly commitMs: number
  /** How busy the event loop of an instance may be. */
  readonly busyShare: number
  /** What a partition of the broker may carry. */
  readonly partitionBytesPerSecond: number
}

export interface Need {
  readonly recordsPerSecond: number
  readonly instances: number
  /** What holds an instance back. */
  readonly bound: 'CPU' | 'concurrency'
  readonly perInstance: number
  readonly partitions: number
  readonly partitionsFor: 'instances' | 'bytes'
  /** Records that handlers have in their hands, all together. */
  readonly inFlight: number
  readonly inBytesPerSecond: number
  readonly commitsPerSecond: number
  readonly commitBytesPerSecond: number
}

export function needOf(recordsPerSecond: number, costs: Costs): Need {
  const { ownUs, handlerUs, handlerMs, concurrency, recordBytes, commitBytes, commitMs, busyShare } = costs
  const byCpu = (busyShare * 1e6) / (ownUs + handlerUs)
  const byConcurrency = handlerMs === 0 ? Number.POSITIVE_INFINITY : (concurrency / handlerMs) * 1_000
  const perInstance = Math.min(byCpu, byConcurrency)
  const instances = Math.ceil(recordsPerSecond / perInstance)
  const inBytesPerSecond = recordsPerSecond * recordBytes
  const byBytes = Math.ceil(inBytesPerSecond / costs.partitionBytesPerSecond)
  const partitions = Math.max(instances, byBytes)
  // An instance commits all its partitions in one request, or few.
  const commitsPerSecond = (instances / commitMs) * 1_000
  return {
    recordsPerSecond,
    instances,
    bound: byCpu <= byConcurrency ? 'CPU' : 'concurrency',
    perInstance,
    partitions,
    partitionsFor: byBytes > instances ? 'bytes' : 'instances',
    inFlight: (recordsPerSecond * handlerMs) / 1_000,
    inBytesPerSecond,
    commitsPerSecond,
    commitBytesPerSecond: (partitions * commitBytes * 1_000) / commitMs,
  }
}

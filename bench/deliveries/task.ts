/** One run of the comparison of deliveries: what it is told, and what it says. */
export const deliveries = ['at-most-once', 'at-least-once', 'exactly-once'] as const
export type Delivery = (typeof deliveries)[number]

export const works = ['read', 'copy', 'trickle'] as const
export type Work = (typeof works)[number]

export interface Task {
  readonly brokers: readonly string[]
  readonly work: Work
  readonly delivery: Delivery
  readonly group: string
  readonly input: string
  readonly output: string
  readonly records: number
}

export interface Outcome {
  readonly records: number
  /** From the first record to all committed. */
  readonly ms: number
  readonly cpuSeconds: number
  /** From sending a record to seeing its output, where that was the question. */
  readonly p50Ms?: number
  readonly p99Ms?: number
}

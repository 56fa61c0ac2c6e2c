/** What one run of one contender is told, and what it tells: plain data, since each runs in a process of its own. */

export interface Task {
  readonly contender: string
  readonly brokers: readonly string[]
  readonly topic: string
  /** Records in each partition; producers get their sum and the number of partitions from it. */
  readonly ends: readonly number[]
  readonly group: string
  /** The build of fanlane that is measured. */
  readonly build: string
}

/** Times in milliseconds, from the moment before the client is made: connecting and joining count. */
export interface Outcome {
  /** Until the first record was seen; of a producer: null. */
  readonly firstMs: number | null
  /** Until the last record was seen, or acknowledged. */
  readonly lastMs: number
  /** Until every partition was committed to its end; null: this contender does not commit. */
  readonly committedMs: number | null
  /** Of the process with all its threads, over the same time. */
  readonly cpuSeconds: number
  readonly peakRssMb: number
}

/** Written by a contender as its last line, behind this mark: libraries may print what they like before. */
export const outcomeMark = 'outcome: '

export const valueBytes = 100
export const keyCount = 10_000

/** About ten bytes, as ids of customers or devices are. */
export const keyText = (n: number): string => `key-${String(n).padStart(6, '0')}`

/** The key of the n-th record: keys come in no order, and each comes equally often. */
export const keyOfRecord = (n: number): number => (n * 7_919) % keyCount

export const totalOf = (ends: readonly number[]): number => ends.reduce((sum, end) => sum + end, 0)

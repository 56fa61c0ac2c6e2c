/**
 * What one fetch reads: its partitions one after the other until the answer is full, and how much of what it wants is there.
 */
import { errorCodes } from '../../protocol/errors.ts'
import type { FetchRequest } from '../../protocol/generated/01-fetch.ts'
import type { Broker } from '../broker.ts'
import type { Eventually } from '../log/disk.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import type { Poll } from './long-poll.ts'
import { failed, findPartition, type PartitionRead, readPartition } from './read-partition.ts'
import type { FetchTarget } from './sessions.ts'

export type Reads = readonly PartitionRead[]

export class FetchPoll implements Poll<Reads> {
  readonly #broker: Broker
  readonly #usesIds: boolean
  readonly #readCommitted: boolean
  readonly #targets: readonly FetchTarget[]
  readonly #bytesMax: number
  readonly #bytesMin: number
  /** Targets by their log, and what each of them has to give: only while the fetch waits. */
  #byLog: Map<PartitionLog, FetchTarget[]> | undefined
  readonly #counts = new Map<FetchTarget, number>()
  #counted = 0

  constructor(broker: Broker, request: FetchRequest, usesIds: boolean, targets: readonly FetchTarget[]) {
    this.#broker = broker
    this.#usesIds = usesIds
    this.#readCommitted = request.isolationLevel === 1
    this.#targets = targets
    this.#bytesMax = Math.min(request.maxBytes, broker.config.number('fetch.max.bytes'))
    this.#bytesMin = Math.min(request.minBytes, this.#bytesMax)
  }

  isEnough(reads: Reads): boolean {
    let bytes = 0
    for (const read of reads) {
      if (read.urgent) return true
      bytes += this.#countOf(read)
    }
    return bytes >= this.#bytesMin || reads.length === 0
  }

  logs(): Iterable<PartitionLog> {
    this.#byLog ??= this.#groupByLog()
    return this.#byLog.keys()
  }

  mayBeEnough(moved: ReadonlySet<PartitionLog>): Eventually<boolean> {
    const targets = [...moved].flatMap((log) => this.#byLog?.get(log) ?? [])
    let isUrgent = false
    const account = (read: PartitionRead): void => {
      isUrgent ||= read.urgent
      this.#count(read)
    }
    const isEnough = (): boolean => isUrgent || this.#counted >= this.#bytesMin
    const late: Promise<void>[] = []
    for (const target of targets) {
      const read = this.#readSafely(target, this.#bytesMax)
      if (read instanceof Promise) late.push(read.then(account))
      else account(read)
    }
    return late.length === 0 ? isEnough() : Promise.all(late).then(isEnough)
  }

  /** The first batch of the first partition with data always fits. */
  read(): Eventually<Reads> {
    const reads: PartitionRead[] = []
    let left = this.#bytesMax
    let isFirst = true
    const account = (read: PartitionRead): void => {
      // `log.read` gives one batch even if it is larger than asked for. Only the first may be.
      const kept = !isFirst && read.bytes > Math.min(left, read.target.maxBytes) ? withoutRecords(read) : read
      this.#count(kept)
      reads.push(kept)
      left -= kept.bytes
      if (kept.bytes > 0) isFirst = false
    }
    const readFrom = (start: number): Eventually<Reads> => {
      for (let i = start; i < this.#targets.length; i++) {
        const target = this.#targets[i]
        if (target === undefined) continue
        const read = this.#readSafely(target, isFirst ? Math.max(1, left) : left)
        if (read instanceof Promise) {
          return read.then((late) => {
            account(late)
            return readFrom(i + 1)
          })
        }
        account(read)
      }
      return reads
    }
    return readFrom(0)
  }

  #groupByLog(): Map<PartitionLog, FetchTarget[]> {
    const byLog = new Map<PartitionLog, FetchTarget[]>()
    for (const target of this.#targets) {
      const partition = findPartition(this.#broker, target, this.#usesIds)
      if (typeof partition === 'number') continue
      const same = byLog.get(partition.log)
      if (same === undefined) byLog.set(partition.log, [target])
      else same.push(target)
    }
    return byLog
  }

  #count(read: PartitionRead): void {
    const count = this.#countOf(read)
    this.#counted += count - (this.#counts.get(read.target) ?? 0)
    this.#counts.set(read.target, count)
  }

  /** Where a batch did not fit any more, the reader gets all it has room for, though not to the byte. */
  #countOf({ bytes, hasMore, target }: PartitionRead): number {
    return hasMore ? Math.max(bytes, Math.min(target.maxBytes, this.#bytesMax)) : bytes
  }

  /** A partition whose storage fails must not take the others' answers with it. */
  #readSafely(target: FetchTarget, maxBytes: number): Eventually<PartitionRead> {
    const complain = (error: unknown): PartitionRead => {
      const name = `${target.topic || target.topicId}-${target.partition}`
      this.#broker.log.error(`reading ${name} at ${target.fetchOffset} failed`, error)
      return failed(target, errorCodes.KAFKA_STORAGE_ERROR)
    }
    try {
      const read = readPartition(this.#broker, target, this.#usesIds, { readCommitted: this.#readCommitted, maxBytes })
      return read instanceof Promise ? read.catch(complain) : read
    } catch (error) {
      return complain(error)
    }
  }
}

/** The answer has no room for its batch. */
function withoutRecords(read: PartitionRead): PartitionRead {
  const aborted = read.data.abortedTransactions ? { abortedTransactions: [] } : {}
  return { ...read, bytes: 0, hasMore: true, data: { ...read.data, records: Buffer.alloc(0), ...aborted } }
}

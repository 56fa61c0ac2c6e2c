/** Fetch: reading, and waiting where there is nothing to read yet. */
import type { FetchRequest, FetchResponse } from '../log-messages.ts'
import type { Timer, Timers } from '../timers.ts'
import type { PartitionLog } from './partition-log.ts'
import type { Topics } from './topics.ts'

type FetchedPartition = FetchResponse['partitions'][number]

interface Waiting {
  readonly request: FetchRequest
  readonly respond: (response: FetchResponse) => void
  readonly logs: readonly PartitionLog[]
  readonly timer: Timer
}

export class Fetching {
  readonly #topics: Topics
  readonly #timers: Timers
  /** Per partition: who waits for it to change. */
  readonly #waiting = new Map<PartitionLog, Set<Waiting>>()

  constructor(topics: Topics, timers: Timers) {
    this.#topics = topics
    this.#timers = timers
  }

  /** null: answered through `respond`, when there is something to read or the time is up. */
  fetch(nowMs: number, request: FetchRequest, respond: (response: FetchResponse) => void): FetchResponse | null {
    const response = this.#read(request)
    if (request.maxWaitMs <= 0 || isWorthTelling(response)) return response
    const logs = request.partitions.map((partition) => this.#topics.find(partition)).filter((log) => log !== undefined)
    const timer = this.#timers.set(nowMs + request.maxWaitMs, () => {
      this.#forget(waiting)
      respond(this.#read(request))
    })
    const waiting: Waiting = { request, respond, logs, timer }
    for (const log of logs) {
      const others = this.#waiting.get(log)
      if (others === undefined) this.#waiting.set(log, new Set([waiting]))
      else others.add(waiting)
    }
    return null
  }

  /** The partition has more to read, or less. */
  changed(log: PartitionLog): void {
    const readers = this.#waiting.get(log)
    if (readers === undefined || readers.size === 0) return
    for (const waiting of [...readers]) {
      const response = this.#read(waiting.request)
      if (!isWorthTelling(response)) continue
      this.#forget(waiting)
      waiting.respond(response)
    }
  }

  #forget(waiting: Waiting): void {
    this.#timers.cancel(waiting.timer)
    for (const log of waiting.logs) this.#waiting.get(log)?.delete(waiting)
  }

  #read(request: FetchRequest): FetchResponse {
    let bytesLeft = request.maxBytes
    let nothingYet = true
    const partitions = request.partitions.map((asked): FetchedPartition => {
      const read = this.#readPartition(request, asked, Math.min(asked.partitionMaxBytes, bytesLeft), nothingYet)
      for (const batch of read.batches) bytesLeft -= batch.size
      if (read.batches.length > 0) nothingYet = false
      return read
    })
    return { kind: 'Fetch', partitions }
  }

  #readPartition(
    request: FetchRequest,
    asked: FetchRequest['partitions'][number],
    bytesMax: number,
    atLeastOne: boolean,
  ): FetchedPartition {
    const { topic, partition, fetchOffset } = asked
    const log = this.#topics.find(asked)
    if (log === undefined) return failed(topic, partition, 'UNKNOWN_TOPIC_OR_PARTITION')
    const wrongEpoch = log.epochs.check(asked.currentLeaderEpoch)
    if (wrongEpoch !== 'NONE') return failed(topic, partition, wrongEpoch)
    if (fetchOffset < log.start || fetchOffset > log.end) return failed(topic, partition, 'OFFSET_OUT_OF_RANGE')
    const batches = log.read(fetchOffset, request.isolationLevel, bytesMax, atLeastOne)
    const readable = fetchOffset < log.visibleEnd(request.isolationLevel)
    const aborted = readable ? log.abortedSince(fetchOffset) : []
    return {
      topic,
      partition,
      errorCode: 'NONE',
      highWatermark: log.end,
      lastStableOffset: log.lastStableOffset,
      logStartOffset: log.start,
      abortedTransactions: request.isolationLevel === 'read_committed' ? aborted : null,
      batches,
    }
  }
}

function failed(topic: string, partition: number, errorCode: FetchedPartition['errorCode']): FetchedPartition {
  return {
    topic,
    partition,
    errorCode,
    highWatermark: -1,
    lastStableOffset: -1,
    logStartOffset: -1,
    abortedTransactions: null,
    batches: [],
  }
}

function isWorthTelling(response: FetchResponse): boolean {
  return response.partitions.some(({ errorCode, batches }) => errorCode !== 'NONE' || batches.length > 0)
}

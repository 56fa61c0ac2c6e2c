/**
 * Fetch: reads record batches, waiting for `minBytes` up to `maxWaitMs`.
 * v4 isolation level · v5 log start offset · v7 sessions · v9 leader epochs · v12 flexible, diverging epochs · v13 topic ids ·
 * v16 endpoints of new leaders · v17 directory ids and v18 the follower's high watermark (followers only).
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type FetchableTopicResponse,
  type FetchRequest,
  type FetchResponse,
  fetchApi,
  type PartitionData,
} from '../../protocol/generated/01-fetch.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { longPoll } from '../fetch/long-poll.ts'
import { failed, findPartition, type PartitionRead, readPartition } from '../fetch/read-partition.ts'
import type { FetchTarget, Opened } from '../fetch/sessions.ts'
import type { PartitionLog } from '../log/partition-log.ts'
import { type Route, route } from '../server/route.ts'

export function fetch(broker: Broker): Route {
  return route(fetchApi, {
    handle: (request, { version }) => {
      const opened = broker.fetchSessions.open(request, version)
      if (opened.kind === 'error') return { errorCode: opened.error, sessionId: 0, responses: [] }
      const reads = readWithPatience(broker, request, version, opened.targets)
      if (reads instanceof Promise) return reads.then((late) => answer(opened, late))
      return answer(opened, reads)
    },
    refuse: (request, errorCode, { version }) => ({
      // Before sessions there was no error for the whole answer.
      errorCode: version >= 7 ? errorCode : errorCodes.NONE,
      responses:
        version >= 7
          ? []
          : request.topics.map((t) => ({
              topic: t.topic,
              partitions: t.partitions.map((p) => refusedPartition(p.partition, errorCode)),
            })),
    }),
  })
}

function refusedPartition(partitionIndex: number, errorCode: number): Input<PartitionData> {
  return {
    partitionIndex,
    errorCode,
    highWatermark: -1n,
    lastStableOffset: -1n,
    logStartOffset: -1n,
    records: null,
    abortedTransactions: null,
  }
}

type Reads = readonly PartitionRead[]

function readWithPatience(
  broker: Broker,
  request: FetchRequest,
  version: number,
  targets: FetchTarget[],
): Reads | Promise<Reads> {
  const usesIds = version >= 13
  const poll = {
    read: () => readAll(broker, request, usesIds, targets),
    isEnough: (reads: Reads) => {
      let bytes = 0
      for (const read of reads) {
        if (read.urgent) return true
        bytes += read.bytes
      }
      return bytes >= request.minBytes || targets.length === 0
    },
    *logs(): Generator<PartitionLog> {
      for (const target of targets) {
        const partition = findPartition(broker, target, usesIds)
        if (typeof partition !== 'number') yield partition.log
      }
    },
  }
  return longPoll<Reads>(poll, targets.length === 0 ? 0 : request.maxWaitMs, broker.clock)
}

/** Reads partition after partition until the answer is full. The first batch of the first one with data always fits. */
function readAll(
  broker: Broker,
  request: FetchRequest,
  usesIds: boolean,
  targets: readonly FetchTarget[],
): Reads | Promise<Reads> {
  const reads: PartitionRead[] = []
  let left = Math.min(request.maxBytes, broker.config.number('fetch.max.bytes'))
  let isFirst = true
  const account = (read: PartitionRead): void => {
    // `log.read` gives one batch even if it is larger than asked for. Only the first may be.
    const tooLarge = !isFirst && read.bytes > Math.min(left, read.target.maxBytes)
    const kept = tooLarge
      ? {
          ...read,
          bytes: 0,
          data: {
            ...read.data,
            records: Buffer.alloc(0),
            ...(read.data.abortedTransactions ? { abortedTransactions: [] } : {}),
          },
        }
      : read
    reads.push(kept)
    left -= kept.bytes
    if (kept.bytes > 0) isFirst = false
  }
  const readFrom = (start: number): Reads | Promise<Reads> => {
    for (let i = start; i < targets.length; i++) {
      const target = targets[i]
      if (target === undefined) continue
      const wish = { readCommitted: request.isolationLevel === 1, maxBytes: isFirst ? Math.max(1, left) : left }
      const read = readSafely(broker, target, usesIds, wish)
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

/** A partition whose storage fails must not take the others' answers with it. */
function readSafely(
  broker: Broker,
  target: FetchTarget,
  usesIds: boolean,
  wish: { readCommitted: boolean; maxBytes: number },
): PartitionRead | Promise<PartitionRead> {
  const complain = (error: unknown): PartitionRead => {
    broker.log.error(
      `reading ${target.topic || target.topicId}-${target.partition} at ${target.fetchOffset} failed`,
      error,
    )
    return failed(target, errorCodes.KAFKA_STORAGE_ERROR)
  }
  try {
    const read = readPartition(broker, target, usesIds, wish)
    return read instanceof Promise ? read.catch(complain) : read
  } catch (error) {
    return complain(error)
  }
}

function answer(opened: Exclude<Opened, { kind: 'error' }>, reads: Reads): Input<FetchResponse> {
  const isFull = opened.kind === 'full'
  const topics = new Map<string, { topic: string; topicId: string; partitions: Input<PartitionData>[] }>()
  for (const read of reads) {
    if (!isFull && !hasNews(read)) continue
    const { target } = read
    remember(read)
    if (!isFull && read.bytes > 0) opened.touch(target)
    const key = `${target.topic}/${target.topicId}`
    const entry = topics.get(key) ?? { topic: target.topic, topicId: target.topicId, partitions: [] }
    entry.partitions.push(read.data)
    topics.set(key, entry)
  }
  const responses: Input<FetchableTopicResponse>[] = [...topics.values()]
  return { errorCode: errorCodes.NONE, sessionId: opened.sessionId, responses }
}

/** An incremental answer names a partition only if it has data, an error, or positions that the client has not seen. */
function hasNews(read: PartitionRead): boolean {
  if (read.bytes > 0 || read.urgent) return true
  const { sent } = read.target
  const { highWatermark, lastStableOffset, logStartOffset } = read.data
  return (
    sent === undefined ||
    sent.highWatermark !== Number(highWatermark) ||
    sent.lastStableOffset !== Number(lastStableOffset) ||
    sent.logStartOffset !== Number(logStartOffset)
  )
}

function remember(read: PartitionRead): void {
  const { highWatermark, lastStableOffset, logStartOffset } = read.data
  read.target.sent = {
    highWatermark: Number(highWatermark),
    lastStableOffset: Number(lastStableOffset),
    logStartOffset: Number(logStartOffset),
  }
}

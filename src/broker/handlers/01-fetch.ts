/**
 * Fetch: reads record batches, waiting for `minBytes` up to `maxWaitMs`.
 * v4 isolation level · v5 log start offset · v7 sessions · v9 leader epochs · v12 flexible, diverging epochs · v13 topic ids ·
 * v16 endpoints of new leaders · v17 directory ids and v18 the follower's high watermark (followers only).
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type FetchableTopicResponse,
  type FetchResponse,
  fetchApi,
  type PartitionData,
} from '../../protocol/generated/01-fetch.ts'
import type { Input } from '../../protocol/types.ts'
import type { Broker } from '../broker.ts'
import { FetchPoll, type Reads } from '../fetch/fetch-poll.ts'
import { longPoll } from '../fetch/long-poll.ts'
import type { PartitionRead } from '../fetch/read-partition.ts'
import type { Opened } from '../fetch/sessions.ts'
import { type Route, route } from '../server/route.ts'

export function fetch(broker: Broker): Route {
  const { clock } = broker
  /** Polls that wait; those of a deleted topic have to hear of it. */
  const changes = new Set<() => void>()
  broker.topics.onDeleted(() => {
    for (const change of [...changes]) change()
  })
  return route(fetchApi, {
    answerBytesMax: ({ maxBytes }) => Math.min(maxBytes, broker.config.number('fetch.max.bytes')),
    handle: (request, { version, connection: { departures } }) => {
      const opened = broker.fetchSessions.open(request, version, clock.now())
      if (opened.kind === 'error') return { errorCode: opened.error, sessionId: 0, responses: [] }
      const poll = new FetchPoll(broker, request, version >= 13, opened.targets)
      const waitMs = opened.targets.length === 0 ? 0 : request.maxWaitMs
      const reads = longPoll<Reads>(poll, waitMs, { clock, departures, changes })
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

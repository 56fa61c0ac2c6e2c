/**
 * Reading a stretch of a partition on demand: no group, no position of its own, one bounded answer at a time. Only what is
 * committed is seen.
 */

import { readBatches } from '../clients/native/fetch/batch-reader.ts'
import { answeredWith, isLeaderElsewhere } from '../cluster/answers.ts'
import { Backoff } from '../cluster/backoff.ts'
import type { Metadata } from '../cluster/metadata.ts'
import type { Wire } from '../cluster/wire.ts'
import { FanlaneError } from '../errors.ts'
import type { Epoch } from '../kernel/ids.ts'
import type { RawRecord, RecordBatch } from '../ports/log-client.ts'
import { errorCodes, isRetriable } from '../protocol/errors.ts'
import { fetchApi, type PartitionData } from '../protocol/generated/01-fetch.ts'
import { zeroUuid } from '../protocol/types.ts'

export interface Stretch {
  /** In the order of the log, without those outside of what was asked for. Each is made when it is looked at. */
  readonly records: Iterable<RawRecord>
  /** Where to go on. At least `to`: there is no more. */
  readonly next: number
  /** What was read, payloads included. */
  readonly bytes: number
}

export interface Place {
  readonly topic: string
  readonly partition: number
}

/** Of one answer. A single batch that is larger comes all the same: brokers send the first one whole. */
const ANSWER_MAX_BYTES = 2 ** 20
const ANSWER_LEAST_BYTES = 2 ** 16
/** What a record is taken to be, when a few of them are asked for. */
const RECORD_BYTES = 4_096
const PATIENCE_MS = 30_000
/** From here on topics have ids instead of names. */
const TOPIC_IDS_FROM = 13

export class LogReader {
  readonly #wire: Wire
  readonly #metadata: Metadata

  constructor(wire: Wire, metadata: Metadata) {
    this.#wire = wire
    this.#metadata = metadata
  }

  /** What one answer brings of [from, to). Nothing, and `next` at `to`: nothing of it is there. */
  async read(place: Place, from: number, to: number): Promise<Stretch> {
    if (from >= to) return { records: [], next: to, bytes: 0 }
    const bytesMax = Math.min(ANSWER_MAX_BYTES, Math.max(ANSWER_LEAST_BYTES, (to - from) * RECORD_BYTES))
    const data = await this.#fetch(place, from, bytesMax)
    // Gone since the bounds were asked for: retention is not wrong, and neither is whoever asked.
    if (data === null) return { records: [], next: to, bytes: 0 }
    const { records: bytes, lastStableOffset, abortedTransactions: aborted } = data
    if (bytes === null || bytes.length === 0) return { records: [], next: to, bytes: 0 }
    const reading = { ...place, epoch: 0 as Epoch, position: from, logEnd: Number(lastStableOffset), aborted }
    const { batches, nextPosition } = readBatches(bytes, reading)
    return { records: within(batches, to), next: nextPosition === from ? to : nextPosition, bytes: bytes.length }
  }

  /** The record at this offset; null: it is not there (any more), or not to be seen. */
  async at(place: Place, offset: number): Promise<RawRecord | null> {
    const { records } = await this.read(place, offset, offset + 1)
    for (const record of records) if (record.offset === offset) return record
    return null
  }

  /** null: the log does not go there (any more). */
  async #fetch(place: Place, from: number, bytesMax: number): Promise<PartitionData | null> {
    const { clock } = this.#wire
    const endMs = clock.now() + PATIENCE_MS
    const backoff = new Backoff(clock)
    let last = 'nobody answered'
    while (clock.now() < endMs && this.#wire.isOpen) {
      const answer = await this.#ask(place, from, bytesMax)
      if (answer !== null) {
        const code = answer.errorCode
        if (code === errorCodes.NONE) return answer
        if (code === errorCodes.OFFSET_OUT_OF_RANGE) return null
        const error = answeredWith(code, `Fetch of ${place.topic}-${place.partition}`)
        if (!isLeaderElsewhere(code) && !isRetriable(code)) throw error
        last = error.message
      }
      await this.#metadata.refresh([place.topic])
      await backoff.pause()
    }
    const what = `${place.topic}-${place.partition} could not be read at offset ${from} within ${PATIENCE_MS} ms: ${last}.`
    throw new FanlaneError('TIMEOUT', `${what} Look whether its leader is up.`, { retriable: true })
  }

  async #ask({ topic, partition }: Place, from: number, bytesMax: number): Promise<PartitionData | null> {
    if (this.#metadata.topic(topic) === undefined) await this.#metadata.refresh([topic])
    const { leader, leaderEpoch } = this.#metadata.partition(topic, partition)
    if (leader < 0) return null
    const topicId = this.#metadata.topic(topic)?.id ?? zeroUuid
    const partitions = [
      {
        partition,
        currentLeaderEpoch: leaderEpoch,
        fetchOffset: BigInt(from),
        partitionMaxBytes: bytesMax,
      },
    ]
    const answer = await this.#wire.ask(
      leader,
      fetchApi,
      (version) => ({
        maxWaitMs: 0,
        minBytes: 0,
        maxBytes: bytesMax,
        isolationLevel: 1,
        sessionId: 0,
        // No session: the broker has nothing to remember.
        sessionEpoch: -1,
        topics: [version < TOPIC_IDS_FROM ? { topic, partitions } : { topicId, partitions }],
      }),
      { lane: 'fetch', ...(topicId === zeroUuid ? { maxVersion: TOPIC_IDS_FROM - 1 } : {}) },
    )
    return answer?.body.responses[0]?.partitions[0] ?? null
  }
}

function* within(batches: readonly RecordBatch[], to: number): Generator<RawRecord> {
  for (const batch of batches) {
    for (let index = 0; index < batch.count; index++) {
      if ((batch.offsets[index] ?? to) >= to) return
      yield batch.record(index)
    }
  }
}

/**
 * What a read_committed reader sees of a topic, by raw requests and a filter of its own: nothing of the client under test is
 * on this side but the codec.
 */
import { errorCodes } from '../../../src/protocol/errors.ts'
import { fetchApi } from '../../../src/protocol/generated/01-fetch.ts'
import { metadataApi } from '../../../src/protocol/generated/03-metadata.ts'
import * as header from '../../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../../src/protocol/record-batch/reader.ts'
import { until } from '../../support/wait.ts'
import type { RawKafka } from './raw-kafka.ts'

export interface CommittedRecord {
  readonly partition: number
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: ReadonlyMap<string, string>
}

const answerBytes = 16 * 2 ** 20

/** Partitions of a topic; 0: there is none. */
export async function partitionsOf(raw: RawKafka, name: string): Promise<number> {
  const { topics } = await raw.send(metadataApi, 9, { topics: [{ name }], allowAutoTopicCreation: false })
  return topics[0]?.errorCode === errorCodes.NONE ? topics[0].partitions.length : 0
}

/** All that is committed now, partition by partition, in the order of the log. */
export async function committed(raw: RawKafka, topic: string): Promise<readonly CommittedRecord[]> {
  const found: CommittedRecord[] = []
  const count = await partitionsOf(raw, topic)
  for (let partition = 0; partition < count; partition++) found.push(...(await committedOf(raw, topic, partition)))
  return found
}

export async function committedValues(raw: RawKafka, topic: string): Promise<readonly string[]> {
  return (await committed(raw, topic)).map(({ value }) => String(value))
}

/**
 * The same, once so many are there. A transaction is over when that is decided; partitions hear of it a moment later, and
 * offsets and outputs not in the same one.
 */
export async function committedAtLeast(
  raw: RawKafka,
  topic: string,
  count: number,
): Promise<readonly CommittedRecord[]> {
  return until(`${count} records are committed in ${topic}`, async () => {
    const found = await committed(raw, topic)
    return found.length >= count && found
  })
}

async function committedOf(raw: RawKafka, topic: string, partition: number): Promise<readonly CommittedRecord[]> {
  const found: CommittedRecord[] = []
  const cursor = new RecordCursor()
  for (let position = 0; ; ) {
    const { responses } = await raw.send(fetchApi, 11, {
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: answerBytes,
      isolationLevel: 1,
      sessionEpoch: -1,
      topics: [{ topic, partitions: [{ partition, fetchOffset: BigInt(position), partitionMaxBytes: answerBytes }] }],
    })
    const answer = responses[0]?.partitions[0]
    const records = answer?.records ?? Buffer.alloc(0)
    const aborted = (answer?.abortedTransactions ?? []).toSorted((a, b) => Number(a.firstOffset - b.firstOffset))
    const open = new Set<number>()
    const from = position
    for (const at of eachBatch(records)) {
      const last = header.lastOffset(records, at)
      while (aborted[0] !== undefined && Number(aborted[0].firstOffset) <= last) {
        open.add(Number(aborted.shift()?.producerId))
      }
      position = last + 1
      const producer = header.producerId(records, at)
      if (header.isControl(records, at)) {
        open.delete(producer)
        continue
      }
      if (header.isTransactional(records, at) && open.has(producer)) continue
      cursor.reset(records, at, 2 ** 30)
      while (cursor.next()) {
        if (cursor.offset < from) continue
        const headers = new Map(cursor.headers().map(([name, value]) => [name, String(value)]))
        found.push({ partition, offset: cursor.offset, key: cursor.key(), value: cursor.value(), headers })
      }
    }
    if (position === from) return found
  }
}

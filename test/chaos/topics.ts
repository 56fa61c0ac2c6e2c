/**
 * What is really in a topic, read from its first byte past everything that is tested: a raw connection, and a filter of our
 * own for transactions that were aborted.
 */
import assert from 'node:assert/strict'
import { fetchApi } from '../../src/protocol/generated/01-fetch.ts'
import * as header from '../../src/protocol/record-batch/header.ts'
import { eachBatch, RecordCursor } from '../../src/protocol/record-batch/reader.ts'
import { until } from '../support/wait.ts'
import { mustBe, RawKafka } from '../wire/support/raw-kafka.ts'

export interface Found {
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  /** The first bytes, as text. */
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
}

const valueBytesShown = 60
const bytesMax = 8 * 2 ** 20
const readCommitted = 1

/** Every record that a reader of committed records is given. Nothing may be open any more: waits until that is so. */
export async function readTopic(address: string, topic: string, partitions: number): Promise<Found[]> {
  await using raw = await RawKafka.connect([address])
  const found: Found[] = []
  for (let partition = 0; partition < partitions; partition++)
    found.push(...(await readPartition(raw, topic, partition)))
  return found
}

async function readPartition(raw: RawKafka, topic: string, partition: number): Promise<Found[]> {
  const found: Found[] = []
  const cursor = new RecordCursor()
  const aborted = new Aborted()
  for (let next = 0; ; ) {
    const data = await until(`${topic}-${partition} has no open transaction`, async () => {
      const answer = await fetch(raw, topic, partition, next)
      const isOpen = answer.lastStableOffset < answer.highWatermark && Number(answer.lastStableOffset) <= next
      return isOpen ? false : answer
    })
    if (next >= Number(data.highWatermark)) return found
    aborted.learn(data.abortedTransactions ?? [])
    const records = data.records ?? Buffer.alloc(0)
    const before = next
    for (const at of eachBatch(records)) {
      const isHidden = aborted.hides(records, at)
      if (header.lastOffset(records, at) >= next && !isHidden && !header.isControl(records, at)) {
        cursor.reset(records, at, 2 ** 30)
        while (cursor.next()) if (cursor.offset >= next) found.push(recordOf(cursor, partition))
      }
      next = Math.max(next, header.lastOffset(records, at) + 1)
    }
    assert.ok(next > before, `${topic}-${partition} gives nothing at ${next}, and ends at ${data.highWatermark}`)
  }
}

async function fetch(raw: RawKafka, topic: string, partition: number, offset: number) {
  const { responses } = await raw.send(fetchApi, 11, {
    maxWaitMs: 100,
    minBytes: 0,
    maxBytes: bytesMax,
    isolationLevel: readCommitted,
    sessionEpoch: -1,
    topics: [{ topic, partitions: [{ partition, fetchOffset: BigInt(offset), partitionMaxBytes: bytesMax }] }],
  })
  const data = responses[0]?.partitions[0]
  mustBe(data?.errorCode, `Fetch ${topic}-${partition}@${offset}`)
  if (data === undefined) throw new Error('an answer without the partition')
  return data
}

/** From the first offset of an aborted transaction to its marker, what its producer wrote does not count. */
class Aborted {
  #coming: { readonly producerId: number; readonly firstOffset: number }[] = []
  readonly #open: Set<number> = new Set()

  learn(list: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[]): void {
    this.#coming = list
      .map(({ producerId, firstOffset }) => ({ producerId: Number(producerId), firstOffset: Number(firstOffset) }))
      .toSorted((a, b) => a.firstOffset - b.firstOffset)
    this.#open.clear()
  }

  hides(records: Buffer, at: number): boolean {
    for (let first = this.#coming[0]; first !== undefined; first = this.#coming[0]) {
      if (first.firstOffset > header.lastOffset(records, at)) break
      this.#open.add(first.producerId)
      this.#coming.shift()
    }
    const producerId = header.producerId(records, at)
    if (header.isControl(records, at)) this.#open.delete(producerId)
    return header.isTransactional(records, at) && this.#open.has(producerId)
  }
}

function recordOf(cursor: RecordCursor, partition: number): Found {
  const key = cursor.key()
  const value = cursor.value()
  return {
    partition,
    offset: cursor.offset,
    key: key === null ? null : key.toString(),
    value: value === null ? '' : value.toString('latin1', 0, valueBytesShown),
    headers: Object.fromEntries(cursor.headers().map(([name, text]) => [name, String(text)])),
  }
}

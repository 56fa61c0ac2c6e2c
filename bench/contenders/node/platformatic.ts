/** @platformatic/kafka: its stream of messages, and a loop on its raw Fetch request. */
import type * as Platformatic from '@platformatic/kafka'
import { rival } from './rival.ts'
import type { Prepare } from './run.ts'

const load = (): Promise<typeof Platformatic> => rival<typeof Platformatic>('@platformatic/kafka')

/** In a group, with its own automatic commits. A handler that waits is waited for: one at a time. */
export const platformaticStream: Prepare = async ({ brokers, topic, group, commitMs, handlerMs, until }) => {
  const { Consumer } = await load()
  return async (run) => {
    const consumer = new Consumer({ clientId: 'bench', bootstrapBrokers: [...brokers], groupId: group })
    consumer.on('error', (error: Error) => run.fail(error))
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'committed',
      fallbackMode: 'earliest',
      autocommit: commitMs,
    })
    stream.on('error', (error) => run.fail(error))
    stream.on('autocommit', (error, offsets) => {
      if (error) return run.fail(error)
      for (const { partition, offset } of offsets) run.commit(partition, Number(offset))
    })
    if (handlerMs === 0) stream.on('data', ({ value }) => void run.handle(value as unknown as Buffer))
    else oneAtATime(stream, (value) => run.handle(value)).catch((error: unknown) => run.fail(error))
    await run.finished()
    if (until === 'told') await consumer.close(true)
  }
}

async function oneAtATime(
  stream: AsyncIterable<{ readonly value: unknown }>,
  handle: (value: Buffer) => Promise<void> | undefined,
): Promise<void> {
  for await (const { value } of stream) await handle(value as Buffer)
}

/** No group, no commit, one broker: request, parse, request again from behind the last batch. */
export const platformaticFetch: Prepare = async ({ brokers, topic, ends }) => {
  const { Connection, fetchV17, metadataV12 } = await load()
  return async (run) => {
    const [host = '', port] = (brokers[0] ?? '').split(':')
    const connection = new Connection('bench')
    await connection.connect(host, Number(port))
    const metadata = await metadataV12.api.async(connection, [topic], false, false)
    const topicId = metadata.topics[0]?.topicId ?? ''
    const positions = ends.map(() => 0n)
    while (run.ledger.left > 0) {
      const partitions = positions.map((fetchOffset, partition) => ({
        partition,
        currentLeaderEpoch: -1,
        fetchOffset,
        lastFetchedEpoch: -1,
        partitionMaxBytes: 2 ** 20,
      }))
      const open = partitions.filter(({ partition, fetchOffset }) => fetchOffset < BigInt(ends[partition] ?? 0))
      const wanted = [{ topicId, partitions: open }]
      const answer = await fetchV17.api.async(connection, 500, 1, 16 * 2 ** 20, 1, 0, -1, wanted, [], '')
      for (const { partitionIndex, records } of answer.responses[0]?.partitions ?? []) {
        for (const batch of records ?? []) {
          for (const { value } of batch.records) void run.handle(value)
          positions[partitionIndex] = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
        }
      }
    }
    await run.finished()
    await connection.close()
  }
}

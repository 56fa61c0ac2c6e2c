/** @platformatic/kafka: its stream of messages, and a loop on its raw Fetch request. Both look at every offset. */
import type { Contestant } from '../contestants.ts'
import type { Task } from '../task.ts'

/** In a group, with its own automatic commits. */
export async function platformaticStream({ brokers, topic, group }: Task): Promise<Contestant> {
  const { Consumer } = await import('@platformatic/kafka')
  return {
    consume: async (ledger) => {
      const consumer = new Consumer({ clientId: 'bench', bootstrapBrokers: [...brokers], groupId: group })
      consumer.on('error', (error: Error) => ledger.fail(error))
      const stream = await consumer.consume({ topics: [topic], mode: 'committed', fallbackMode: 'earliest' })
      stream.on('error', (error) => ledger.fail(error))
      stream.on('autocommit', (error, offsets) => {
        if (error) return ledger.fail(error)
        for (const { partition, offset } of offsets) ledger.commit(partition, Number(offset))
      })
      stream.on('data', ({ partition, offset }) => ledger.see(partition, Number(offset)))
      await ledger.all()
      await ledger.allCommitted()
    },
  }
}

/** No group, no commit, one broker: request, parse, request again from behind the last batch. */
export async function platformaticFetch({ brokers, topic, ends }: Task): Promise<Contestant> {
  const { Connection, fetchV17, metadataV12 } = await import('@platformatic/kafka')
  return {
    consume: async (ledger) => {
      const [host = '', port] = (brokers[0] ?? '').split(':')
      const connection = new Connection('bench')
      await connection.connect(host, Number(port))
      const metadata = await metadataV12.api.async(connection, [topic], false, false)
      const topicId = metadata.topics[0]?.topicId ?? ''
      const positions = ends.map(() => 0n)
      while (ledger.left > 0) {
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
            const first = Number(batch.firstOffset)
            for (const { offsetDelta } of batch.records) ledger.see(partitionIndex, first + offsetDelta)
            positions[partitionIndex] = batch.firstOffset + BigInt(batch.lastOffsetDelta) + 1n
          }
        }
      }
      await ledger.all()
      await connection.close()
    },
  }
}

/**
 * KafkaJS, in the three ways in which it is used. `loop`: `eachBatch` around a handler that does nothing. `p-limit`: the records
 * of a batch at the same time, those of a key behind each other; it commits whole batches, so that a process that is killed repeats
 * all it had done of its batch, and one slow record holds all others back. `one at a time`: `eachMessage`.
 */
import type * as KafkaJs from 'kafkajs'
import type { Task } from '../task.ts'
import { rival } from './rival.ts'
import type { Run } from './run.ts'

type Way = 'loop' | 'p-limit' | 'one at a time'
type Limit = <Result>(task: () => Promise<Result>) => Promise<Result>

export async function kafkaJs(task: Task, way: Way): Promise<(run: Run) => Promise<void>> {
  const { default: loaded } = await rival<{ default: typeof KafkaJs }>('kafkajs')
  const { Kafka, logLevel } = loaded
  const pLimit = way === 'p-limit' ? (await rival<{ default: (most: number) => Limit }>('p-limit')).default : null
  return async (run) => {
    const { brokers, group, topic, sessionMs } = task
    const kafka = new Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: logLevel.ERROR })
    const consumer = kafka.consumer({
      groupId: group,
      ...(sessionMs === 0 ? {} : { sessionTimeout: sessionMs, heartbeatInterval: sessionMs / 6 }),
    })
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      // Otherwise it starts itself again.
      if (!payload.restart) run.fail(payload.error)
    })
    consumer.on(consumer.events.COMMIT_OFFSETS, ({ payload }) => {
      for (const { partitions } of payload.topics) {
        for (const { partition, offset } of partitions) run.commit(Number(partition), Number(offset))
      }
    })
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await consumer.run(configOf(run, way, pLimit?.(task.concurrency)))
    await run.finished()
    if (task.until === 'told') await consumer.disconnect()
  }
}

function configOf(run: Run, way: Way, limit: Limit | undefined): KafkaJs.ConsumerRunConfig {
  const { order, commitMs, ends } = run.task
  const common = {
    autoCommitInterval: commitMs,
    partitionsConsumedConcurrently: way === 'p-limit' || order === 'partition' ? ends.length : 1,
  }
  if (way === 'one at a time') {
    return { autoCommitInterval: commitMs, eachMessage: async ({ message }) => run.handle(message.value) }
  }
  if (way === 'p-limit' && limit !== undefined) {
    return { ...common, eachBatch: ({ batch }) => together(run, batch.messages, order, limit) }
  }
  return {
    ...common,
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) await run.handle(value)
    },
  }
}

/** All records of a batch; within a lane one behind the other. A lane waits outside the limit: it would hold places for nothing. */
async function together(
  run: Run,
  messages: readonly KafkaJs.KafkaMessage[],
  order: Task['order'],
  limit: Limit,
): Promise<void> {
  const lanes = new Map<string, Promise<void>>()
  const all = messages.map(({ key, value, offset }) => {
    const one = (): Promise<void> => limit(async () => run.handle(value))
    if (order === 'none') return one()
    const lane = order === 'key' ? String(key ?? offset) : ''
    const turn = lanes.get(lane)?.then(one) ?? one()
    lanes.set(lane, turn)
    return turn
  })
  await Promise.all(all)
}

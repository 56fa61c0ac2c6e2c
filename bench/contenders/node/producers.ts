/**
 * Producers side by side: idempotent, acknowledged by all, defaults otherwise. Records come as an application has them, a new buffer for
 * each value; a thousand in a send, twenty sends under way at once.
 */
import type * as Platformatic from '@platformatic/kafka'
import type * as KafkaJs from 'kafkajs'
import type * as Fanlane from '../../../src/index.ts'
import { keyText, makePlan, type Plan, writeValue } from '../../core/plan.ts'
import type { Task } from '../task.ts'
import { fromBuild } from './ours.ts'
import { rival } from './rival.ts'
import type { Run } from './run.ts'

const sendRecords = 1_000
const sendsMax = 20

interface Load {
  readonly key: Buffer
  readonly value: Buffer
}

type Send = (records: readonly Load[]) => Promise<unknown>

export type ProducerName = 'ours' | 'kafkajs' | 'platformatic'

/** Each gives its connection and the way to send. */
const clients: Readonly<Record<ProducerName, (task: Task) => Promise<() => Promise<Send>>>> = {
  ours: async ({ build, brokers, topic }) => {
    const { createProducer } = await fromBuild<typeof Fanlane>(build, 'index')
    return async () => {
      const producer = await createProducer({ brokers })
      return (records) => producer.send(records.map((record) => ({ topic, ...record })))
    }
  },
  kafkajs: async ({ brokers, topic }) => {
    const { Kafka, Partitioners, logLevel } = (await rival<{ default: typeof KafkaJs }>('kafkajs')).default
    return async () => {
      const kafka = new Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: logLevel.ERROR })
      const producer = kafka.producer({ idempotent: true, createPartitioner: Partitioners.DefaultPartitioner })
      await producer.connect()
      return (records) => producer.send({ topic, acks: -1, messages: [...records] })
    }
  },
  platformatic: async ({ brokers, topic }) => {
    const { Producer } = await rival<typeof Platformatic>('@platformatic/kafka')
    return async () => {
      const producer = new Producer({ clientId: 'bench', bootstrapBrokers: [...brokers], idempotent: true })
      return (records) => producer.send({ messages: records.map((record) => ({ topic, ...record })), acks: -1 })
    }
  },
}

export async function producing(task: Task, name: ProducerName): Promise<(run: Run) => Promise<void>> {
  if (task.load === null) throw new Error('a producer needs to know what it sends')
  const plan = makePlan(task.load)
  const keys = Array.from(plan.partitionOfKey, (_, key) => Buffer.from(keyText(key)))
  const open = await clients[name](task)
  return async (run) => {
    const send = await open()
    await sendAll(plan.shape.records, (from, to) => send(load(plan, keys, from, to)))
    // Acknowledged by the broker: for a producer that is the end.
    for (const [partition, end] of task.ends.entries()) run.commit(partition, end)
  }
}

function load(plan: Plan, keys: readonly Buffer[], from: number, to: number): Load[] {
  const list: Load[] = []
  for (let n = from; n < to; n++) {
    const value = Buffer.allocUnsafe(plan.shape.valueBytes)
    value.fill(0x78, 12)
    writeValue(value, plan, plan.idOf[n] ?? 0)
    list.push({ key: keys[plan.keyOf[n] ?? 0] as Buffer, value })
  }
  return list
}

/** Everything in sends, a bounded number of them at once; resolves when all are acknowledged. */
async function sendAll(total: number, send: (from: number, to: number) => Promise<unknown>): Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  const failures: unknown[] = []
  for (let from = 0; from < total && failures.length === 0; from += sendRecords) {
    const sent: Promise<unknown> = send(from, Math.min(total, from + sendRecords))
      .catch((error: unknown) => failures.push(error))
      .finally(() => underWay.delete(sent))
    underWay.add(sent)
    if (underWay.size >= sendsMax) await Promise.race(underWay)
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
}

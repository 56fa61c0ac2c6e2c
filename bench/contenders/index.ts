/** Who is compared, and how each is started. What a reader has to know of one to be fair is its note. */
import { fileURLToPath } from 'node:url'
import { type JavaKind, javaClassPath, javaFlags } from '../core/java.ts'
import type { Command } from '../core/processes.ts'
import type { NodeContender } from './node/contestants.ts'
import type { Task } from './task.ts'

export type ContenderName =
  | 'ours'
  | 'ours-reading'
  | 'ours-bare'
  | 'ours-copy'
  | 'ours-async'
  | 'ours-threads'
  | 'ours-processes'
  | 'bare-pool'
  | 'pc'
  | 'pc-room'
  | 'pc-copy'
  | 'kafkajs-plimit'
  | 'one-at-a-time'
  | 'kafkajs'
  | 'platformatic'
  | 'platformatic-fetch'
  | 'confluent'
  | 'java'
  | 'share'
  | 'copier'
  | 'ours-produce'
  | 'kafkajs-produce'
  | 'platformatic-produce'
  | 'java-produce'

interface Common {
  readonly name: ContenderName
  readonly title: string
  readonly note?: string
  /** The package of bench/package.json that it needs. */
  readonly needs?: string
  /** What it commits is in the group's offsets, and is looked up there afterwards. */
  readonly commits: boolean
}

export type Contender = Common &
  (
    | { readonly node: NodeContender }
    | { readonly java: JavaKind; readonly main: 'Loop' | 'Share' | 'Copier' | 'Produce' | 'ReadBack' | 'Parallel' }
  )

const batchCommits = 'commits whole batches: one that is killed repeats all it had done of its batch'

// biome-ignore format: a table is read by its columns
export const contenders: readonly Contender[] = [
  { name: 'ours', title: 'fanlane', node: 'ours', commits: true },
  { name: 'ours-reading', title: 'fanlane, the handler reads the value', node: 'ours-reading', commits: true },
  { name: 'ours-bare', title: 'fanlane’s client, bare loop', node: 'ours-bare', commits: false, note: 'no group, no commits' },
  { name: 'ours-copy', title: 'fanlane, exactly-once', node: 'ours-copy', commits: true },
  { name: 'ours-async', title: 'fanlane, engine async', node: 'ours-async', commits: true },
  { name: 'ours-threads', title: 'fanlane, engine threads', node: 'ours-threads', commits: true },
  { name: 'ours-processes', title: 'fanlane, engine processes', node: 'ours-processes', commits: true, note: 'memory is that of the main process' },
  { name: 'bare-pool', title: 'bare pool of threads', node: 'bare-pool', commits: false, note: 'no log behind it' },
  { name: 'pc', title: 'Confluent Parallel Consumer', java: 'pc', main: 'Parallel', commits: true },
  { name: 'pc-room', title: 'Confluent Parallel Consumer, large buffer', java: 'pc', main: 'Parallel', commits: true, note: 'its message buffer holds the whole topic' },
  { name: 'pc-copy', title: 'Confluent Parallel Consumer, transactional', java: 'pc', main: 'Parallel', commits: true },
  { name: 'kafkajs-plimit', title: 'KafkaJS eachBatch + p-limit', node: 'kafkajs-plimit', needs: 'p-limit', commits: true, note: batchCommits },
  { name: 'one-at-a-time', title: 'one at a time (KafkaJS eachMessage)', node: 'kafkajs-each', needs: 'kafkajs', commits: true },
  { name: 'kafkajs', title: 'KafkaJS eachBatch, bare loop', node: 'kafkajs-loop', needs: 'kafkajs', commits: true },
  { name: 'platformatic', title: '@platformatic/kafka stream', node: 'platformatic-stream', needs: '@platformatic/kafka', commits: true },
  { name: 'platformatic-fetch', title: '@platformatic/kafka raw Fetch loop', node: 'platformatic-fetch', needs: '@platformatic/kafka', commits: false, note: 'no group, no commits' },
  { name: 'confluent', title: 'Confluent’s JavaScript client, eachBatch', node: 'confluent-loop', needs: '@confluentinc/kafka-javascript', commits: true },
  { name: 'java', title: 'Java KafkaConsumer loop', java: 'kafka', main: 'Loop', commits: true },
  { name: 'share', title: 'Java share consumer (KIP-932)', java: 'kafka', main: 'Share', commits: false, note: 'no order; its end is the last acknowledgement that was answered' },
  { name: 'copier', title: 'Java transactional copier', java: 'kafka', main: 'Copier', commits: true, note: 'ours, after Kafka’s TransactionalMessageCopier, which is in no published jar' },
  { name: 'ours-produce', title: 'fanlane', node: 'ours-produce', commits: false },
  { name: 'kafkajs-produce', title: 'KafkaJS', node: 'kafkajs-produce', needs: 'kafkajs', commits: false, note: 'idempotent: one request at a time for each partition' },
  { name: 'platformatic-produce', title: '@platformatic/kafka', node: 'platformatic-produce', needs: '@platformatic/kafka', commits: false },
  { name: 'java-produce', title: 'Java KafkaProducer', java: 'kafka', main: 'Produce', commits: false },
]

export function contender(name: string): Contender {
  const found = contenders.find((each) => each.name === name)
  if (found === undefined)
    throw new Error(`no contender ${name}; there are ${contenders.map((c) => c.name).join(', ')}`)
  return found
}

const main = fileURLToPath(new URL('node/main.ts', import.meta.url))

/** `nodeFlags`: for a profile. */
export async function commandOf(one: Contender, task: Task, nodeFlags: readonly string[] = []): Promise<Command> {
  if ('node' in one) {
    const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning']
    return { file: process.execPath, args: [...nodeFlags, ...quiet, main, one.node, JSON.stringify(task)] }
  }
  const properties = Object.entries(propertiesOf(task)).map(([name, value]) => `-D${name}=${value}`)
  return { file: 'java', args: [...javaFlags, ...properties, '-cp', await javaClassPath(one.java), one.main] }
}

function propertiesOf(task: Task): Readonly<Record<string, string | number | boolean>> {
  const { brokers, ends, events, straggler, output, load, topic, group, order, until, room } = task
  const { concurrency, handlerMs, commitMs, sessionMs } = task
  return {
    ...{ topic, group, order, until, room, concurrency, handlerMs, commitMs, sessionMs },
    brokers: brokers.join(),
    ends: ends.join(),
    events: events.file,
    eventsKind: events.kind,
    eventsDurable: events.durable,
    stragglerId: straggler?.id ?? 0,
    stragglerMs: straggler?.ms ?? 0,
    output: output?.topic ?? '',
    transactionMs: output?.transactionMs ?? 0,
    keys: load?.keys ?? 0,
    valueBytes: load?.valueBytes ?? 0,
  }
}

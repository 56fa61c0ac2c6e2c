/** KafkaJS, as its documentation shows it: eachMessage, and by hand where a trial has to decide when to commit. */
import { type Consumer, type ConsumerConfig, type EachMessagePayload, Kafka, logLevel, Partitioners } from 'kafkajs'
import { until } from '../../../../test/support/wait.ts'
import { delivered, freshRounds, reasonOf, seenIf, settle, type Trial, type Trials } from '../outcome.ts'
import type { AbortedName, Stage } from '../stage.ts'

const deaf = { heartbeatInterval: 20_000, sessionTimeout: 60_000 }

const kafkaOf = (brokers: string[]): Kafka =>
  new Kafka({
    clientId: 'peer',
    brokers,
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100, retries: 8 },
  })

interface Options extends Omit<ConsumerConfig, 'groupId'> {
  readonly autoCommit?: boolean
  readonly partitionsConsumedConcurrently?: number
}

async function join(
  brokers: string[],
  groupId: string,
  topic: string,
  handle: (payload: EachMessagePayload) => Promise<void>,
  options: Options = {},
): Promise<{ consumer: Consumer; crashes: string[] }> {
  const { autoCommit = false, partitionsConsumedConcurrently = 1, ...config } = options
  const consumer = kafkaOf(brokers).consumer({
    groupId,
    sessionTimeout: 10_000,
    rebalanceTimeout: 10_000,
    heartbeatInterval: 100,
    maxWaitTimeInMs: 100,
    ...config,
  })
  const crashes: string[] = []
  consumer.on(consumer.events.CRASH, ({ payload }) => crashes.push(reasonOf(payload.error)))
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({ autoCommit, partitionsConsumedConcurrently, eachMessage: handle })
  return { consumer, crashes }
}

const never = (): Promise<void> => Promise.withResolvers<void>().promise
const offsetOf = (topic: string, partition: number, offset: number, metadata?: string) => ({
  topic,
  partition,
  offset: String(offset),
  ...(metadata === undefined ? {} : { metadata }),
})

/** Reads so many records of partition 0 and hangs at the next one, without a heartbeat. */
async function stalledAt(stage: Stage, brokers: string[], group: string, topic: string, count: number) {
  let done = 0
  const handle = async (): Promise<void> => {
    if (done === count) await never()
    done++
  }
  const member = await join(brokers, group, topic, handle, deaf)
  await until(`${count} are done`, () => done === count)
  await until('it is a member', async () => (await stage.raw.members(group)).length === 1)
  return member.consumer
}

const eviction: Trial = async (stage) => {
  const topic = await stage.topic(1, 90)
  const group = stage.name('group')
  const stalled = await stalledAt(stage, stage.brokers, group, topic, 10)
  await stage.evict(group)
  let count = 0
  const heir = await join(stage.brokers, group, topic, async () => {
    count++
  })
  await until('the heir has read all', () => count === 90)
  await heir.consumer.commitOffsets([offsetOf(topic, 0, 90)])
  const before = await stage.raw.position(group, topic, 0)
  const said = await settle(stalled.commitOffsets([offsetOf(topic, 0, 10)]))
  const after = await stage.raw.position(group, topic, 0)
  return seenIf(after < before, `the heir had committed ${before}; commit(10) of the evicted ${said}; now ${after}`)
}

const aborted =
  (name: AbortedName): Trial =>
  async (stage) => {
    const { topic, group, committed, partitionMaxBytes } = await stage.aborted(name)
    const values: string[] = []
    const handle = async ({ message }: EachMessagePayload): Promise<void> => {
      values.push(String(message.value))
    }
    await join(stage.brokers, group, topic, handle, {
      readUncommitted: false,
      maxBytesPerPartition: partitionMaxBytes,
    })
    const isAll = await stage.becomes(() => values.includes('plain'), 20_000)
    return delivered(values, committed, isAll)
  }

const metadata: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  const consumer = await stalledAt(stage, stage.brokers, group, topic, 5)
  const wide = '圖'.repeat(4_096)
  const said = await settle(consumer.commitOffsets([offsetOf(topic, 0, 5, wide)]))
  const [stored] = await stage.raw.stored(group)
  const length = stored?.metadata?.length ?? 0
  return seenIf(stored?.metadata !== wide, `commit with 4,096 wide characters ${said}; stored: ${length} characters`)
}

/** Work that goes on behind eachMessage, as it must where records are handled in parallel. */
const revoke: Trial = async (stage) => {
  const topic = await stage.topic(2, 20)
  const group = stage.name('group')
  const running = new Set<string>()
  const one = await join(stage.brokers, group, topic, async ({ partition, message }) => {
    if (message.offset === '5') running.add(`${partition}@5`)
  })
  await until('both are running', () => running.size === 2)
  await one.consumer.commitOffsets([0, 1].map((partition) => offsetOf(topic, partition, 5)))
  let isTold = false
  one.consumer.on(one.consumer.events.REBALANCING, () => {
    isTold = true
  })
  const theirs: string[] = []
  const started = performance.now()
  await join(stage.brokers, group, topic, async ({ partition, message }) => {
    theirs.push(`${partition}@${message.offset}`)
  })
  const isSeen = await stage.becomes(() => theirs.some((each) => running.has(each)), 8_000)
  const ms = Math.round(performance.now() - started)
  const which = theirs.find((each) => running.has(each))
  const told = isTold ? 'an event tells of the rebalance, and waits for nobody' : 'no event told of the rebalance'
  return seenIf(
    isSeen,
    isSeen ? `the second member got ${which} after ${ms} ms, still running here: ${told}` : 'waited 8 s',
  )
}

const revokedRecords: Trial = async (stage) => {
  const count = 5_000
  const topic = await stage.topic(2, count)
  const group = stage.name('group')
  let owned: readonly number[] | undefined
  let joins = 0
  let late = 0
  let all = 0
  const options = { autoCommit: true, partitionsConsumedConcurrently: 2 }
  const handle = async ({ partition }: EachMessagePayload): Promise<void> => {
    all++
    if (joins > 1 && owned?.includes(partition) === false) late++
    if (all % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const { consumer } = await join(stage.brokers, group, topic, handle, options)
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    owned = payload.memberAssignment[topic] ?? []
    joins++
  })
  await until('it is in the middle', () => all > 300)
  joins = 1
  const before = all
  await join(stage.brokers, group, topic, async () => undefined, { autoCommit: true })
  await until('the group has changed', () => joins > 1)
  let last = -1
  await until('nothing more comes', async () => {
    const isStill = last === all
    last = all
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    return isStill && last === all
  })
  return seenIf(
    late > 0,
    `after the rebalance ${late} records of the partition that had gone (${before} before it, ${all} in all)`,
  )
}

const earlySuccess: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  const { brokers, proxy } = await stage.throughProxy()
  const consumer = await stalledAt(stage, brokers, group, topic, 9)
  proxy.pause()
  const said = await settle(consumer.commitOffsets([offsetOf(topic, 0, 9)]), 2_000)
  const position = await stage.raw.position(group, topic, 0)
  proxy.resume()
  return seenIf(
    said === 'reported success',
    `with a broker that could not hear, the commit ${said}; stored: ${position}`,
  )
}

async function transactionOf(stage: Stage) {
  const producer = kafkaOf(stage.brokers).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    transactionalId: stage.name('tx'),
    idempotent: true,
    maxInFlightRequests: 1,
  })
  await producer.connect()
  return producer.transaction()
}

const offsetsOf = (consumerGroupId: string, topic: string, partition: number, offset: number, metadata?: string) => ({
  consumerGroupId,
  topics: [
    { topic, partitions: [{ partition, offset: String(offset), ...(metadata === undefined ? {} : { metadata }) }] },
  ],
})

const transactionMetadata: Trial = async (stage) => {
  const topic = await stage.topic(1, 5)
  const group = stage.name('group')
  const transaction = await transactionOf(stage)
  await transaction.sendOffsets(offsetsOf(group, topic, 0, 5, 'a map'))
  await transaction.commit()
  const stored = await until('it is stored', async () => (await stage.raw.stored(group))[0])
  return seenIf(stored.metadata !== 'a map', `sendOffsets() with 'a map'; stored is '${stored.metadata}'`)
}

const transactionLostOffsets: Trial = async (stage) => {
  const topic = await stage.topic(2, 5)
  const group = stage.name('group')
  const transaction = await transactionOf(stage)
  const said = await settle(
    Promise.all([0, 1].map((partition) => transaction.sendOffsets(offsetsOf(group, topic, partition, 5)))),
  )
  await transaction.commit()
  await stage.becomes(async () => (await stage.raw.stored(group)).length === 2, 3_000)
  const stored = await stage.raw.stored(group)
  const list = stored.map(({ partition, position }) => `${partition}→${position}`).join(', ')
  return seenIf(stored.length < 2, `two sendOffsets() at once: ${said}; stored: ${list}`)
}

const transactionFencing: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  await stalledAt(stage, stage.brokers, group, topic, 5)
  const transaction = await transactionOf(stage)
  await stage.evict(group)
  await stage.raw.store(group, [{ topic, partition: 0, position: 9, metadata: '' }])
  const said = await settle(transaction.sendOffsets(offsetsOf(group, topic, 0, 5)))
  if (said === 'reported success') await transaction.commit()
  const isBack = await stage.becomes(async () => (await stage.raw.position(group, topic, 0)) !== 9, 3_000)
  const position = await stage.raw.position(group, topic, 0)
  return seenIf(isBack, `sendOffsets() of an evicted member ${said}; the position went from 9 to ${position}`)
}

const zombie: Trial = async (stage) => {
  const topic = await stage.topic(1, 0)
  const transactionalId = stage.name('tx')
  const producerOf = async () => {
    const producer = kafkaOf(stage.brokers).producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      transactionalId,
      idempotent: true,
      maxInFlightRequests: 1,
      retry: { retries: 1 },
    })
    await producer.connect()
    return producer.transaction()
  }
  const send = (value: string) => ({ topic, messages: [{ value, partition: 0 }] })
  const open = await producerOf()
  await open.send(send('older'))
  const said = await settle(
    (async () => {
      const next = await producerOf()
      await next.send(send('younger'))
      await next.commit()
    })(),
  )
  const zombieSaid = await settle(open.commit())
  return seenIf(
    zombieSaid === 'reported success',
    `the restarted producer ${said}; the older one's commit ${zombieSaid}`,
  )
}

async function plainProducer(stage: Stage) {
  const producer = kafkaOf(stage.brokers).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    allowAutoTopicCreation: false,
    retry: { retries: 20, initialRetryTime: 50 },
  })
  await producer.connect()
  return producer
}

const largeSend: Trial = async (stage) => {
  const topic = await stage.topic(1, 0)
  const producer = await plainProducer(stage)
  const messages = Array.from({ length: 10_000 }, () => ({ partition: 0, value: 'x'.repeat(200) }))
  const said = await settle(producer.send({ topic, messages }))
  const inLog = (await stage.raw.offsets(topic, 0)).length
  return seenIf(said !== 'reported success', `send() of 10,000 × 200 B ${said}; in the log: ${inLog}`)
}

const freshTopic: Trial = async (stage) => {
  const producer = await plainProducer(stage)
  const outcomes: string[] = []
  let twice = 0
  for (let round = 0; round < freshRounds; round++) {
    const topic = stage.name('fresh')
    const created = stage.raw.createTopic(topic, 8)
    const messages = Array.from({ length: 400 }, (_, at) => ({ partition: at % 8, value: String(at) }))
    const said = await settle(producer.send({ topic, messages }))
    await created
    let inLog = 0
    for (let partition = 0; partition < 8; partition++) inLog += (await stage.raw.offsets(topic, partition)).length
    if (inLog > 400) twice++
    if (said !== 'reported success' || inLog !== 400) outcomes.push(`${inLog} of 400 (send ${said})`)
  }
  return seenIf(
    twice > 0,
    `${twice} of ${freshRounds} rounds with duplicates${outcomes.length > 0 ? `: ${outcomes[0]}` : ''}`,
  )
}

const outage: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const { brokers, proxy } = await stage.throughProxy()
  let count = 0
  const handle = async (): Promise<void> => {
    count++
  }
  const { crashes } = await join(brokers, stage.name('group'), topic, handle, { autoCommit: true })
  await until('it reads', () => count === 10)
  await proxy.stop()
  await new Promise((resolve) => setTimeout(resolve, 30_000))
  await stage.openProxy()
  await stage.raw.fill(topic, 0, 10, 1, 10)
  const isBack = await stage.becomes(() => count >= 20, 30_000)
  return seenIf(!isBack, `${count} of 20 records; crashes: ${[...new Set(crashes)].slice(0, 2).join(', ') || 'none'}`)
}

export const kafkajs: Trials = {
  eviction,
  'aborted-one': aborted('aborted-one'),
  'aborted-two': aborted('aborted-two'),
  'aborted-split': aborted('aborted-split'),
  'aborted-mixed': aborted('aborted-mixed'),
  'aborted-inside': aborted('aborted-inside'),
  metadata,
  revoke,
  'revoked-records': revokedRecords,
  'early-success': earlySuccess,
  'transaction-metadata': transactionMetadata,
  'transaction-lost-offsets': transactionLostOffsets,
  'transaction-fencing': transactionFencing,
  zombie,
  'large-send': largeSend,
  'fresh-topic': freshTopic,
  outage,
}

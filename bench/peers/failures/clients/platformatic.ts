/** @platformatic/kafka, as its documentation shows it: a consumer and its stream, a producer and its transactions. */
import { setImmediate as turn } from 'node:timers/promises'
import {
  Consumer,
  type ConsumerOptions,
  type Message,
  type MessagesStream,
  Producer,
  type ProducerOptions,
  stringDeserializers,
  stringSerializers,
} from '@platformatic/kafka'
import { until } from '../../../../test/support/wait.ts'
import { delivered, freshRounds, reasonOf, seenIf, settle, type Trial, type Trials } from '../outcome.ts'
import type { AbortedName, Stage } from '../stage.ts'

type Text = string
type TextConsumer = Consumer<Text, Text, Text, Text>
type TextMessage = Message<Text, Text, Text, Text>
type Options<T> = Partial<Omit<T, 'clientId' | 'bootstrapBrokers' | 'groupId'>>

const readCommitted = 1
const deaf = { heartbeatInterval: 20_000, sessionTimeout: 60_000, rebalanceTimeout: 60_000 }

interface Member {
  readonly consumer: TextConsumer
  readonly stream: MessagesStream<Text, Text, Text, Text>
  readonly errors: string[]
}

async function join(
  brokers: string[],
  groupId: string,
  topic: string,
  options: Options<ConsumerOptions<Text, Text, Text, Text>> & { readonly autocommit?: boolean } = {},
): Promise<Member> {
  const settings = {
    clientId: 'peer',
    bootstrapBrokers: brokers,
    groupId,
    deserializers: stringDeserializers,
    sessionTimeout: 10_000,
    rebalanceTimeout: 10_000,
    heartbeatInterval: 100,
    maxWaitTime: 100,
    retries: 5,
    retryDelay: 100,
    ...options,
  }
  // The options are a union over the group protocol, which a spread loses.
  const consumer: TextConsumer = new Consumer(settings as ConsumerOptions<Text, Text, Text, Text>)
  const errors: string[] = []
  consumer.on('error', (error: Error) => errors.push(reasonOf(error)))
  const stream = await consumer.consume({
    topics: [topic],
    mode: 'committed',
    fallbackMode: 'earliest',
    autocommit: options.autocommit ?? false,
  })
  stream.on('error', (error: Error) => errors.push(`stream: ${reasonOf(error)}`))
  return { consumer, stream, errors }
}

function producerOf(stage: Stage, options: Options<ProducerOptions<Text, Text, Text, Text>> = {}) {
  return new Producer<Text, Text, Text, Text>({
    clientId: 'peer',
    bootstrapBrokers: stage.brokers,
    serializers: stringSerializers,
    retries: 5,
    retryDelay: 100,
    ...options,
  })
}

/** The first messages of a stream, which is paused then. */
async function take({ stream }: Member, count: number): Promise<TextMessage[]> {
  const messages: TextMessage[] = []
  stream.on('data', (message: TextMessage) => {
    messages.push(message)
    if (messages.length === count) stream.pause()
  })
  await until(`${count} messages`, () => messages.length >= count)
  return messages
}

const eviction: Trial = async (stage) => {
  const topic = await stage.topic(1, 90)
  const group = stage.name('group')
  const stalled = await join(stage.brokers, group, topic, deaf)
  const first = await take(stalled, 10)
  await stage.evict(group)
  const heir = await join(stage.brokers, group, topic)
  const messages = await take(heir, 90)
  await messages[89]?.commit()
  const before = await stage.raw.position(group, topic, 0)
  const said = await settle(Promise.resolve(first[9]?.commit()))
  const after = await stage.raw.position(group, topic, 0)
  return seenIf(after < before, `the heir had committed ${before}; commit(10) of the evicted ${said}; now ${after}`)
}

const aborted =
  (name: AbortedName): Trial =>
  async (stage) => {
    const { topic, group, committed, partitionMaxBytes } = await stage.aborted(name)
    const { stream } = await join(stage.brokers, group, topic, {
      isolationLevel: readCommitted,
      maxBytesPerPartition: partitionMaxBytes,
    })
    const values: string[] = []
    stream.on('data', ({ value }: TextMessage) => values.push(String(value)))
    const isAll = await stage.becomes(() => values.includes('plain'), 20_000)
    return delivered(values, committed, isAll)
  }

const metadata: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  const member = await join(stage.brokers, group, topic)
  await take(member, 5)
  const offset = { topic, partition: 0, offset: 5n, leaderEpoch: 0, metadata: 'a map' }
  const said = await settle(member.consumer.commit({ offsets: [offset] }))
  const [stored] = await stage.raw.stored(group)
  return seenIf(stored?.metadata !== 'a map', `commit with 'a map' ${said}; stored is '${stored?.metadata}'`)
}

/** Handlers of one partition run one after the other; those of offset 5 hang. */
const revoke: Trial = async (stage) => {
  const topic = await stage.topic(2, 20)
  const group = stage.name('group')
  const hanging = new Set<string>()
  const one = await join(stage.brokers, group, topic)
  const chains = new Map<number, Promise<unknown>>()
  one.stream.on('data', (message: TextMessage) => {
    const handle = async (): Promise<void> => {
      if (message.offset === 5n) {
        hanging.add(`${message.partition}@5`)
        await Promise.withResolvers<void>().promise
      }
      await message.commit()
    }
    chains.set(message.partition, (chains.get(message.partition) ?? Promise.resolve()).then(handle))
  })
  await until('both hang', () => hanging.size === 2)
  await until('what is done is committed', async () =>
    (await stage.raw.stored(group)).every(({ position }) => position === 5),
  )
  const started = performance.now()
  const two = await join(stage.brokers, group, topic)
  const theirs: string[] = []
  two.stream.on('data', ({ partition, offset }: TextMessage) => theirs.push(`${partition}@${offset}`))
  const isSeen = await stage.becomes(() => theirs.some((each) => hanging.has(each)), 8_000)
  const ms = Math.round(performance.now() - started)
  const which = theirs.find((each) => hanging.has(each))
  return seenIf(
    isSeen,
    isSeen ? `the second member got ${which} after ${ms} ms, its first handler still running` : 'waited 8 s',
  )
}

/** A record takes as long as the rebalance; what was fetched before it waits in the stream. */
const revokedRecords: Trial = async (stage) => {
  const topic = await stage.topic(2, 50_000)
  const group = stage.name('group')
  const one = await join(stage.brokers, group, topic, { autocommit: true })
  const { promise: rejoined, resolve } = Promise.withResolvers<void>()
  let isRejoined = false
  const owned = (partition: number): boolean =>
    one.consumer.assignments?.some((each) => each.topic === topic && each.partitions.includes(partition)) ?? false
  one.consumer.on('consumer:group:join', () => {
    isRejoined = true
    resolve()
  })
  let late = 0
  let all = 0
  const reading = (async () => {
    for await (const message of one.stream) {
      if (isRejoined && !owned(message.partition)) late++
      if (++all === 1_000) await rejoined
      if (all % 500 === 0) await turn()
    }
  })()
  reading.catch((error: unknown) => one.errors.push(reasonOf(error)))
  await until('it is in the middle', () => all === 1_000)
  const two = await join(stage.brokers, group, topic, { autocommit: true })
  two.stream.on('data', () => undefined)
  await until('the group has changed', () => isRejoined)
  let last = -1
  await until('nothing more comes', async () => {
    const isStill = last === all
    last = all
    await new Promise((again) => setTimeout(again, 1_000))
    return isStill && last === all
  })
  const kept = [0, 1].filter(owned).join()
  return seenIf(
    late > 0,
    `${late} records of another partition came after the rebalance that left it ${kept} (${all} in all)`,
  )
}

const earlySuccess: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  const { brokers, proxy } = await stage.throughProxy()
  const member = await join(brokers, group, topic, deaf)
  const messages = await take(member, 10)
  proxy.pause()
  const said = await settle(Promise.resolve(messages[9]?.commit()), 2_000)
  const position = await stage.raw.position(group, topic, 0)
  proxy.resume()
  return seenIf(
    said === 'reported success',
    `with a broker that could not hear, the commit ${said}; stored: ${position}`,
  )
}

async function transactional(stage: Stage, member: Member) {
  const producer = producerOf(stage, { transactionalId: stage.name('tx'), idempotent: true })
  const transaction = await producer.beginTransaction()
  await transaction.addConsumer(member.consumer)
  return transaction
}

/** There is no place to give it. */
const transactionMetadata: Trial = async (stage) => {
  const topic = await stage.topic(1, 5)
  const group = stage.name('group')
  const member = await join(stage.brokers, group, topic)
  const messages = await take(member, 5)
  const transaction = await transactional(stage, member)
  const message = messages[4]
  if (message === undefined) throw new Error('no message')
  await transaction.addOffset(Object.assign(message, { metadata: { ...message.metadata, committedMetadata: 'a map' } }))
  await transaction.commit()
  const stored = await until('it is stored', async () => (await stage.raw.stored(group))[0])
  return seenIf(
    stored.metadata !== 'a map',
    `addOffset() takes a message and no metadata; stored is '${stored.metadata}'`,
  )
}

const transactionLostOffsets: Trial = async (stage) => {
  const topic = await stage.topic(2, 5)
  const group = stage.name('group')
  const member = await join(stage.brokers, group, topic)
  const messages = await take(member, 10)
  const transaction = await transactional(stage, member)
  const last = [0, 1].map((partition) => messages.find((each) => each.partition === partition && each.offset === 4n))
  const said = await settle(Promise.all(last.map((message) => message && transaction.addOffset(message))))
  await transaction.commit()
  await stage.becomes(async () => (await stage.raw.stored(group)).length === 2, 3_000)
  const stored = await stage.raw.stored(group)
  return seenIf(
    stored.length < 2,
    `two addOffset() at once: ${said}; stored: ${stored.map(({ partition, position }) => `${partition}→${position}`).join(', ')}`,
  )
}

const transactionFencing: Trial = async (stage) => {
  const topic = await stage.topic(1, 10)
  const group = stage.name('group')
  const member = await join(stage.brokers, group, topic, deaf)
  const messages = await take(member, 5)
  const transaction = await transactional(stage, member)
  await stage.evict(group)
  await stage.raw.store(group, [{ topic, partition: 0, position: 9, metadata: '' }])
  const message = messages[4]
  const said = await settle(
    message === undefined ? Promise.reject(new Error('no message')) : transaction.addOffset(message),
  )
  if (said === 'reported success') await transaction.commit()
  const isBack = await stage.becomes(async () => (await stage.raw.position(group, topic, 0)) !== 9, 2_000)
  return seenIf(
    isBack,
    `addOffset() of an evicted member ${said}; stored: ${await stage.raw.position(group, topic, 0)}`,
  )
}

const zombie: Trial = async (stage) => {
  const topic = await stage.topic(1, 0)
  const transactionalId = stage.name('tx')
  const older = producerOf(stage, { transactionalId, idempotent: true, retries: 0 })
  const send = (value: string) => ({ messages: [{ topic, partition: 0, value }] })
  const open = await older.beginTransaction()
  await open.send(send('older'))
  const younger = producerOf(stage, { transactionalId, idempotent: true, retries: 0 })
  const said = await settle(
    (async () => {
      const next = await younger.beginTransaction()
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

const largeSend: Trial = async (stage) => {
  const topic = await stage.topic(1, 0)
  const messages = Array.from({ length: 10_000 }, () => ({ topic, partition: 0, value: 'x'.repeat(200) }))
  const said = await settle(producerOf(stage).send({ messages, acks: -1 }))
  const inLog = (await stage.raw.offsets(topic, 0)).length
  return seenIf(said !== 'reported success', `send() of 10,000 × 200 B ${said}; in the log: ${inLog}`)
}

const freshTopic: Trial = async (stage) => {
  const outcomes: string[] = []
  let twice = 0
  for (let round = 0; round < freshRounds; round++) {
    const topic = stage.name('fresh')
    const created = stage.raw.createTopic(topic, 8)
    const messages = Array.from({ length: 400 }, (_, at) => ({ topic, partition: at % 8, value: String(at) }))
    const said = await settle(producerOf(stage, { retries: 20, autocreateTopics: false }).send({ messages, acks: -1 }))
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
  const member = await join(brokers, stage.name('group'), topic, { autocommit: true, retries: 3 })
  let count = 0
  member.stream.on('data', () => count++)
  await until('it reads', () => count === 10)
  await proxy.stop()
  await new Promise((resolve) => setTimeout(resolve, 30_000))
  await stage.openProxy()
  await stage.raw.fill(topic, 0, 10, 1, 10)
  const isBack = await stage.becomes(() => count >= 20, 20_000)
  const state = member.stream.destroyed ? 'the stream is destroyed' : 'the stream is there'
  return seenIf(
    !isBack,
    `${count} of 20 records; ${state}; errors: ${[...new Set(member.errors)].slice(0, 2).join(', ') || 'none'}`,
  )
}

export const platformatic: Trials = {
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

/**
 * A consumer on librdkafka, @confluentinc/kafka-javascript or node-rdkafka: the same interface. Plain JavaScript, because
 * their addons run on the Node.js that they were built for, which need not run TypeScript.
 * Its one argument says what to read; it prints what it reads, and commits when a line tells it to.
 */
const readline = require('node:readline')

const { module: name, brokers, group, topic, settings = {} } = JSON.parse(process.argv[2])
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

function loaded() {
  try {
    return require(name)
  } catch (error) {
    say({ kind: 'unusable', reason: String(error.message).split('\n')[0] })
    process.exit(0)
  }
}

const { KafkaConsumer, Producer } = loaded()
const consumer = new KafkaConsumer(
  {
    'group.id': group,
    'metadata.broker.list': brokers.join(','),
    'enable.auto.commit': false,
    'session.timeout.ms': 60_000,
    'heartbeat.interval.ms': 20_000,
    ...settings,
  },
  { 'auto.offset.reset': 'earliest' },
)
consumer.on('event.error', (error) => say({ kind: 'error', reason: error.message }))
consumer.on('data', ({ partition, offset, value }) =>
  say({ kind: 'record', partition, offset, value: value === null ? null : value.toString() }),
)
consumer.on('ready', () => {
  consumer.subscribe([topic])
  consumer.consume()
})
consumer.connect()

const called = (call) =>
  new Promise((resolve, reject) => {
    call((error) => (error ? reject(error) : resolve()))
  })

/** With a callback, with an exception, with nothing at all, and as part of a transaction. */
const ways = {
  async commitCb(offset) {
    if (consumer.commitCb === undefined) return 'is not there'
    await called((done) => consumer.commitCb([offset], done))
    return 'reported success'
  },
  async commit(offset) {
    consumer.commit(offset)
    return 'returned, which says nothing'
  },
  async commitSync(offset) {
    consumer.commitSync(offset)
    return 'reported success'
  },
  async transaction(offset) {
    const producer = new Producer({ 'metadata.broker.list': brokers.join(','), 'transactional.id': `tx-${group}` })
    await new Promise((resolve) => {
      producer.on('ready', resolve)
      producer.connect()
    })
    await called((done) => producer.initTransactions(10_000, done))
    await called((done) => producer.beginTransaction(done))
    await called((done) => producer.sendOffsetsToTransaction([offset], consumer, 10_000, done))
    await called((done) => producer.commitTransaction(10_000, done))
    return 'reported success'
  },
}

function readBack() {
  consumer.committed([{ topic, partition: 0 }], 5_000, (error, [found] = []) =>
    say({ kind: 'committed', metadata: error ? null : found.metadata }),
  )
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const { how, offset, metadata } = JSON.parse(line)
  if (how === 'committed') return readBack()
  const entry = { topic, partition: 0, offset, ...(metadata === undefined ? {} : { metadata }) }
  try {
    say({ kind: 'said', said: await ways[how](entry) })
  } catch (error) {
    say({ kind: 'said', said: `was refused: ${error.message}` })
  }
})

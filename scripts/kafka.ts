/**
 * Apache Kafka for a while: `npm run kafka`, `npm run kafka -- --nodes 3 --json`.
 * Prints where it listens and runs until Ctrl-C, or until the process that started it is gone.
 */
import { parseArgs } from 'node:util'
import { startKafkaCluster } from './kafka/cluster.ts'
import { KafkaUnavailable } from './kafka/jars.ts'
import { orUsage } from './usage.ts'

const HELP = `npm run kafka -- [options]
  --nodes N    how many nodes, each broker and controller (1); replication factor 3 from three on
  --json       one JSON object instead of words
  --property name=value    a further line for server.properties; may be given more than once`

function parse() {
  return parseArgs({
    options: {
      nodes: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      property: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  }).values
}

const { nodes, json, property, help } = orUsage(HELP, parse)
if (help) {
  console.log(HELP)
  process.exit(0)
}
const count = Number(nodes)
if (!Number.isInteger(count) || count < 1 || count > 9) {
  console.error(`--nodes must be a whole number from 1 to 9, not ${nodes}`)
  process.exit(2)
}
const properties = Object.fromEntries(
  property.map((line) => {
    const at = line.indexOf('=')
    if (at < 1) {
      console.error(`--property is written name=value, not ${line}`)
      process.exit(2)
    }
    return [line.slice(0, at), line.slice(at + 1)]
  }),
)

const before = performance.now()
// Whoever started us may be gone before we are ready: our parent's id changes then.
const parent = process.ppid
try {
  if (!json) console.error(`Apache Kafka: starting ${count === 1 ? 'one node' : `${count} nodes`} …`)
  const kafka = await startKafkaCluster({ nodes: count, properties })
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  if (json) {
    const { brokers, saslBrokers, directory, jars } = kafka
    const pids = kafka.nodes.map((node) => node.pid())
    console.log(JSON.stringify({ brokers, saslBrokers, pids, directory, jars }))
  } else {
    console.log(kafka.brokers.join(','))
    console.error(
      `ready after ${seconds} s; KAFKA_BROKERS=${kafka.brokers.join(',')} points tests here; Ctrl-C stops it`,
    )
  }
  const stop = async (): Promise<void> => {
    await kafka.stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop())
  setInterval(() => {
    if (process.ppid !== parent) void stop()
  }, 500)
} catch (error) {
  console.error(error instanceof KafkaUnavailable ? `No Apache Kafka here: ${error.message}` : error)
  process.exit(1)
}

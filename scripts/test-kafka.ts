/**
 * The Kafka half of the suite: every .kafka.ts file of test/ on one Apache Kafka that this script starts, or on KAFKA_BROKERS.
 * `npm run test:kafka -- kafkajs java` runs the files whose names contain one of the words.
 * Where there is no Java or Maven, the suites still run, and each says what it leaves out.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { root } from './files.ts'
import { type KafkaCluster, startKafkaCluster } from './kafka/cluster.ts'
import { KafkaUnavailable } from './kafka/jars.ts'

const words = process.argv.slice(2)
const files = globSync('test/**/*.kafka.ts', { cwd: root })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()
if (files.length === 0) {
  console.error(`no test/**/*.kafka.ts has ${words.join(' or ')} in its name`)
  process.exit(2)
}

const env: NodeJS.ProcessEnv = { ...process.env }
let kafka: KafkaCluster | undefined
if (env.KAFKA_BROKERS === undefined && env.FANLANE_TARGET !== 'embedded') {
  try {
    kafka = await startKafkaCluster()
    env.KAFKA_BROKERS = kafka.brokers.join(',')
    env.KAFKA_SASL_BROKERS = kafka.saslBrokers.join(',')
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    env.KAFKA_UNAVAILABLE = error.message
  }
}

// Two files at a time share the broker: names are unique, and half of the time is waiting.
// KafkaJS sets timers in the past, and Node says so every time.
const quiet = '--disable-warning=TimeoutNegativeWarning'
const cached = ['--import', './scripts/compile-cache.ts']
const args = [
  ...cached,
  quiet,
  '--test',
  '--test-reporter=spec',
  '--test-concurrency=2',
  '--test-timeout=600000',
  ...files,
]
const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)))
await kafka?.stop()
if (env.KAFKA_UNAVAILABLE !== undefined) console.error(`\n*** NOT RUN ON APACHE KAFKA: ${env.KAFKA_UNAVAILABLE}\n`)
process.exitCode = code

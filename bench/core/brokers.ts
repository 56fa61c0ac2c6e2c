/** What the contenders run on: one Apache Kafka, or one embedded broker in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startKafkaCluster } from '../../scripts/kafka/cluster.ts'
import { classPath } from '../../scripts/kafka/jars.ts'
import { command } from '../../test/support/command.ts'
import { jarVersion } from './java.ts'

export type BrokerKind = 'kafka' | 'embedded'

export interface Broker {
  readonly kind: BrokerKind
  readonly name: string
  readonly brokers: readonly string[]
  /** Why share groups are not offered, if they are not. */
  readonly whyNoShareGroups: string | null
  stop(): Promise<void>
}

const stopTimeoutMs = 10_000
const brokerMain = fileURLToPath(new URL('../contenders/node/broker.ts', import.meta.url))

/** `build`: of the embedded broker. */
export const startBroker = (kind: BrokerKind, build: string, dataDir: string): Promise<Broker> =>
  kind === 'kafka' ? startApacheKafka() : startEmbedded(build, dataDir)

async function startApacheKafka(): Promise<Broker> {
  const cluster = await startKafkaCluster({
    forSpeed: true,
    properties: {
      // A disk of a benchmark is not a disk of a test: what tests make quick is set back to Kafka's defaults.
      'log.retention.check.interval.ms': 300_000,
      'log.cleaner.backoff.ms': 15_000,
      'group.min.session.timeout.ms': 6_000,
      'group.consumer.heartbeat.interval.ms': 5_000,
      'group.consumer.min.heartbeat.interval.ms': 5_000,
      'group.consumer.min.session.timeout.ms': 45_000,
      'num.network.threads': 3,
      'num.io.threads': 8,
      'share.coordinator.state.topic.replication.factor': 1,
      'share.coordinator.state.topic.min.isr': 1,
      'share.coordinator.state.topic.num.partitions': 6,
    },
  })
  const { brokers, jars } = cluster
  const upgrade = ['--bootstrap-server', brokers.join(), 'upgrade', '--feature', 'share.version=1']
  const flags = ['-Xmx256m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath(jars)]
  const { code, stdout, stderr } = await command('java', [
    ...flags,
    'org.apache.kafka.tools.FeatureCommand',
    ...upgrade,
  ])
  return {
    kind: 'kafka',
    name: `Apache Kafka ${await jarVersion('kafka', 'kafka-clients')}`,
    brokers,
    whyNoShareGroups: code === 0 ? null : `share groups cannot be switched on: ${`${stdout}${stderr}`.trim()}`,
    stop: () => cluster.stop(),
  }
}

async function startEmbedded(build: string, dataDir: string): Promise<Broker> {
  const child = spawn(process.execPath, [brokerMain, build, dataDir], { stdio: ['pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000)
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the embedded broker has ended: ${said}`)
  })
  ended.catch(() => undefined)
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer]
  const { brokers } = JSON.parse(String(line)) as { brokers: string[] }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const killer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
    await ended.catch(() => undefined)
    clearTimeout(killer)
  }
  return { kind: 'embedded', name: 'embedded broker', brokers, whyNoShareGroups: 'Apache Kafka alone has them', stop }
}

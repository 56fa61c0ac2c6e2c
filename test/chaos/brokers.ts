/**
 * The broker of a run, embedded or Apache Kafka, behind one interface. Both keep their log over a kill -9, send clients
 * through the proxy, and have one address past it for whoever judges.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts, startKafkaCluster } from '../../scripts/kafka/cluster.ts'
import { quickSettings } from '../../scripts/kafka/settings.ts'
import type { BrokerOptions } from '../../src/broker/index.ts'
import { incrementalAlterConfigsApi } from '../../src/protocol/generated/44-incremental-alter-configs.ts'
import { until } from '../support/wait.ts'
import { mustBe, RawKafka } from '../wire/support/raw-kafka.ts'
import type { BrokerNews, BrokerOrder } from './broker-main.ts'
import { sessionMs } from './plan.ts'

export const brokerNames = ['embedded', 'kafka'] as const
export type BrokerName = (typeof brokerNames)[number]

export interface ChaosBroker {
  /** `host:port` past the proxy. */
  readonly direct: string
  /** Where the proxy has to forward to. */
  readonly behindProxy: string
  /** Resolves when it answers again. */
  restart(how: 'clean' | 'kill'): Promise<void>
  /** While a topic is down, the broker refuses everything that is written to it. */
  setTopicDown(topic: string, isDown: boolean): Promise<void>
  close(): Promise<void>
}

const settings: Readonly<Record<string, string | number>> = {
  ...quickSettings,
  'group.consumer.session.timeout.ms': sessionMs,
  'auto.create.topics.enable': 'false',
  'message.max.bytes': 2 ** 21,
}

/** `proxyPort`: what clients are told to connect to; undefined: the broker itself. */
export function startChaosBroker(name: BrokerName, proxyPort?: number): Promise<ChaosBroker> {
  return name === 'kafka' ? startKafka(proxyPort) : startEmbedded(proxyPort)
}

async function startKafka(proxyPort: number | undefined): Promise<ChaosBroker> {
  const cluster = await startKafkaCluster({
    properties: settings,
    ...(proxyPort === undefined ? {} : { proxyPorts: [proxyPort] }),
  })
  const [node] = cluster.nodes
  if (node === undefined) throw new Error('a cluster without nodes')
  return {
    direct: node.address,
    behindProxy: node.proxied ?? node.address,
    async restart(how) {
      await node.stop(how === 'clean' ? 'SIGTERM' : 'SIGKILL')
      await node.start()
    },
    async setTopicDown(topic, isDown) {
      // More replicas in sync than there are: Kafka's own way to refuse.
      const configs = [{ name: 'min.insync.replicas', value: isDown ? '2' : '1', configOperation: 0 }]
      await using raw = await RawKafka.connect([node.address])
      const { responses } = await raw.send(incrementalAlterConfigsApi, 1, {
        resources: [{ resourceType: 2, resourceName: topic, configs }],
      })
      mustBe(responses[0]?.errorCode, `IncrementalAlterConfigs ${topic}`)
    },
    close: () => cluster.stop(),
  }
}

const main = fileURLToPath(new URL('broker-main.ts', import.meta.url))

async function startEmbedded(proxyPort: number | undefined): Promise<ChaosBroker> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanlane-chaos-broker-'))
  const clear = (): void => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', clear)
  const [port] = await freePorts(1)
  if (port === undefined) throw new Error('no free port')
  const options: BrokerOptions = {
    port,
    dataDir,
    ...(proxyPort === undefined ? {} : { advertised: { host: '127.0.0.1', port: proxyPort } }),
    config: Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, String(value)])),
  }
  const direct = `127.0.0.1:${port}`
  let child = await launch(options)
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    direct,
    behindProxy: direct,
    async restart(how) {
      await stop(how === 'clean' ? 'SIGTERM' : 'SIGKILL')
      child = await launch(options)
    },
    setTopicDown(topic, isDown) {
      const order: BrokerOrder = { topic, isDown }
      return new Promise((resolve, reject) => {
        child.send(order, (error) => (error === null ? resolve() : reject(error)))
      })
    },
    async close() {
      await stop('SIGKILL')
      process.off('exit', clear)
      clear()
    },
  }
}

async function launch(options: BrokerOptions): Promise<ChildProcess> {
  const child = fork(main, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  let news: BrokerNews | undefined
  child.once('message', (message: BrokerNews) => {
    news = message
  })
  await until('the embedded broker is ready', () => {
    if (child.exitCode !== null) throw new Error(`the embedded broker ended with ${child.exitCode} while it started`)
    return news !== undefined
  })
  return child
}

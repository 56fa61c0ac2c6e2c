/** A node of Apache Kafka of its own, with a further listener whose clients are sent to the proxy. */
import { after, describe } from 'node:test'
import { freePorts } from '../../scripts/kafka/cluster.ts'
import { FateProxy } from '../support/fate-proxy.ts'
import { type Kafka, KafkaUnavailable, startKafka } from '../support/kafka.ts'
import { loudly } from '../support/targets.ts'
import { transactionFaults } from './transaction-faults.suite.ts'

const [port = 0] = await freePorts(1)
const proxy = await FateProxy.start(port)

async function start(): Promise<Kafka | KafkaUnavailable> {
  try {
    // Properties, so that it is not somebody else's cluster.
    return await startKafka({ proxyPorts: [port], properties: {} })
  } catch (error) {
    if (error instanceof KafkaUnavailable) return error
    throw error
  }
}

const kafka = process.env.FANLANE_TARGET === 'embedded' ? null : await start()
if (kafka === null) {
  await proxy.stop()
} else if (kafka instanceof KafkaUnavailable) {
  await proxy.stop()
  loudly(`NOT RUN ON APACHE KAFKA: ${kafka.message}`)
} else {
  const [node] = kafka.nodes
  proxy.target = node?.proxied ?? ''
  describe('on Apache Kafka', { timeout: 300_000 }, () => {
    after(async () => {
      await proxy.stop()
      await kafka.stop()
    })
    transactionFaults({
      brokers: [`127.0.0.1:${port}`],
      direct: kafka.brokers,
      proxy,
      async restart() {
        await node?.stop('SIGKILL')
        await node?.start()
      },
    })
  })
}

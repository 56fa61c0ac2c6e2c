/** Apache Kafka with a further listener, whose clients are sent to the proxy: a node of its own. */
import { after, describe } from 'node:test'
import { freePorts } from '../../scripts/kafka/cluster.ts'
import { type Kafka, KafkaUnavailable, startKafka } from '../support/kafka.ts'
import { PausableProxy } from '../support/pausable-proxy.ts'
import { loudly } from '../support/targets.ts'
import { answers } from './failures-answers.suite.ts'

const [port = 0] = await freePorts(1)
const proxy = await PausableProxy.start(port)

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
  proxy.target = kafka.nodes[0]?.proxied ?? ''
  describe('on Apache Kafka', { timeout: 120_000 }, () => {
    after(async () => {
      await proxy.stop()
      await kafka.stop()
    })
    answers({ brokers: [`127.0.0.1:${port}`], direct: kafka.brokers, proxy })
  })
}

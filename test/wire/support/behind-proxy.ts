/** A suite on a node of Apache Kafka of its own, whose clients are sent to a proxy by a further listener. */
import { after, describe } from 'node:test'
import { freePorts } from '../../../scripts/kafka/cluster.ts'
import { type Kafka, KafkaUnavailable, startKafka } from '../../support/kafka.ts'
import { loudly } from '../../support/targets.ts'

interface Proxy {
  target: string
  stop(): Promise<void>
}

export async function onKafkaBehind<P extends Proxy>(
  startProxy: (port: number) => Promise<P>,
  timeoutMs: number,
  suite: (kafka: Kafka, proxy: P, port: number) => void,
): Promise<void> {
  if (process.env.FANLANE_TARGET === 'embedded') return
  const [port = 0] = await freePorts(1)
  try {
    // Properties, so that it is not somebody else's cluster.
    const kafka = await startKafka({ proxyPorts: [port], properties: {} })
    const proxy = await startProxy(port)
    proxy.target = kafka.nodes[0]?.proxied ?? ''
    describe('on Apache Kafka', { timeout: timeoutMs }, () => {
      after(async () => {
        await proxy.stop()
        await kafka.stop()
      })
      suite(kafka, proxy, port)
    })
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`NOT RUN ON APACHE KAFKA: ${error.message}`)
  }
}

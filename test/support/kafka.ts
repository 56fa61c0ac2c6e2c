/**
 * Apache Kafka for tests: `startKafka()` runs one that ends with the test process; KAFKA_BROKERS points to any other
 * cluster instead, which is then left running.
 */
import { type KafkaNode, type KafkaOptions, startKafkaCluster } from '../../scripts/kafka/cluster.ts'

export { KafkaUnavailable } from '../../scripts/kafka/jars.ts'
export { saslUser } from '../../scripts/kafka/settings.ts'

export type Kafka = {
  readonly brokers: readonly string[]
  /** Where `saslUser` can log in, if the cluster has such a listener. */
  readonly saslBrokers: readonly string[]
  /** Empty for a cluster that somebody else runs. */
  readonly nodes: readonly KafkaNode[]
  stop(): Promise<void>
}

const list = (name: string): string[] => (process.env[name] ?? '').split(',').filter((address) => address !== '')

/** Rejects with KafkaUnavailable where Java, Maven or the download is missing. */
export async function startKafka(options: KafkaOptions = {}): Promise<Kafka> {
  const brokers = list('KAFKA_BROKERS')
  if (brokers.length === 0) return startKafkaCluster(options)
  if ((options.nodes ?? 1) > 1 || options.properties !== undefined) {
    // A suite that kills nodes or changes settings needs a cluster of its own.
    return startKafkaCluster(options)
  }
  return { brokers, saslBrokers: list('KAFKA_SASL_BROKERS'), nodes: [], stop: () => Promise.resolve() }
}

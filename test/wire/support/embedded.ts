/** A broker of a test's own, which may be broken. */
import type { TestContext } from 'node:test'
import { quickSettings } from '../../../scripts/kafka/settings.ts'
import { type BrokerOptions, type RunningBroker, startBroker } from '../../../src/broker/index.ts'
import { cleanUp } from './cleanup.ts'
import { RawKafka } from './raw-kafka.ts'

const quick = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))

export interface Embedded {
  readonly broker: RunningBroker
  readonly raw: RawKafka
}

export async function embedded(t: TestContext, options: BrokerOptions = {}): Promise<Embedded> {
  const broker = await startBroker({ ...options, config: { ...quick, ...options.config } })
  const raw = await RawKafka.connect(broker.brokers)
  cleanUp(t, async () => {
    broker.faults.clear()
    await raw[Symbol.asyncDispose]()
    await broker.close()
  })
  return { broker, raw }
}

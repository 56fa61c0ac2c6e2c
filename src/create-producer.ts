/** Where the options of a producer meet brokers and clock. */
import { brokersOr } from './embedded.ts'
import { checkProducerOptions, openProducer, type Producer, type ProducerOptions } from './producer/index.ts'
import { SystemClock } from './system-clock.ts'

/** Connects in the background: sending waits for the cluster, for as long as `deliveryTimeoutMs` allows. */
export async function createProducer(options: ProducerOptions = {}): Promise<Producer> {
  // Before a broker is started for them.
  checkProducerOptions({ ...options, brokers: options?.brokers ?? 'to be found' })
  const brokers = await brokersOr(options.brokers)
  return openProducer({ ...options, brokers }, { clock: new SystemClock() })
}

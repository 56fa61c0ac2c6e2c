/**
 * The broker of those who named none: one for the whole process, in memory, in a thread of its own, so that whoever writes
 * and whoever reads meet. It ends with the process.
 */
import type { RunningBroker } from './broker/index.ts'
import { FanlaneError } from './errors.ts'

let running: Promise<RunningBroker> | null = null

/** Where to connect: what was given, else KAFKA_BROKERS, else the embedded broker. */
export async function brokersOr(
  given: string | readonly string[] | undefined,
  onEmbedded: (address: string) => void = () => undefined,
): Promise<readonly string[]> {
  if (given !== undefined) return typeof given === 'string' ? listOf(given) : given
  const { KAFKA_BROKERS, NODE_ENV } = process.env
  if (KAFKA_BROKERS !== undefined && KAFKA_BROKERS.trim() !== '') return listOf(KAFKA_BROKERS)
  if (NODE_ENV === 'production') {
    throw new FanlaneError(
      'NO_BROKERS',
      "No brokers are given and NODE_ENV is 'production', where fanlane does not start its embedded broker: it keeps records " +
        "in memory only. Give brokers: 'host:9092', or set KAFKA_BROKERS.",
    )
  }
  running ??= start()
  const { brokers } = await running
  onEmbedded(brokers.join())
  return brokers
}

async function start(): Promise<RunningBroker> {
  try {
    // Loaded where it is used: half of the package, and nobody's business who has a Kafka.
    const { startBroker } = await import('./broker/index.ts')
    const broker = await startBroker({ isolate: true })
    broker.unref()
    return broker
  } catch (error) {
    running = null
    throw error
  }
}

function listOf(brokers: string): readonly string[] {
  return brokers
    .split(',')
    .map((broker) => broker.trim())
    .filter((broker) => broker !== '')
}

/**
 * What a suite of real clients runs on: Apache Kafka or the embedded broker. A suite is a function of a target, so both run
 * the same lines: `x.kafka.ts` is `await onKafka(suite)`, `x.test.ts` is `await onEmbedded(suite)`.
 * FANLANE_TARGET=kafka or =embedded leaves the other one out.
 */
import { after, describe, test } from 'node:test'
import { quickSettings } from '../../scripts/kafka/settings.ts'
import { startBroker } from '../../src/broker/index.ts'
import { KafkaUnavailable, saslUser, startKafka } from './kafka.ts'

export type Target = {
  readonly name: 'Apache Kafka' | 'embedded broker'
  readonly brokers: readonly string[]
  /** Empty where nobody listens for SASL. */
  readonly saslBrokers: readonly string[]
  close(): Promise<void>
}

const suiteTimeoutMs = 240_000

export type Suite = (target: Target) => void

/** Registers the suite on Apache Kafka, or one skipped test that says why there is none. */
export async function onKafka(suite: Suite): Promise<void> {
  if (process.env.FANLANE_TARGET === 'embedded') return
  try {
    const { brokers, saslBrokers, stop } = await startKafka()
    register({ name: 'Apache Kafka', brokers, saslBrokers, close: stop }, suite)
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`NOT RUN ON APACHE KAFKA: ${error.message}`)
  }
}

/**
 * A suite of clients that are not ours on Apache Kafka. Nothing of fanlane takes part: it proves that the suite asks for
 * nothing but what Kafka does. FANLANE_OTHERS=embedded leaves it out, for those who have changed none of these suites.
 */
export async function othersOnKafka(suite: Suite): Promise<void> {
  if (process.env.FANLANE_OTHERS !== 'embedded') return onKafka(suite)
  loudly('CLIENTS OF OTHERS NOT RUN ON APACHE KAFKA ITSELF: FANLANE_OTHERS=embedded')
}

/** Registers the suite on a fresh embedded broker, and on a second one that asks for a password. */
export async function onEmbedded(suite: Suite): Promise<void> {
  if (process.env.FANLANE_TARGET === 'kafka') return
  const config = Object.fromEntries(Object.entries(quickSettings).map(([name, value]) => [name, String(value)]))
  const plain = await startBroker({ config })
  const sasl = await startBroker({ config, sasl: { users: { [saslUser.username]: saslUser.password } } })
  const close = async (): Promise<void> => {
    await Promise.all([plain.close(), sasl.close()])
  }
  register({ name: 'embedded broker', brokers: plain.brokers, saslBrokers: sasl.brokers, close }, suite)
}

/** A skipped test and a line on stderr: whoever reads either sees that something did not run. */
export function loudly(reason: string): void {
  process.stderr.write(`\n*** ${reason}\n\n`)
  test(reason, { skip: reason })
}

function register(target: Target, suite: Suite): void {
  // A client that hangs must not hang the run: every test inherits this.
  describe(`on ${target.name}`, { timeout: suiteTimeoutMs }, () => {
    after(() => target.close())
    suite(target)
  })
}

let names = 0
const run = `${process.pid.toString(36)}${Date.now().toString(36).slice(-5)}`

/** A name that no other test of this or any other run uses: tests share a broker and must not meet. */
export const unique = (what: string): string => `${what}-${run}-${++names}`

/** Every conformance script on Apache Kafka itself: what the model and the embedded broker answer must be what it answers. */
import { after, describe, test } from 'node:test'
import { KafkaUnavailable } from '../support/kafka.ts'
import { loudly } from '../support/targets.ts'
import { runScript } from './script-runner.ts'
import { scripts } from './scripts/index.ts'
import { KafkaForScripts } from './wire/kafka-cluster.ts'
import { KafkaTarget } from './wire/kafka-target.ts'

async function main(): Promise<void> {
  try {
    const kafka = await KafkaForScripts.start()
    after(() => kafka.stop())
    for (const [subject, list] of Object.entries(scripts)) {
      describe(`Apache Kafka: ${subject}`, () => {
        for (const script of list) {
          test(script.title, async () => {
            await runScript(script, new KafkaTarget(kafka))
          })
        }
      })
    }
  } catch (error) {
    if (!(error instanceof KafkaUnavailable)) throw error
    loudly(`CONFORMANCE SCRIPTS NOT RUN ON APACHE KAFKA: ${error.message}`)
  }
}

if (process.env.FANLANE_TARGET !== 'embedded') await main()

/** Every conformance script that one node can be asked, on the embedded broker, over real sockets. */
import { describe, test } from 'node:test'
import { runScript } from './script-runner.ts'
import { scripts } from './scripts/index.ts'
import { BrokerTarget, needsSecondNode } from './wire/broker-target.ts'

for (const [subject, list] of Object.entries(scripts)) {
  describe(`embedded broker: ${subject}`, () => {
    for (const script of list) {
      const skip = needsSecondNode(script) ? 'needs a second node: shown on Apache Kafka and on the model' : false
      test(script.title, { skip }, async () => {
        await runScript(script, new BrokerTarget())
      })
    }
  })
}

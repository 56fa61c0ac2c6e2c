/** KafkaJS 2.2: requests of the age of Kafka 2.3, which many services in production still send. */
import { describe } from 'node:test'
import type { Target } from '../../support/targets.ts'
import { kafkaJsAdmin } from './admin.ts'
import { kafkaJsGroups } from './groups.ts'
import { kafkaJsProducing } from './producing.ts'
import { kafkaJsSasl } from './sasl.ts'
import { kafkaJsTransactions } from './transactions.ts'

export function kafkaJs(target: Target): void {
  describe('KafkaJS', () => {
    kafkaJsAdmin(target)
    kafkaJsProducing(target)
    kafkaJsGroups(target)
    kafkaJsTransactions(target)
    kafkaJsSasl(target)
  })
}

import { describe } from 'node:test'
import { onEmbedded } from '../support/targets.ts'
import { kafkaJsPair, mixedGroups } from './mixed.suite.ts'
import { kafkaJsClient } from './support/mixed-members.ts'

await onEmbedded(({ brokers }) => {
  describe('KafkaJS', () => mixedGroups(brokers, () => Promise.resolve(kafkaJsClient(brokers)), [kafkaJsPair]))
})

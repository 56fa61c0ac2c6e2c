import { onEmbedded, othersOnKafka } from '../support/targets.ts'
import { confluentClient } from './confluent.suite.ts'

await othersOnKafka(confluentClient)
await onEmbedded(confluentClient)

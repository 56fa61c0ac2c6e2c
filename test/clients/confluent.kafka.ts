import { onEmbedded, onKafka } from '../support/targets.ts'
import { confluentClient } from './confluent.suite.ts'

await onKafka(confluentClient)
await onEmbedded(confluentClient)

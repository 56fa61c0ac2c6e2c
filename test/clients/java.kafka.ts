import { onEmbedded, onKafka } from '../support/targets.ts'
import { javaClients } from './java.suite.ts'

await onKafka(javaClients)
await onEmbedded(javaClients)

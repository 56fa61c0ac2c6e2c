import { onEmbedded, othersOnKafka } from '../support/targets.ts'
import { javaClients } from './java.suite.ts'

await othersOnKafka(javaClients)
await onEmbedded(javaClients)

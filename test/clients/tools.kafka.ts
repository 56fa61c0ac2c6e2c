import { onEmbedded, othersOnKafka } from '../support/targets.ts'
import { javaTools } from './tools.suite.ts'

await othersOnKafka(javaTools)
await onEmbedded(javaTools)

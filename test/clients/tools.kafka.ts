import { onEmbedded, onKafka } from '../support/targets.ts'
import { javaTools } from './tools.suite.ts'

await onKafka(javaTools)
await onEmbedded(javaTools)

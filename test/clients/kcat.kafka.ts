import { onEmbedded, onKafka } from '../support/targets.ts'
import { kcatClient } from './kcat.suite.ts'

await onKafka(kcatClient)
await onEmbedded(kcatClient)

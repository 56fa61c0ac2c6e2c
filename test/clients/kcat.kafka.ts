import { onEmbedded, othersOnKafka } from '../support/targets.ts'
import { kcatClient } from './kcat.suite.ts'

await othersOnKafka(kcatClient)
await onEmbedded(kcatClient)

import { onEmbedded } from '../support/targets.ts'
import { exactlyOnce } from './exactly-once.suite.ts'

await onEmbedded(exactlyOnce)

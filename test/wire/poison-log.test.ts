import { onEmbedded } from '../support/targets.ts'
import { poisonLog } from './poison-log.suite.ts'

await onEmbedded(poisonLog)

import { onKafka } from '../support/targets.ts'
import { poisonLog } from './poison-log.suite.ts'

await onKafka(poisonLog)

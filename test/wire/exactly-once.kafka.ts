import { onKafka } from '../support/targets.ts'
import { exactlyOnce } from './exactly-once.suite.ts'

await onKafka(exactlyOnce)

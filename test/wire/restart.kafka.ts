import { onKafka } from '../support/targets.ts'
import { restart } from './restart.suite.ts'

await onKafka(restart)

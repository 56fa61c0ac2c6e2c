import { onKafka } from '../support/targets.ts'
import { failures } from './failures.suite.ts'

await onKafka(failures)

import { onKafka } from '../support/targets.ts'
import { groups } from './groups.suite.ts'

await onKafka(groups)

import { onKafka } from '../support/targets.ts'
import { looking } from './looking.suite.ts'

await onKafka(looking)

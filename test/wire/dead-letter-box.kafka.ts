import { onKafka } from '../support/targets.ts'
import { deadLetterBox } from './dead-letter-box.suite.ts'

await onKafka(deadLetterBox)

import { onEmbedded } from '../support/targets.ts'
import { deadLetterBox } from './dead-letter-box.suite.ts'

await onEmbedded(deadLetterBox)

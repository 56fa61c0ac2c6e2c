import { onEmbedded } from '../support/targets.ts'
import { looking } from './looking.suite.ts'

await onEmbedded(looking)

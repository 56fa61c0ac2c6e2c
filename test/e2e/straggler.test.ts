import { onEmbedded } from '../support/targets.ts'
import { straggler } from './straggler.suite.ts'

await onEmbedded(straggler)

import { onEmbedded } from '../support/targets.ts'
import { exits } from './exits.suite.ts'

await onEmbedded(exits)

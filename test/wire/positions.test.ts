import { onEmbedded } from '../support/targets.ts'
import { positions } from './positions.suite.ts'

await onEmbedded(positions)

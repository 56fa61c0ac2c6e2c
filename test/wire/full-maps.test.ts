import { onEmbedded } from '../support/targets.ts'
import { fullMaps } from './full-maps.suite.ts'

await onEmbedded(fullMaps)

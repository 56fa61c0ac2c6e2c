import { onEmbedded } from '../support/targets.ts'
import { platformatic } from './platformatic/suite.ts'

await onEmbedded(platformatic)

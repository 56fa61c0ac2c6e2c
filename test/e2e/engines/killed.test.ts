import { onEmbedded } from '../../support/targets.ts'
import { killed } from './killed.suite.ts'

await onEmbedded(killed)

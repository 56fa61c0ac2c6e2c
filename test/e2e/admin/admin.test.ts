import { onEmbedded } from '../../support/targets.ts'
import { adminSuite } from './suite.ts'

await onEmbedded(adminSuite)

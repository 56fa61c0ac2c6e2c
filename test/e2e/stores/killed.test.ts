import { onEmbedded } from '../../support/targets.ts'
import { killedSuite } from './killed.suite.ts'

await onEmbedded(await killedSuite())

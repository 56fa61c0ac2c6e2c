import { onEmbedded } from '../../support/targets.ts'
import { suite } from './kip848-suite.ts'

await onEmbedded(suite)

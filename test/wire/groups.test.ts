import { onEmbedded } from '../support/targets.ts'
import { groups } from './groups.suite.ts'

await onEmbedded(groups)

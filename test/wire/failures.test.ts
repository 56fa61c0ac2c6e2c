import { onEmbedded } from '../support/targets.ts'
import { failures } from './failures.suite.ts'

await onEmbedded(failures)

import { onEmbedded } from '../support/targets.ts'
import { restart } from './restart.suite.ts'

await onEmbedded(restart)

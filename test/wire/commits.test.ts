import { onEmbedded } from '../support/targets.ts'
import { commits } from './commits.suite.ts'

await onEmbedded(commits)

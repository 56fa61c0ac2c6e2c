import { onEmbedded } from '../support/targets.ts'
import { sessions } from './sessions.suite.ts'

await onEmbedded(sessions)

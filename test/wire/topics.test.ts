import { onEmbedded } from '../support/targets.ts'
import { topics } from './topics.suite.ts'

await onEmbedded(topics)

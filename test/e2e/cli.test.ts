import { onEmbedded } from '../support/targets.ts'
import { commands } from './cli.suite.ts'

await onEmbedded(commands)

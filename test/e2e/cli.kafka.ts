import { onKafka } from '../support/targets.ts'
import { commands } from './cli.suite.ts'

await onKafka(commands)

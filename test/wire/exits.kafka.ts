import { onKafka } from '../support/targets.ts'
import { exits } from './exits.suite.ts'

await onKafka(exits)

import { onKafka } from '../support/targets.ts'
import { positions } from './positions.suite.ts'

await onKafka(positions)

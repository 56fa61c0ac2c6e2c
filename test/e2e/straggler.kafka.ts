import { onKafka } from '../support/targets.ts'
import { straggler } from './straggler.suite.ts'

await onKafka(straggler)

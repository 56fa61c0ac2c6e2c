import { onKafka } from '../support/targets.ts'
import { topics } from './topics.suite.ts'

await onKafka(topics)

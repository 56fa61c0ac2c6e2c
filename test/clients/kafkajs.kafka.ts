import { onKafka } from '../support/targets.ts'
import { kafkaJs } from './kafkajs/suite.ts'

await onKafka(kafkaJs)

import { othersOnKafka } from '../support/targets.ts'
import { kafkaJs } from './kafkajs/suite.ts'

await othersOnKafka(kafkaJs)

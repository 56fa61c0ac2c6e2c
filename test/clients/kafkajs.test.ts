import { onEmbedded } from '../support/targets.ts'
import { kafkaJs } from './kafkajs/suite.ts'

await onEmbedded(kafkaJs)

import { onEmbedded } from '../../support/targets.ts'
import { producerSuite } from './producer.suite.ts'

await onEmbedded(producerSuite)

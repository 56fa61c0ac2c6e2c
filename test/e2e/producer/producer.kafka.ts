import { onKafka } from '../../support/targets.ts'
import { producerSuite } from './producer.suite.ts'

await onKafka(producerSuite)
